#define _GNU_SOURCE
#include "functions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

lifesignal_curl_functions lifesignal_curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;
static char load_error[512];

/* The first is the one with OpenSSL, which most systems have; the second has the same interface over GnuTLS. */
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static int find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  /* POSIX has dlsym give functions as object pointers. */
  *(void **)function = symbol;
  return symbol != NULL;
}

#define FIND(field, name) find(library, name, &lifesignal_curl.field)

static int find_all(void *library) {
  return FIND(global_init, "curl_global_init") && FIND(version, "curl_version") &&
         FIND(version_info, "curl_version_info") && FIND(easy_strerror, "curl_easy_strerror") &&
         FIND(multi_strerror, "curl_multi_strerror") && FIND(easy_init, "curl_easy_init") &&
         FIND(easy_cleanup, "curl_easy_cleanup") && FIND(easy_setopt, "curl_easy_setopt") &&
         FIND(easy_getinfo, "curl_easy_getinfo") && FIND(easy_send, "curl_easy_send") &&
         FIND(easy_recv, "curl_easy_recv") && FIND(share_init, "curl_share_init") &&
         FIND(share_setopt, "curl_share_setopt") && FIND(share_cleanup, "curl_share_cleanup") &&
         FIND(slist_append, "curl_slist_append") &&
         FIND(slist_free_all, "curl_slist_free_all") && FIND(multi_init, "curl_multi_init") &&
         FIND(multi_cleanup, "curl_multi_cleanup") && FIND(multi_setopt, "curl_multi_setopt") &&
         FIND(multi_add_handle, "curl_multi_add_handle") && FIND(multi_remove_handle, "curl_multi_remove_handle") &&
         FIND(multi_perform, "curl_multi_perform") && FIND(multi_poll, "curl_multi_poll") &&
         FIND(multi_wakeup, "curl_multi_wakeup") && FIND(multi_info_read, "curl_multi_info_read") &&
         FIND(url, "curl_url") && FIND(url_cleanup, "curl_url_cleanup") && FIND(url_set, "curl_url_set") &&
         FIND(url_get, "curl_url_get") && FIND(free, "curl_free");
}

/* 7.85.0 brought CURLOPT_PROTOCOLS_STR. Without asynchronous name resolution no time-out would hold. */
static int is_usable(void) {
  const curl_version_info_data *info = lifesignal_curl.version_info(CURLVERSION_NOW);
  return info && info->version_num >= 0x075500 && (info->features & CURL_VERSION_SSL) &&
         (info->features & CURL_VERSION_ASYNCHDNS);
}

/**
 * OpenSSL, where libcurl uses it, frees its locks when the process exits, while this thread or another may still be in it: a
 * program that ended soon after its start crashed. Told before all else, it leaves them to the system.
 */
static void keep_tls_until_the_end(void *library) {
  const uint64_t no_cleanup_at_exit = 0x00080000;
  int (*initialise)(uint64_t, const void *);
  *(void **)&initialise = dlsym(library, "OPENSSL_init_crypto");
  if (initialise) initialise(no_cleanup_at_exit, NULL);
}

static void load(void) {
  void *library = NULL;
  for (size_t index = 0; !library && index < sizeof names / sizeof *names; index++) {
    library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (!library && index == 0) {
      const char *reason = dlerror();
      snprintf(load_error, sizeof load_error, "libcurl cannot be loaded: install the package libcurl4 (%s)",
               reason ? reason : "no reason given");
    }
  }
  if (!library) return;
  keep_tls_until_the_end(library);
  if (!find_all(library) || lifesignal_curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !is_usable()) {
    snprintf(load_error, sizeof load_error,
             "this libcurl cannot be used: install the package libcurl4 in version 7.85 or newer");
    return;
  }
  load_error[0] = 0;
  is_loaded = 1;
}

int lifesignal_curl_load(void) {
  pthread_once(&once, load);
  return is_loaded ? 0 : -1;
}

const char *lifesignal_curl_load_error(void) {
  return lifesignal_curl_load() == 0 ? NULL : load_error;
}
