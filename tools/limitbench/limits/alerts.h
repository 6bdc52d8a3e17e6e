/* The tables of a device in their smallest form, and the alert that the limit programs write. */
#ifndef ALERTS_H
#define ALERTS_H

#include "limit.h"

static const long first_time = 1700000000000;
static const char *const message = "Door sensor at the north gate reports open for more than five minutes";

static inline void create_tables(sqlite3 *store) {
  execute(store,
          "CREATE TABLE IF NOT EXISTS alerts (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,"
          "  severity INTEGER NOT NULL, created_at INTEGER NOT NULL, version INTEGER NOT NULL);"
          "CREATE INDEX IF NOT EXISTS alerts_created ON alerts (created_at DESC, id);"
          "CREATE TABLE IF NOT EXISTS mutations (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
          "  alert_id TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,"
          "  created_at INTEGER NOT NULL);"
          "CREATE TABLE IF NOT EXISTS notifications (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL,"
          "  alert_id TEXT NOT NULL, kind TEXT NOT NULL, created_at INTEGER NOT NULL)");
}

static inline sqlite3_stmt *prepare_alert(sqlite3 *store) {
  return prepare(store, "INSERT INTO alerts (id, title, body, severity, created_at, version) VALUES (?, ?, ?, ?, ?, 1)");
}

static inline void insert_alert(sqlite3_stmt *insert, const char *id, long number) {
  char title[40];
  snprintf(title, sizeof title, "Alert number %ld", number);
  bind_text(insert, 1, id);
  bind_text(insert, 2, title);
  bind_text(insert, 3, message);
  sqlite3_bind_int64(insert, 4, number % 4);
  sqlite3_bind_int64(insert, 5, first_time + number);
  run(insert);
}

#endif
