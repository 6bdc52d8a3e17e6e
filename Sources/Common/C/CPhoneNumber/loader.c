#define _GNU_SOURCE
#include "phone_number.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* libphonenumber takes about 10 ms to load. Raising an alert never needs it, so it is loaded when a number is first
   looked at. The plug-in lies beside the executable, whose run path is its own folder. */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const lifesignal_phone_functions *functions;
static char load_error[512];

/* The text of `dlerror` lives only until the thread's next call of it, so it is copied. */
static void fail(const char *reason) { snprintf(load_error, sizeof load_error, "%s", reason ? reason : "no reason given"); }

static void load(void) {
  void *plugin = dlopen("liblifesignal-phone.so", RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    fail(dlerror());
    return;
  }
  const lifesignal_phone_functions *(*entry)(void) =
      (const lifesignal_phone_functions *(*)(void))dlsym(plugin, LIFESIGNAL_PHONE_ENTRY);
  if (!entry) {
    fail("the phone number plug-in has no entry point");
    return;
  }
  functions = entry();
}

static const lifesignal_phone_functions *loaded(void) {
  pthread_once(&once, load);
  return functions;
}

int lifesignal_phone_parse(const char *text, const char *region, char *e164, char *region_of_number) {
  const lifesignal_phone_functions *plugin = loaded();
  return plugin ? plugin->parse(text, region, e164, region_of_number) : LIFESIGNAL_PHONE_UNAVAILABLE;
}

int lifesignal_phone_format_as_you_type(const char *text, const char *region, char *formatted) {
  const lifesignal_phone_functions *plugin = loaded();
  return plugin ? plugin->format_as_you_type(text, region, formatted) : LIFESIGNAL_PHONE_UNAVAILABLE;
}

int lifesignal_phone_format_international(const char *e164, char *formatted) {
  const lifesignal_phone_functions *plugin = loaded();
  return plugin ? plugin->format_international(e164, formatted) : LIFESIGNAL_PHONE_UNAVAILABLE;
}

int lifesignal_phone_calling_code(const char *region) {
  const lifesignal_phone_functions *plugin = loaded();
  return plugin ? plugin->calling_code(region) : 0;
}

int lifesignal_phone_is_possible(const char *text, const char *region) {
  const lifesignal_phone_functions *plugin = loaded();
  return plugin ? plugin->is_possible(text, region) : LIFESIGNAL_PHONE_UNAVAILABLE;
}

const char *lifesignal_phone_regions(void) {
  const lifesignal_phone_functions *plugin = loaded();
  return plugin ? plugin->regions() : NULL;
}

const char *lifesignal_phone_load_error(void) {
  return loaded() ? NULL : load_error;
}
