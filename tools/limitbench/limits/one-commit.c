/*
 * Starts, opens a store, commits one durable row, and ends: the least that a command does that saves something.
 *
 *   one-commit FILE
 */
#include "limit.h"

int main(int count, char **arguments) {
  if (count != 2) fail("usage", "one-commit FILE");
  sqlite3 *store = open_store(arguments[1]);
  execute(store, "CREATE TABLE IF NOT EXISTS mutations (sequence INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL)");
  execute(store, "INSERT INTO mutations (body) VALUES ('{\"op\":\"create\"}')");
  sqlite3_close(store);
  return 0;
}
