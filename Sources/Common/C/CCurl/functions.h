#ifndef LIFESIGNAL_CURL_FUNCTIONS_H
#define LIFESIGNAL_CURL_FUNCTIONS_H

#include "curl_shims.h"

/* What is used of libcurl, as found in the library that was loaded. */
typedef struct {
  CURLcode (*global_init)(long);
  char *(*version)(void);
  curl_version_info_data *(*version_info)(CURLversion);
  const char *(*easy_strerror)(CURLcode);
  const char *(*multi_strerror)(CURLMcode);
  void *(*easy_init)(void);
  void (*easy_cleanup)(void *);
  CURLcode (*easy_setopt)(void *, CURLoption, ...);
  CURLcode (*easy_getinfo)(void *, CURLINFO, ...);
  CURLcode (*easy_send)(void *, const void *, size_t, size_t *);
  CURLcode (*easy_recv)(void *, void *, size_t, size_t *);
  CURLSH *(*share_init)(void);
  CURLSHcode (*share_setopt)(CURLSH *, CURLSHoption, ...);
  CURLSHcode (*share_cleanup)(CURLSH *);
  struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
  void (*slist_free_all)(struct curl_slist *);
  void *(*multi_init)(void);
  CURLMcode (*multi_cleanup)(void *);
  CURLMcode (*multi_setopt)(void *, CURLMoption, ...);
  CURLMcode (*multi_add_handle)(void *, void *);
  CURLMcode (*multi_remove_handle)(void *, void *);
  CURLMcode (*multi_perform)(void *, int *);
  CURLMcode (*multi_poll)(void *, struct curl_waitfd *, unsigned, int, int *);
  CURLMcode (*multi_wakeup)(void *);
  CURLMsg *(*multi_info_read)(void *, int *);
  CURLU *(*url)(void);
  void (*url_cleanup)(CURLU *);
  CURLUcode (*url_set)(CURLU *, CURLUPart, const char *, unsigned);
  CURLUcode (*url_get)(const CURLU *, CURLUPart, char **, unsigned);
  void (*free)(void *);
} lifesignal_curl_functions;

extern lifesignal_curl_functions lifesignal_curl;

#endif
