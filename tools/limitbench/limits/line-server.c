/*
 * A server that makes each line of a request durable before it answers how many there were.
 *
 *   line-server FILE single [ROWS]   each request is a transaction of its own
 *   line-server FILE group [ROWS]    requests wait, suspended, while one writer commits all that came meanwhile in one transaction
 *
 * A line that came before is not taken twice. With ROWS each line becomes so many rows, each in a table of its own, as in a server
 * that keeps more than the line. Listens on a free port of this machine, and prints it.
 */
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "limit.h"
#include "lines.h"

struct request {
  char *body;
  size_t size, room;
  int lines, is_stored;
  struct MHD_Connection *connection;
  struct request *next;
};

enum { ROW_LIMIT = 32 };

struct writer {
  sqlite3_stmt *begin, *inserts[ROW_LIMIT], *commit;
  int rows;
};

static struct writer writer;
static int is_group;

/* What waits for the writer, and what guards it. */
static struct request *waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;

static sqlite3_stmt *create_table(sqlite3 *store, int number) {
  char sql[200];
  snprintf(sql, sizeof sql,
           "CREATE TABLE lines_%d (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL)",
           number);
  execute(store, sql);
  snprintf(sql, sizeof sql, "INSERT OR IGNORE INTO lines_%d (id, body) VALUES (?, ?)", number);
  return prepare(store, sql);
}

static struct writer open_writer(const char *path, int rows) {
  sqlite3 *store = open_store(path);
  struct writer writer = {.begin = prepare(store, "BEGIN IMMEDIATE"), .commit = prepare(store, "COMMIT"), .rows = rows};
  for (int number = 0; number < rows; number++) writer.inserts[number] = create_table(store, number);
  return writer;
}

static void insert_line(const char *line, size_t length) {
  for (int number = 0; number < writer.rows; number++) {
    sqlite3_stmt *insert = writer.inserts[number];
    sqlite3_bind_text(insert, 1, line + ID_PLACE, ID_LENGTH, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, line, length, SQLITE_STATIC);
    run(insert);
  }
}

static void insert_lines(struct request *request) {
  char *end = request->body + request->size, *newline;
  for (char *line = request->body; (newline = memchr(line, '\n', end - line)); line = newline + 1) {
    insert_line(line, newline - line);
    request->lines++;
  }
}

/* Commits a list of requests together. */
static void store_requests(struct request *first) {
  run(writer.begin);
  for (struct request *request = first; request; request = request->next) insert_lines(request);
  run(writer.commit);
}

_Noreturn static void *write_groups(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (!waiting) pthread_cond_wait(&arrival, &lock);
    struct request *group = waiting;
    waiting = NULL;
    pthread_mutex_unlock(&lock);
    store_requests(group);
    for (struct request *request = group, *next; request; request = next) {
      next = request->next;
      MHD_resume_connection(request->connection);
    }
  }
}

static void wait_for_group(struct request *request) {
  MHD_suspend_connection(request->connection);
  pthread_mutex_lock(&lock);
  request->next = waiting;
  waiting = request;
  pthread_cond_signal(&arrival);
  pthread_mutex_unlock(&lock);
}

static void append(struct request *request, const char *data, size_t size) {
  if (request->size + size > request->room) {
    request->room = (request->size + size) * 2;
    request->body = realloc(request->body, request->room);
    if (!request->body) fail("memory", "there is none");
  }
  memcpy(request->body + request->size, data, size);
  request->size += size;
}

static enum MHD_Result answer(struct request *request) {
  char text[64];
  int length = snprintf(text, sizeof text, "{\"acked\":%d}", request->lines);
  struct MHD_Response *response = MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_COPY);
  enum MHD_Result result = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *data, size_t *size, void **state) {
  (void)unused, (void)path, (void)method, (void)version;
  struct request *request = *state;
  if (!request) {
    request = *state = allocate(1, sizeof *request);
    request->connection = connection;
    return MHD_YES;
  }
  if (*size) {
    append(request, data, *size);
    *size = 0;
    return MHD_YES;
  }
  if (request->is_stored) return answer(request);
  request->is_stored = 1;
  if (is_group) {
    wait_for_group(request);
    return MHD_YES;
  }
  store_requests(request);
  return answer(request);
}

static void forget(void *unused, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
  (void)unused, (void)connection, (void)code;
  struct request *request = *state;
  if (request) free(request->body);
  free(request);
  *state = NULL;
}

int main(int count, char **arguments) {
  int rows = count == 4 ? atoi(arguments[3]) : 1;
  if (count < 3 || rows < 1 || rows > ROW_LIMIT) fail("usage", "line-server FILE single|group [ROWS]");
  signal(SIGPIPE, SIG_IGN);
  is_group = strcmp(arguments[2], "group") == 0;
  writer = open_writer(arguments[1], rows);
  pthread_t thread;
  if (is_group) pthread_create(&thread, NULL, write_groups, NULL);
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO | (is_group ? MHD_ALLOW_SUSPEND_RESUME : 0);
  struct MHD_Daemon *daemon =
      MHD_start_daemon(flags, 0, NULL, NULL, handle, NULL, MHD_OPTION_NOTIFY_COMPLETED, forget, NULL,
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)262144, MHD_OPTION_END);
  if (!daemon) fail("line-server", "it cannot listen");
  printf("%d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  pause();
  return 0;
}
