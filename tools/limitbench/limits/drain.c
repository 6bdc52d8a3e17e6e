/*
 * Empties a durable queue over one connection: reads a batch, sends it, and deletes it in one durable transaction when it was
 * acknowledged.
 *
 *   drain URL FILE BATCH COUNT
 *
 * Fills the queue first, untimed. Prints the mutations a second.
 */
#include <curl/curl.h>
#include <string.h>

#include "limit.h"
#include "lines.h"

struct queue {
  sqlite3 *store;
  sqlite3_stmt *select, *remove;
};

/* Lines to send, and where they stand in the queue. */
struct batch {
  char *body;
  size_t size;
  long first, last;
  int lines;
};

struct answer {
  char text[256];
  size_t size;
};

static struct queue fill(const char *path, long count) {
  sqlite3 *store = open_store(path);
  execute(store, "CREATE TABLE mutations (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL)");
  execute(store, "BEGIN");
  sqlite3_stmt *insert = prepare(store, "INSERT INTO mutations (id, body) VALUES (?, ?)");
  for (long number = 0; number < count; number++) {
    char id[ID_SIZE], line[LINE_LIMIT];
    make_id(id, number);
    write_line(line, id);
    bind_text(insert, 1, id);
    bind_text(insert, 2, line);
    run(insert);
  }
  execute(store, "COMMIT; PRAGMA wal_checkpoint (TRUNCATE)");
  return (struct queue){
      .store = store,
      .select = prepare(store, "SELECT sequence, body FROM mutations ORDER BY sequence LIMIT ?"),
      .remove = prepare(store, "DELETE FROM mutations WHERE sequence BETWEEN ? AND ?"),
  };
}

static void read_batch(struct queue *queue, struct batch *batch, int limit) {
  batch->size = batch->lines = 0;
  sqlite3_bind_int(queue->select, 1, limit);
  while (sqlite3_step(queue->select) == SQLITE_ROW) {
    batch->last = sqlite3_column_int64(queue->select, 0);
    if (!batch->lines++) batch->first = batch->last;
    int size = sqlite3_column_bytes(queue->select, 1);
    memcpy(batch->body + batch->size, sqlite3_column_text(queue->select, 1), size);
    batch->size += size;
  }
  sqlite3_reset(queue->select);
}

static void remove_batch(struct queue *queue, const struct batch *batch) {
  sqlite3_bind_int64(queue->remove, 1, batch->first);
  sqlite3_bind_int64(queue->remove, 2, batch->last);
  run(queue->remove);
}

static size_t keep(char *data, size_t size, size_t count, void *state) {
  struct answer *answer = state;
  size_t length = size * count, room = sizeof answer->text - 1 - answer->size;
  memcpy(answer->text + answer->size, data, length < room ? length : room);
  answer->size += length < room ? length : room;
  answer->text[answer->size] = 0;
  return length;
}

static CURL *connection_to(const char *url, struct answer *answer) {
  CURL *connection = curl_easy_init();
  curl_easy_setopt(connection, CURLOPT_URL, url);
  curl_easy_setopt(connection, CURLOPT_HTTPHEADER, curl_slist_append(NULL, "Expect:"));
  curl_easy_setopt(connection, CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(connection, CURLOPT_WRITEDATA, answer);
  return connection;
}

static void send_batch(CURL *connection, const struct batch *batch, struct answer *answer) {
  int acknowledged = 0;
  answer->size = 0;
  curl_easy_setopt(connection, CURLOPT_POSTFIELDS, batch->body);
  curl_easy_setopt(connection, CURLOPT_POSTFIELDSIZE, (long)batch->size);
  CURLcode code = curl_easy_perform(connection);
  if (code != CURLE_OK) fail("drain", curl_easy_strerror(code));
  if (sscanf(answer->text, "{\"acked\":%d", &acknowledged) != 1 || acknowledged != batch->lines) fail("drain", answer->text);
}

int main(int count, char **arguments) {
  int limit = count == 5 ? atoi(arguments[3]) : 0;
  long mutations = count == 5 ? atol(arguments[4]) : 0;
  if (limit < 1 || mutations < 1) fail("usage", "drain URL FILE BATCH COUNT");
  struct queue queue = fill(arguments[2], mutations);
  struct answer answer = {.size = 0};
  struct batch batch = {.body = allocate(limit, LINE_LIMIT)};
  CURL *connection = connection_to(arguments[1], &answer);
  double start = seconds_now();
  for (read_batch(&queue, &batch, limit); batch.lines; read_batch(&queue, &batch, limit)) {
    send_batch(connection, &batch, &answer);
    remove_batch(&queue, &batch);
  }
  printf("{\"per_second\":%.0f}\n", mutations / (seconds_now() - start));
  return 0;
}
