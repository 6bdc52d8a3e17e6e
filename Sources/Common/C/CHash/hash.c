#include "include/hash.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sodium/crypto_hash_sha256.h>
#include <stdio.h>

static int (*begin)(crypto_hash_sha256_state *);
static int (*add)(crypto_hash_sha256_state *, const unsigned char *, unsigned long long);
static int (*finish)(crypto_hash_sha256_state *, unsigned char *);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char load_error[512];

static void load(void) {
  void *library = dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(load_error, sizeof load_error, "libsodium cannot be loaded: install the package libsodium23 (%s)",
             reason ? reason : "no reason given");
    return;
  }
  /* POSIX has dlsym give functions as object pointers. */
  *(void **)&begin = dlsym(library, "crypto_hash_sha256_init");
  *(void **)&add = dlsym(library, "crypto_hash_sha256_update");
  *(void **)&finish = dlsym(library, "crypto_hash_sha256_final");
  if (!begin || !add || !finish) snprintf(load_error, sizeof load_error, "this libsodium has no SHA-256");
}

const char *lifesignal_hash_load(void) {
  pthread_once(&once, load);
  return load_error[0] ? load_error : NULL;
}

static int begins_with_zeros(const uint8_t *hash, int zero_bits) {
  for (; zero_bits >= 8; zero_bits -= 8)
    if (*hash++) return 0;
  return zero_bits <= 0 || *hash >> (8 - zero_bits) == 0;
}

static void write_nonce(uint64_t nonce, uint8_t bytes[8]) {
  for (int index = 7; index >= 0; index--, nonce >>= 8) bytes[index] = (uint8_t)nonce;
}

int lifesignal_hash_search(const uint8_t *message, size_t count, int zero_bits, uint64_t tries, uint64_t *nonce) {
  crypto_hash_sha256_state beginning, state;
  begin(&beginning);
  add(&beginning, message, count);
  for (; tries > 0; tries--, ++*nonce) {
    uint8_t bytes[8], hash[crypto_hash_sha256_BYTES];
    write_nonce(*nonce, bytes);
    state = beginning;
    add(&state, bytes, sizeof bytes);
    finish(&state, hash);
    /* All of the hash is zero for nobody: more bits than it has are found by none. */
    if (zero_bits <= 255 && begins_with_zeros(hash, zero_bits)) return 1;
  }
  return 0;
}
