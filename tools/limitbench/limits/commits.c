/*
 * Durable transactions, one after the other, by hand.
 *
 *   commits FILE COUNT two     each writes an alert and its mutation
 *   commits FILE COUNT three   each writes a notification request too, holds a file lock meanwhile, and touches a file afterwards
 *                              that another process could watch: what raising an alert has to do
 *
 * Prints the transactions a second, and what one takes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alerts.h"

struct writer {
  sqlite3_stmt *begin, *alert, *mutation, *notification, *commit;
  int lock, wake;
  int is_three;
};

static int open_beside(const char *path, const char *suffix) {
  char name[4096];
  snprintf(name, sizeof name, "%s%s", path, suffix);
  int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) fail(name, "it cannot be opened");
  return file;
}

static struct writer open_writer(const char *path, int is_three) {
  sqlite3 *store = open_store(path);
  create_tables(store);
  return (struct writer){
      .begin = prepare(store, "BEGIN IMMEDIATE"),
      .alert = prepare_alert(store),
      .mutation = prepare(store, "INSERT INTO mutations (id, alert_id, kind, body, created_at) VALUES (?, ?, ?, ?, ?)"),
      .notification = prepare(store, "INSERT INTO notifications (id, alert_id, kind, created_at) VALUES (?, ?, ?, ?)"),
      .commit = prepare(store, "COMMIT"),
      .lock = is_three ? open_beside(path, "-lock") : -1,
      .wake = is_three ? open_beside(path, "-wake") : -1,
      .is_three = is_three,
  };
}

static void insert_mutation(sqlite3_stmt *insert, const char *alert, long number) {
  char id[ID_SIZE], body[300];
  make_id(id, number + 1000000000);
  snprintf(body, sizeof body, "{\"id\":\"%s\",\"started_at\":%ld,\"message\":\"%s\",\"location\":null,\"drill\":false}", alert,
           first_time + number, message);
  bind_text(insert, 1, id);
  bind_text(insert, 2, alert);
  bind_text(insert, 3, "alert.activate");
  bind_text(insert, 4, body);
  sqlite3_bind_int64(insert, 5, first_time + number);
  run(insert);
}

static void insert_notification(sqlite3_stmt *insert, const char *alert, long number) {
  char id[ID_SIZE];
  make_id(id, number + 2000000000);
  bind_text(insert, 1, id);
  bind_text(insert, 2, alert);
  bind_text(insert, 3, "activated");
  sqlite3_bind_int64(insert, 4, first_time + number);
  run(insert);
}

static void write_alert(struct writer *writer, long number) {
  char id[ID_SIZE];
  make_id(id, number);
  run(writer->begin);
  insert_alert(writer->alert, id, number);
  insert_mutation(writer->mutation, id, number);
  if (writer->is_three) insert_notification(writer->notification, id, number);
  run(writer->commit);
}

static void write_alert_locked(struct writer *writer, long number) {
  flock(writer->lock, LOCK_EX);
  write_alert(writer, number);
  flock(writer->lock, LOCK_UN);
  futimens(writer->wake, NULL);
}

/* The number of alerts of earlier runs on the same file. */
static long count_alerts(sqlite3 *store) {
  sqlite3_stmt *newest = prepare(store, "SELECT coalesce(max(rowid), 0) FROM alerts");
  check(store, sqlite3_step(newest));
  long count = sqlite3_column_int64(newest, 0);
  sqlite3_finalize(newest);
  return count;
}

int main(int count, char **arguments) {
  long transactions = count == 4 ? atol(arguments[2]) : 0;
  int is_three = count == 4 && strcmp(arguments[3], "three") == 0;
  if (transactions < 1) fail("usage", "commits FILE COUNT two|three");
  struct writer writer = open_writer(arguments[1], is_three);
  double *seconds = allocate(transactions, sizeof *seconds);
  long first = count_alerts(sqlite3_db_handle(writer.begin));
  double start = seconds_now();
  for (long number = 0; number < transactions; number++) {
    double before = seconds_now();
    (is_three ? write_alert_locked : write_alert)(&writer, first + number);
    seconds[number] = seconds_now() - before;
  }
  printf("{\"per_second\":%.0f,", transactions / (seconds_now() - start));
  print_percentiles(seconds, transactions);
  printf("}\n");
  return 0;
}
