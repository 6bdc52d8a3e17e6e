/*
 * Inserts alerts as fast as SQLite takes them.
 *
 *   bulk FILE ROWS ROWS_PER_TRANSACTION
 *
 * Prints the rows a second, with the last commit.
 */
#include "alerts.h"

static double fill(const char *path, long rows, long rows_per_transaction) {
  sqlite3 *store = open_store(path);
  create_tables(store);
  sqlite3_stmt *insert = prepare_alert(store);
  double start = seconds_now();
  for (long number = 0; number < rows; number++) {
    char id[ID_SIZE];
    make_id(id, number);
    if (number % rows_per_transaction == 0) execute(store, "BEGIN IMMEDIATE");
    insert_alert(insert, id, number);
    if ((number + 1) % rows_per_transaction == 0 || number + 1 == rows) execute(store, "COMMIT");
  }
  return rows / (seconds_now() - start);
}

int main(int count, char **arguments) {
  long rows = count == 4 ? atol(arguments[2]) : 0, rows_per_transaction = count == 4 ? atol(arguments[3]) : 0;
  if (rows < 1 || rows_per_transaction < 1) fail("usage", "bulk FILE ROWS ROWS_PER_TRANSACTION");
  printf("{\"rows_per_second\":%.0f}\n", fill(arguments[1], rows, rows_per_transaction));
  return 0;
}
