/*
 * Reads the 50 newest alerts, again and again, and copies what it reads.
 *
 *   page plain FILE COUNT     of the tables of bulk.c
 *   page device STORE COUNT   of a device's store, with the statement that the device has for it
 *
 * Prints what one page takes.
 */
#include <string.h>

#include "limit.h"

enum { PAGE_SIZE = 50, TEXT_LIMIT = 3 };

static const char *const plain =
    "SELECT id, title, body, severity, created_at, version FROM alerts ORDER BY created_at DESC, id LIMIT 50";
static const char *const device =
    "SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, discarded_at, list_order"
    " FROM alerts WHERE only_contact IS NULL ORDER BY list_order DESC LIMIT 50";

struct row {
  char *texts[TEXT_LIMIT];
  long numbers;
};

/* Copies a row as a program that shows it has to: its texts are its own. */
static struct row copy_row(sqlite3_stmt *statement) {
  struct row row = {{NULL}, 0};
  int texts = 0;
  for (int column = 0; column < sqlite3_column_count(statement); column++) {
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT) {
      row.numbers += sqlite3_column_int64(statement, column);
    } else if (texts < TEXT_LIMIT) {
      row.texts[texts++] = strdup((const char *)sqlite3_column_text(statement, column));
    }
  }
  return row;
}

static long read_page(sqlite3_stmt *statement) {
  struct row rows[PAGE_SIZE];
  long count = 0, sum = 0;
  while (count < PAGE_SIZE && sqlite3_step(statement) == SQLITE_ROW) rows[count++] = copy_row(statement);
  sqlite3_reset(statement);
  if (count != PAGE_SIZE) fail("page", "there are fewer than 50 alerts");
  for (long index = 0; index < count; index++) {
    sum += rows[index].numbers;
    for (int text = 0; text < TEXT_LIMIT; text++) free(rows[index].texts[text]);
  }
  return sum;
}

int main(int count, char **arguments) {
  long pages = count == 4 ? atol(arguments[3]) : 0;
  if (pages < 1) fail("usage", "page plain|device FILE COUNT");
  sqlite3 *store = open_store(arguments[2]);
  sqlite3_stmt *statement = prepare(store, strcmp(arguments[1], "device") == 0 ? device : plain);
  double *seconds = allocate(pages, sizeof *seconds);
  long sum = 0;
  for (long page = 0; page < pages; page++) {
    double start = seconds_now();
    sum += read_page(statement);
    seconds[page] = seconds_now() - start;
  }
  printf("{\"sum\":%ld,", sum);
  print_percentiles(seconds, pages);
  printf("}\n");
  return 0;
}
