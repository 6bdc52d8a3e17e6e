#define _GNU_SOURCE
#include "include/postgres_shims.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define POINTER(result, name, parameters, arguments) static result(*found_##name) parameters;
LIFESIGNAL_POSTGRES_FUNCTIONS(POINTER)

#define FORWARD(result, name, parameters, arguments) \
  result lifesignal_##name parameters { return found_##name arguments; }
LIFESIGNAL_POSTGRES_FUNCTIONS(FORWARD)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char load_error[512];

/* 14 brought the pipeline mode. */
static const int oldest_version = 140000;

static const char *missing_function(void *library) {
  /* POSIX has dlsym give functions as object pointers. */
#define FIND(result, name, parameters, arguments) \
  if (!(*(void **)&found_##name = dlsym(library, #name))) return #name;
  LIFESIGNAL_POSTGRES_FUNCTIONS(FIND)
  return NULL;
}

/**
 * OpenSSL frees its locks when the process exits, while another thread may still be in it. Told before all else, it leaves them to the
 * system.
 */
static void keep_tls_until_the_end(void *library) {
  const uint64_t no_cleanup_at_exit = 0x00080000;
  int (*initialise)(uint64_t, const void *);
  *(void **)&initialise = dlsym(library, "OPENSSL_init_crypto");
  if (initialise) initialise(no_cleanup_at_exit, NULL);
}

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(load_error, sizeof load_error, "libpq cannot be loaded: install the package libpq5 (%s)",
             reason ? reason : "no reason given");
    return;
  }
  keep_tls_until_the_end(library);
  const char *missing = missing_function(library);
  if (missing || found_PQlibVersion() < oldest_version) {
    snprintf(load_error, sizeof load_error, "this libpq cannot be used: install the package libpq5 in version 14 or newer");
  }
}

const char *lifesignal_postgres_load(void) {
  pthread_once(&once, load);
  return load_error[0] ? load_error : NULL;
}
