#ifndef LIFESIGNAL_TLS_IDENTITIES_H
#define LIFESIGNAL_TLS_IDENTITIES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Certificates that can be replaced while connections are open. libmicrohttpd asks for one at each handshake and says nothing of the
 * daemon, so it is found by the port on which the connection came.
 */

/**
 * Has handshakes on this port use the certificate chain and its key (PEM) from now on; those under way keep the former one. False, and
 * nothing has changed, where they cannot be read or do not belong together, or where there is no memory.
 */
bool lifesignal_tls_use(uint16_t port, const char *certificate, const char *key);

/** Whether `lifesignal_tls_use` would take them. */
bool lifesignal_tls_can_use(const char *certificate, const char *key);

typedef struct {
  /** Seconds since 1970. */
  int64_t valid_from, valid_until;
  /** Whether it is for the host that was asked for. */
  bool names_host;
} lifesignal_tls_certificate;

/**
 * Reads the first certificate of a chain (PEM): the server's own. `host` is a name or an address; null asks for none. False where there is no
 * certificate.
 */
bool lifesignal_tls_read(const char *chain, const char *host, lifesignal_tls_certificate *read);

/** Whether this is a private key (PEM) that no password protects. */
bool lifesignal_tls_is_key(const char *key);

/** Nobody listens on the port any more. */
void lifesignal_tls_forget(uint16_t port);

/** What the daemon calls at each handshake: a `gnutls_certificate_retrieve_function2`. */
void *lifesignal_tls_callback(void);

#endif
