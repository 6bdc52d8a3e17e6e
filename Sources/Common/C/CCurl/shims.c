#include "functions.h"

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *lifesignal_curl_version(void) { return lifesignal_curl.version(); }

const char *lifesignal_curl_easy_strerror(CURLcode code) { return lifesignal_curl.easy_strerror(code); }

const char *lifesignal_curl_multi_strerror(CURLMcode code) { return lifesignal_curl.multi_strerror(code); }

void *lifesignal_curl_easy_init(void) { return lifesignal_curl.easy_init(); }

void lifesignal_curl_easy_cleanup(void *easy) { lifesignal_curl.easy_cleanup(easy); }

CURLcode lifesignal_curl_set_long(void *easy, CURLoption option, long value) {
  return lifesignal_curl.easy_setopt(easy, option, value);
}

CURLcode lifesignal_curl_set_offset(void *easy, CURLoption option, curl_off_t value) {
  return lifesignal_curl.easy_setopt(easy, option, value);
}

CURLcode lifesignal_curl_set_pointer(void *easy, CURLoption option, const void *value) {
  return lifesignal_curl.easy_setopt(easy, option, value);
}

CURLcode lifesignal_curl_set_string(void *easy, CURLoption option, const char *value) {
  return lifesignal_curl.easy_setopt(easy, option, value);
}

CURLcode lifesignal_curl_set_write_callback(void *easy, CURLoption option, curl_write_callback callback) {
  return lifesignal_curl.easy_setopt(easy, option, callback);
}

CURLcode lifesignal_curl_set_open_socket_callback(void *easy, curl_opensocket_callback callback) {
  return lifesignal_curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

CURLcode lifesignal_curl_set_close_socket_callback(void *easy, curl_closesocket_callback callback) {
  return lifesignal_curl.easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

int lifesignal_curl_open_socket(int family, int type, int protocol) {
  return (int)syscall(SYS_socket, (long)family, (long)type, (long)protocol);
}

void lifesignal_curl_hurry_socket(int socket) {
  /* A close sends a reset and forgets what was not sent. */
  struct linger at_once = {.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
#ifdef TCP_NOTSENT_LOWAT
  int unsent = 4096;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
#endif
}

long long lifesignal_curl_silence_of_socket(int socket) {
  struct tcp_info info;
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
  /* Before the peer's first answer the times have no meaning. */
  if (info.tcpi_state == TCP_SYN_SENT || info.tcpi_state == TCP_CLOSE) return -1;
  return info.tcpi_last_ack_recv < info.tcpi_last_data_recv ? info.tcpi_last_ack_recv : info.tcpi_last_data_recv;
}

long lifesignal_curl_get_long(void *easy, CURLINFO info) {
  long value = 0;
  return lifesignal_curl.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t lifesignal_curl_get_offset(void *easy, CURLINFO info) {
  curl_off_t value = 0;
  return lifesignal_curl.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_socket_t lifesignal_curl_socket(void *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  return lifesignal_curl.easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

CURLcode lifesignal_curl_send(void *easy, const void *bytes, size_t count, size_t *sent) {
  return lifesignal_curl.easy_send(easy, bytes, count, sent);
}

CURLcode lifesignal_curl_receive(void *easy, void *bytes, size_t count, size_t *received) {
  return lifesignal_curl.easy_recv(easy, bytes, count, received);
}

void *lifesignal_curl_share_connections(void) {
  CURLSH *share = lifesignal_curl.share_init();
  if (share && lifesignal_curl.share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) != CURLSHE_OK) {
    lifesignal_curl.share_cleanup(share);
    return NULL;
  }
  return share;
}

void lifesignal_curl_share_cleanup(void *share) { (void)lifesignal_curl.share_cleanup(share); }

struct curl_slist *lifesignal_curl_slist_append(struct curl_slist *list, const char *text) {
  return lifesignal_curl.slist_append(list, text);
}

void lifesignal_curl_slist_free(struct curl_slist *list) { lifesignal_curl.slist_free_all(list); }

void *lifesignal_curl_multi_init(void) { return lifesignal_curl.multi_init(); }

void lifesignal_curl_multi_cleanup(void *multi) { lifesignal_curl.multi_cleanup(multi); }

CURLMcode lifesignal_curl_multi_set_long(void *multi, CURLMoption option, long value) {
  return lifesignal_curl.multi_setopt(multi, option, value);
}

CURLMcode lifesignal_curl_multi_add(void *multi, void *easy) { return lifesignal_curl.multi_add_handle(multi, easy); }

CURLMcode lifesignal_curl_multi_remove(void *multi, void *easy) {
  return lifesignal_curl.multi_remove_handle(multi, easy);
}

CURLMcode lifesignal_curl_multi_perform(void *multi) {
  int running = 0;
  return lifesignal_curl.multi_perform(multi, &running);
}

CURLMcode lifesignal_curl_multi_poll(void *multi, struct curl_waitfd *descriptors, unsigned count, int timeout) {
  int ready = 0;
  return lifesignal_curl.multi_poll(multi, descriptors, count, timeout < 0 ? INT_MAX : timeout, &ready);
}

CURLMcode lifesignal_curl_multi_wakeup(void *multi) { return lifesignal_curl.multi_wakeup(multi); }

void *lifesignal_curl_multi_next_finished(void *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = lifesignal_curl.multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

int lifesignal_curl_parse_url(const char *text, lifesignal_curl_url *url) {
  *url = (lifesignal_curl_url){NULL, NULL};
  CURLU *parsed = lifesignal_curl.url();
  if (!parsed) return -1;
  int result = -1;
  if (lifesignal_curl.url_set(parsed, CURLUPART_URL, text, CURLU_DISALLOW_USER) == CURLUE_OK &&
      lifesignal_curl.url_get(parsed, CURLUPART_SCHEME, &url->scheme, 0) == CURLUE_OK &&
      lifesignal_curl.url_get(parsed, CURLUPART_HOST, &url->host, 0) == CURLUE_OK)
    result = 0;
  lifesignal_curl.url_cleanup(parsed);
  if (result != 0) lifesignal_curl_free_url(url);
  return result;
}

void lifesignal_curl_free_url(lifesignal_curl_url *url) {
  lifesignal_curl.free(url->scheme);
  lifesignal_curl.free(url->host);
  *url = (lifesignal_curl_url){NULL, NULL};
}
