#include "fault_dump.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/** Adds one row: its values as SQL literals. */
static void add_row(sqlite3_str *text, const char *table, sqlite3_stmt *row) {
  sqlite3_str_appendf(text, "%s:", table);
  for (int column = 0; column < sqlite3_column_count(row); column++) {
    const unsigned char *bytes;
    int count;
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
      sqlite3_str_appendall(text, " NULL");
      break;
    case SQLITE_BLOB:
      bytes = sqlite3_column_blob(row, column);
      count = sqlite3_column_bytes(row, column);
      sqlite3_str_appendall(text, " x'");
      for (int index = 0; index < count; index++) {
        sqlite3_str_appendchar(text, 1, "0123456789abcdef"[bytes[index] >> 4]);
        sqlite3_str_appendchar(text, 1, "0123456789abcdef"[bytes[index] & 15]);
      }
      sqlite3_str_appendall(text, "'");
      break;
    case SQLITE_TEXT:
      sqlite3_str_appendf(text, " %Q", sqlite3_column_text(row, column));
      break;
    default:
      sqlite3_str_appendf(text, " %s", sqlite3_column_text(row, column));
    }
  }
  sqlite3_str_appendchar(text, 1, '\n');
}

static int add_rows(sqlite3_str *text, sqlite3 *database, const char *table, const char *sql, const char *ignored_key) {
  sqlite3_stmt *row = NULL;
  int code = sqlite3_prepare_v2(database, sql, -1, &row, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    const char *key = sqlite3_column_type(row, 0) == SQLITE_TEXT ? (const char *)sqlite3_column_text(row, 0) : "";
    if (ignored_key == NULL || strcmp(key, ignored_key) != 0) add_row(text, table, row);
    code = SQLITE_OK;
  }
  sqlite3_finalize(row);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int add_tables(sqlite3_str *text, sqlite3 *database, const char *ignored_key) {
  sqlite3_stmt *table = NULL;
  int code = sqlite3_prepare_v2(
      database, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", -1, &table, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(table)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(table, 0);
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
    code = sql == NULL ? SQLITE_NOMEM : add_rows(text, database, name, sql, ignored_key);
    sqlite3_free(sql);
  }
  sqlite3_finalize(table);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int add_all(sqlite3_str *text, sqlite3 *database, const char *ignored_key) {
  int code = sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  if (code == SQLITE_OK) code = add_rows(text, database, "wrong", "PRAGMA foreign_key_check", NULL);
  if (code == SQLITE_OK) code = add_rows(text, database, "wrong", "PRAGMA integrity_check", "ok");
  return code == SQLITE_OK ? add_tables(text, database, ignored_key) : code;
}

char *lifesignal_fault_dump(const char *path, const char *vfs, const char *ignored_key, int *code) {
  sqlite3 *database = NULL;
  sqlite3_str *text = sqlite3_str_new(NULL);
  *code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, vfs);
  if (*code == SQLITE_OK) *code = add_all(text, database, ignored_key);
  sqlite3_close(database);
  char *bytes = sqlite3_str_finish(text);
  char *result = *code == SQLITE_OK && bytes != NULL ? strdup(bytes) : NULL;
  sqlite3_free(bytes);
  return result;
}
