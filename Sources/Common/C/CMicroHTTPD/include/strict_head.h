#ifndef LIFESIGNAL_STRICT_HEAD_H
#define LIFESIGNAL_STRICT_HEAD_H

struct MHD_Connection;

/*
 * libmicrohttpd takes much for a request that a proxy before it may understand otherwise: lines that end with a line feed alone, lengths that
 * contradict each other, names with spaces. Whoever reaches a server through such a proxy could hide a request in another's.
 */

typedef enum {
  lifesignal_head_right,
  /** A line does not end with CR LF, is continued, or has a byte that no line may have. */
  lifesignal_head_malformed,
  /** Host, Content-Length or Transfer-Encoding is there twice. */
  lifesignal_head_ambiguous,
} lifesignal_head;

/** How the head of a request is, once all of it was read. `method` and `version` are what the library gives: both ends of the request line. */
lifesignal_head lifesignal_mhd_check_head(struct MHD_Connection *connection, const char *method, const char *version);

#endif
