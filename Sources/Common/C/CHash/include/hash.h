#ifndef LIFESIGNAL_HASH_H
#define LIFESIGNAL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 of libsodium, loaded on first use: nothing else on a device needs that library, and raising an alert must work where it is
   missing. */

/** Loads libsodium, once; later calls give the first one's result. NULL, or why it failed, for a person. Any thread. */
const char *lifesignal_hash_load(void);

/**
 * Looks for nonces from `*nonce` on for which SHA-256 of the message and the nonce (8 bytes, most significant first) begins with `zero_bits`
 * zero bits. Tries at most `tries`, and ends at the first that it finds: 1, with `*nonce` as found; or 0, with `*nonce` as the first that it
 * did not try. Only after lifesignal_hash_load() gave NULL.
 */
int lifesignal_hash_search(const uint8_t *message, size_t count, int zero_bits, uint64_t tries, uint64_t *nonce);

#endif
