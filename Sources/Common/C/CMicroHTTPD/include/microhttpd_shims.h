#ifndef LIFESIGNAL_MICROHTTPD_SHIMS_H
#define LIFESIGNAL_MICROHTTPD_SHIMS_H

#include "strict_head.h"
#include "tls_identities.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <sys/socket.h>

/*
 * What the importer cannot see of libmicrohttpd (variadic functions, macros with a cast), and its many callbacks brought
 * down to a few with plain types. `connection_context` is always what `opened` returned for that connection.
 */

/** The daemon calls these from its own threads; of one connection, one at a time. */
typedef struct {
  /** May a connection from this address be accepted? */
  bool (*accepts)(void *server, const struct sockaddr *peer);
  /** A connection was accepted on `descriptor`; returns its context. */
  void *(*opened)(void *server, int descriptor, const struct sockaddr *peer);
  /** The connection is about to be closed: the last call with this context. */
  void (*closed)(void *server, void *connection_context);
  /** The request line was read; `target` as it was sent, escapes and query included. */
  void (*target)(void *connection_context, const char *target);
  /** All headers were read. False closes the connection; an answer queued here also closes it when sent. */
  bool (*head)(void *connection_context, struct MHD_Connection *connection, const char *method, const char *version);
  /** More of the body. False closes the connection. */
  bool (*body)(void *connection_context, struct MHD_Connection *connection, const char *bytes, size_t count);
  /** The request is whole: an answer must be queued. False closes the connection. */
  bool (*whole)(void *connection_context, struct MHD_Connection *connection);
  /** The answer was sent, or the request failed. */
  void (*completed)(void *connection_context);
  /**
   * The library itself refuses a request that never reached the other callbacks, with `*status`: the answer to be sent
   * in place of its own page; may change the status. Null closes the connection, which may have been answered already.
   */
  struct MHD_Response *(*refusal)(void *connection_context, unsigned int *status);
} lifesignal_mhd_callbacks;

typedef struct {
  /** Bound and listening; the daemon closes it. */
  int listening_descriptor;
  unsigned int threads;
  unsigned int connection_limit;
  /** Seconds without any traffic after which a connection is closed. */
  unsigned int idle_timeout_seconds;
  /** For the headers and the buffers of one connection. */
  size_t connection_memory_bytes;
  /** Its certificate is the one of its port: `lifesignal_tls_use`. */
  bool is_encrypted;
} lifesignal_mhd_options;

/** Starts the daemon. The callbacks are copied; `server` must outlive the daemon. Null where it cannot start. */
struct MHD_Daemon *lifesignal_mhd_start(
    const lifesignal_mhd_options *options, const lifesignal_mhd_callbacks *callbacks, void *server);

/** Queues an answer of the application's; false where it was too late. */
bool lifesignal_mhd_answer(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);

/** A response of unknown length, read block by block from `reader`. */
struct MHD_Response *lifesignal_mhd_stream(
    size_t block_bytes, ssize_t (*reader)(void *context, uint64_t position, char *buffer, size_t maximum),
    void *context, void (*release)(void *context));

/** Takes a connection's inactivity time-out away. */
void lifesignal_mhd_clear_timeout(struct MHD_Connection *connection);

/** A request's header, or null. Valid until the request is completed. */
const char *lifesignal_mhd_header(struct MHD_Connection *connection, const char *name);

/** All of a request's headers of this name, with commas between; false without one. What does not fit is left out. */
bool lifesignal_mhd_headers(struct MHD_Connection *connection, const char *name, char *text, size_t capacity);

/** A response over a copy of `bytes`. */
struct MHD_Response *lifesignal_mhd_response(const void *bytes, size_t count);

bool lifesignal_mhd_add_header(struct MHD_Response *response, const char *name, const char *value);

bool lifesignal_mhd_has_tls(void);

#endif
