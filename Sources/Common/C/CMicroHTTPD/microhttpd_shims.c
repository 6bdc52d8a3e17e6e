#define _GNU_SOURCE
#include "microhttpd_shims.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * The library answers a request that it cannot parse, or whose headers are too large, with an HTML page of its own and
 * offers no hook to change it. It queues that page through its exported MHD_queue_response, so the definition below,
 * which the dynamic linker finds first, sees every such page and sends a problem body instead. Our own answers go to the
 * library's function directly. Were the library linked so that its call cannot be seen, its page would be sent as before.
 */

typedef enum MHD_Result (*queue_function)(struct MHD_Connection *, unsigned int, struct MHD_Response *);

static queue_function library_queue;
typedef struct MHD_Response *(*refusal_function)(void *connection_context, unsigned int *status);

/* The same for every daemon of the process. */
static _Atomic(refusal_function) refusal;

static void *connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

__attribute__((constructor)) static void find_library_queue(void) {
  library_queue = (queue_function)dlsym(RTLD_NEXT, "MHD_queue_response");
}

__attribute__((visibility("default"), used)) enum MHD_Result MHD_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *page) {
  if (!library_queue) return MHD_NO;
  unsigned int changed_status = status;
  refusal_function refuse = refusal;
  if (!refuse) return library_queue(connection, status, page);
  struct MHD_Response *response = refuse(connection_context(connection), &changed_status);
  if (!response) return MHD_NO;
  enum MHD_Result result = library_queue(connection, changed_status, response);
  MHD_destroy_response(response);
  return result;
}

bool lifesignal_mhd_answer(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return library_queue && library_queue(connection, status, response) == MHD_YES;
}

/*
 * Before the application sees a request, the library copies the arguments of its query and its cookies into the memory of the
 * connection. Where they do not fit, version 0.9.75 refuses the request, which may free that memory, ignores that it did, and
 * goes on reading headers in it: one request with 372 arguments ended the process. Nothing here uses either. Both go through
 * exported functions, so the definitions below keep them out: an argument is taken as stored, a cookie is not found.
 *
 * A Content-Length that is no number it refuses the same way, and writes the head of its answer twice. It looks that header
 * up with its length, which nobody else does, and is told that there is none: our own code refuses the request then.
 */

typedef enum MHD_Result (*store_function)(
    struct MHD_Connection *, enum MHD_ValueKind, const char *, size_t, const char *, size_t);
typedef enum MHD_Result (*lookup_function)(
    struct MHD_Connection *, enum MHD_ValueKind, const char *, size_t, const char **, size_t *);

static store_function library_store;
static lookup_function library_lookup;

__attribute__((constructor)) static void find_library_values(void) {
  library_store = (store_function)dlsym(RTLD_NEXT, "MHD_set_connection_value_n");
  library_lookup = (lookup_function)dlsym(RTLD_NEXT, "MHD_lookup_connection_value_n");
}

__attribute__((visibility("default"), used)) enum MHD_Result MHD_set_connection_value_n(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value,
    size_t value_length) {
  if (kind == MHD_GET_ARGUMENT_KIND) return MHD_YES;
  return library_store ? library_store(connection, kind, name, name_length, value, value_length) : MHD_NO;
}

static bool is_name(const char *name, size_t length, const char *wanted) {
  return name && length == strlen(wanted) && memcmp(name, wanted, length) == 0;
}

/** Digits alone, and few enough for the 64 bits that the library counts in. */
static bool is_number(const char *text, size_t length) {
  if (!text || length == 0 || length > 19) return false;
  for (size_t index = 0; index < length; index++)
    if (text[index] < '0' || text[index] > '9') return false;
  return true;
}

__attribute__((visibility("default"), used)) enum MHD_Result MHD_lookup_connection_value_n(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *name, size_t name_length, const char **value,
    size_t *value_length) {
  if (!library_lookup || (kind == MHD_HEADER_KIND && is_name(name, name_length, MHD_HTTP_HEADER_COOKIE))) return MHD_NO;
  enum MHD_Result result = library_lookup(connection, kind, name, name_length, value, value_length);
  if (result == MHD_YES && kind == MHD_HEADER_KIND && value && value_length &&
      is_name(name, name_length, MHD_HTTP_HEADER_CONTENT_LENGTH) && !is_number(*value, *value_length))
    return MHD_NO;
  return result;
}

/* One per daemon, for as long as the process lives: a daemon is started once. */
typedef struct {
  lifesignal_mhd_callbacks callbacks;
  void *server;
} daemon_context;

static enum MHD_Result accept_policy(void *closure, const struct sockaddr *peer, socklen_t length) {
  (void)length;
  daemon_context *daemon = closure;
  return daemon->callbacks.accepts(daemon->server, peer) ? MHD_YES : MHD_NO;
}

static void notify_connection(
    void *closure, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode code) {
  daemon_context *daemon = closure;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const union MHD_ConnectionInfo *socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    int descriptor = socket ? socket->connect_fd : -1;
    const union MHD_ConnectionInfo *peer = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    *context = daemon->callbacks.opened(daemon->server, descriptor, peer ? peer->client_addr : NULL);
  } else if (*context) {
    daemon->callbacks.closed(daemon->server, *context);
    *context = NULL;
  }
}

static void *log_target(void *closure, const char *target, struct MHD_Connection *connection) {
  daemon_context *daemon = closure;
  void *context = connection_context(connection);
  if (context) daemon->callbacks.target(context, target);
  return NULL; /* the access handler tells its first call by it */
}

static char head_was_seen;

static enum MHD_Result handle_access(
    void *closure, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **request) {
  (void)url;
  daemon_context *daemon = closure;
  void *context = connection_context(connection);
  if (!context) return MHD_NO;
  bool goes_on;
  if (!*request) {
    *request = &head_was_seen;
    goes_on = daemon->callbacks.head(context, connection, method, version);
  } else if (*upload_size > 0) {
    goes_on = daemon->callbacks.body(context, connection, upload, *upload_size);
    *upload_size = 0;
  } else {
    goes_on = daemon->callbacks.whole(context, connection);
  }
  return goes_on ? MHD_YES : MHD_NO;
}

static void notify_completed(
    void *closure, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode code) {
  (void)code;
  daemon_context *daemon = closure;
  void *context = connection_context(connection);
  if (context) daemon->callbacks.completed(context);
  *request = NULL;
}

struct MHD_Daemon *lifesignal_mhd_start(
    const lifesignal_mhd_options *options, const lifesignal_mhd_callbacks *callbacks, void *server) {
  daemon_context *context = malloc(sizeof *context);
  if (!context) return NULL;
  context->callbacks = *callbacks;
  context->server = server;
  refusal = callbacks->refusal;

  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
  struct MHD_OptionItem items[8];
  int count = 0;
  items[count++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes, NULL};
  items[count++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_LIMIT, options->connection_limit, NULL};
  items[count++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_seconds, NULL};
  if (options->threads > 1)
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, options->threads, NULL};
  if (options->is_encrypted) {
    flags |= MHD_USE_TLS;
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK, 0, lifesignal_tls_callback()};
    /* No version of TLS before 1.2 (RFC 8996). */
    items[count++] =
        (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"};
  }
  items[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};

  struct MHD_Daemon *daemon = MHD_start_daemon(
      flags, 0, accept_policy, context, handle_access, context,                             //
      MHD_OPTION_LISTEN_SOCKET, options->listening_descriptor,                              //
      MHD_OPTION_NOTIFY_COMPLETED, notify_completed, context,                               //
      MHD_OPTION_NOTIFY_CONNECTION, notify_connection, context,                             //
      MHD_OPTION_URI_LOG_CALLBACK, log_target, context,                                     //
      /* In versions 0.9 it would only refuse what we want to answer ourselves. */
      MHD_OPTION_STRICT_FOR_CLIENT, strncmp(MHD_get_version(), "0.9.", 4) == 0 ? 0 : 1,      //
      MHD_OPTION_ARRAY, items, MHD_OPTION_END);
  if (!daemon) free(context);
  return daemon;
}

struct MHD_Response *lifesignal_mhd_stream(
    size_t block_bytes, ssize_t (*reader)(void *context, uint64_t position, char *buffer, size_t maximum),
    void *context, void (*release)(void *context)) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block_bytes, reader, context, release);
}

void lifesignal_mhd_clear_timeout(struct MHD_Connection *connection) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
}

const char *lifesignal_mhd_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

typedef struct {
  const char *name;
  char *text;
  size_t length, capacity;
} joined_header;

static enum MHD_Result join_header(void *closure, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind;
  joined_header *joined = closure;
  if (!value || strcasecmp(name, joined->name) != 0) return MHD_YES;
  size_t length = strlen(value), comma = joined->length > 0;
  if (joined->length + comma + length >= joined->capacity) return MHD_NO;
  if (comma) joined->text[joined->length++] = ',';
  memcpy(joined->text + joined->length, value, length);
  joined->length += length;
  return MHD_YES;
}

bool lifesignal_mhd_headers(struct MHD_Connection *connection, const char *name, char *text, size_t capacity) {
  joined_header joined = {name, text, 0, capacity};
  MHD_get_connection_values(connection, MHD_HEADER_KIND, join_header, &joined);
  text[joined.length] = 0;
  return joined.length > 0;
}

struct MHD_Response *lifesignal_mhd_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

bool lifesignal_mhd_add_header(struct MHD_Response *response, const char *name, const char *value) {
  return MHD_add_response_header(response, name, value) == MHD_YES;
}

bool lifesignal_mhd_has_tls(void) { return MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES; }
