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

/** Nobody listens on the port any more. */
void lifesignal_tls_forget(uint16_t port);

/** What the daemon calls at each handshake: a `gnutls_certificate_retrieve_function2`. */
void *lifesignal_tls_callback(void);

#endif
