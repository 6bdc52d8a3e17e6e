/* What the limit programs share: a clock, percentiles, and calls of SQLite that must succeed. */
#ifndef LIMIT_H
#define LIMIT_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

_Noreturn static inline void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static inline void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) fail("memory", "there is none");
  return memory;
}

static inline int ascending(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return difference < 0 ? -1 : difference > 0;
}

/* Sorts seconds and prints their median and 99th percentile in microseconds, as members of a JSON object. */
static inline void print_percentiles(double *seconds, size_t count) {
  qsort(seconds, count, sizeof *seconds, ascending);
  printf("\"p50_us\":%.1f,\"p99_us\":%.1f", seconds[count / 2] * 1e6, seconds[count * 99 / 100] * 1e6);
}

static inline void check(sqlite3 *store, int code) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) fail("SQLite", sqlite3_errmsg(store));
}

/* Durable as our stores are: each commit is synced. */
static inline sqlite3 *open_store(const char *path) {
  sqlite3 *store;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  check(store, sqlite3_open_v2(path, &store, flags, NULL));
  check(store, sqlite3_exec(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", NULL, NULL, NULL));
  return store;
}

static inline void execute(sqlite3 *store, const char *sql) { check(store, sqlite3_exec(store, sql, NULL, NULL, NULL)); }

static inline sqlite3_stmt *prepare(sqlite3 *store, const char *sql) {
  sqlite3_stmt *statement;
  check(store, sqlite3_prepare_v3(store, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
  return statement;
}

/* Runs a statement that gives no rows. */
static inline void run(sqlite3_stmt *statement) {
  check(sqlite3_db_handle(statement), sqlite3_step(statement));
  sqlite3_reset(statement);
}

static inline void bind_text(sqlite3_stmt *statement, int place, const char *text) {
  sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

enum { ID_SIZE = 37 };

/* An id of version 7, as devices make them: different for each number, in their order. So an index grows at its end, which is the least
   work; ids in no order would cost a limit more than they cost us. */
static inline void make_id(char *id, unsigned long number) {
  unsigned long milliseconds = 1700000000000UL + number;
  snprintf(id, ID_SIZE, "%08lx-%04lx-7%03lx-8000-%012lx", milliseconds >> 16 & 0xffffffffUL, milliseconds & 0xffff, number & 0xfff,
           number & 0xffffffffffffUL);
}

#endif
