#ifndef LIFESIGNAL_CURL_SHIMS_H
#define LIFESIGNAL_CURL_SHIMS_H

/* For the constants and types alone: none of the functions that it declares is linked. */
#include <curl/curl.h>

/* libcurl, loaded on first use: to link it would add about 3 ms to the start of every command, and raising an alert must
   work where it is missing. Handles are `void *`, as curl.h has them unless CURL_STRICTER is defined. Every function but
   the first two may be called only after lifesignal_curl_load() gave 0. */

/** Loads libcurl and sets it up, once; later calls give the first one's result. 0, or -1. Any thread. */
int lifesignal_curl_load(void);

/** Why loading failed, for a person; NULL where it did not. */
const char *lifesignal_curl_load_error(void);

/** What curl_version() says. */
const char *lifesignal_curl_version(void);

const char *lifesignal_curl_easy_strerror(CURLcode code);
const char *lifesignal_curl_multi_strerror(CURLMcode code);

void *lifesignal_curl_easy_init(void);
void lifesignal_curl_easy_cleanup(void *easy);

/* curl_easy_setopt by the type of its last argument. */
CURLcode lifesignal_curl_set_long(void *easy, CURLoption option, long value);
CURLcode lifesignal_curl_set_offset(void *easy, CURLoption option, curl_off_t value);
CURLcode lifesignal_curl_set_pointer(void *easy, CURLoption option, const void *value);
CURLcode lifesignal_curl_set_string(void *easy, CURLoption option, const char *value);
/** For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION. */
CURLcode lifesignal_curl_set_write_callback(void *easy, CURLoption option, curl_write_callback callback);
CURLcode lifesignal_curl_set_open_socket_callback(void *easy, curl_opensocket_callback callback);
CURLcode lifesignal_curl_set_close_socket_callback(void *easy, curl_closesocket_callback callback);

/** socket(2). Each argument fills its register: a filter of system calls such as systemd's RestrictAddressFamilies compares all 64 bits, of
    which a compiler leaves the upper half of an int as it happens to be. */
int lifesignal_curl_open_socket(int family, int type, int protocol);
/** Has the kernel keep little of what is written to a socket, and drop the rest when the socket is closed. Best effort. */
void lifesignal_curl_hurry_socket(int socket);
/** Milliseconds since the peer of a TCP socket last sent or acknowledged a byte; -1: never, or not known (tcp(7), TCP_INFO). */
long long lifesignal_curl_silence_of_socket(int socket);

/** curl_easy_getinfo where the answer is a number; 0 where curl has none. */
long lifesignal_curl_get_long(void *easy, CURLINFO info);
/** The same for an amount of bytes. */
curl_off_t lifesignal_curl_get_offset(void *easy, CURLINFO info);

/* After a transfer with CURLOPT_CONNECT_ONLY, while its handle is in the multi handle: the connection is the caller's. */
/** Its socket, or CURL_SOCKET_BAD. */
curl_socket_t lifesignal_curl_socket(void *easy);
/** What can be sent or received at once; CURLE_AGAIN where nothing can. 0 bytes received: the peer has closed it. */
CURLcode lifesignal_curl_send(void *easy, const void *bytes, size_t count, size_t *sent);
CURLcode lifesignal_curl_receive(void *easy, void *bytes, size_t count, size_t *received);

/** A store of connections for CURLOPT_SHARE, for handles of one thread; NULL where there is none. */
void *lifesignal_curl_share_connections(void);
/** After the last handle that uses it. */
void lifesignal_curl_share_cleanup(void *share);

struct curl_slist *lifesignal_curl_slist_append(struct curl_slist *list, const char *text);
void lifesignal_curl_slist_free(struct curl_slist *list);

void *lifesignal_curl_multi_init(void);
void lifesignal_curl_multi_cleanup(void *multi);
CURLMcode lifesignal_curl_multi_set_long(void *multi, CURLMoption option, long value);
CURLMcode lifesignal_curl_multi_add(void *multi, void *easy);
CURLMcode lifesignal_curl_multi_remove(void *multi, void *easy);
CURLMcode lifesignal_curl_multi_perform(void *multi);
/** Waits as curl_multi_poll does. A time-out below 0 is for ever (24 days). */
CURLMcode lifesignal_curl_multi_poll(void *multi, struct curl_waitfd *descriptors, unsigned count, int timeout);
/** Any thread, as long as `multi` exists. */
CURLMcode lifesignal_curl_multi_wakeup(void *multi);
/** Takes the next finished transfer: its handle, or NULL where there is none, and how it ended. */
void *lifesignal_curl_multi_next_finished(void *multi, CURLcode *result);

/** A parsed URL as libcurl will understand it. Fields are lower-cased where the standard says so; free with the next. */
typedef struct {
  char *scheme;
  char *host;
} lifesignal_curl_url;

/** 0, or -1 where it is not an absolute URL that libcurl can use. A user name or password in it gives -1 too. */
int lifesignal_curl_parse_url(const char *text, lifesignal_curl_url *url);
void lifesignal_curl_free_url(lifesignal_curl_url *url);

#endif
