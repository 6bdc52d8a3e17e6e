/*
 * Starts, makes the reads of a device's store that `lifesignal alert status` makes where no alert is active, and ends.
 *
 *   status STORE
 */
#include "limit.h"

/* The newest alert's id is the parameter of those that have one. */
static const char *const reads[] = {
    "SELECT key, value FROM sync_state",
    "SELECT (SELECT count(*) FROM pending_mutations WHERE sequence < 2305843009213693952),"
    " (SELECT count(*) FROM pending_mutations INDEXED BY pending_mutations_routine WHERE lane = 'routine'),"
    " (SELECT count(*) FROM pending_notifications),"
    " (SELECT count(*) FROM pending_mutations INDEXED BY pending_mutations_parked WHERE parked_at IS NOT NULL)"
    " + (SELECT count(*) FROM pending_notifications INDEXED BY pending_notifications_parked WHERE parked_at IS NOT NULL)",
    "SELECT max(coalesce((SELECT max(sequence) FROM pending_mutations WHERE sequence < 2305843009213693952), 0),"
    " coalesce((SELECT max(sequence) FROM pending_notifications), 0))",
    "SELECT max(sequence) FROM pending_mutations WHERE sequence > 2305843009213693952",
    "SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at FROM alerts INDEXED BY alerts_active"
    " WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL ORDER BY drill, list_order LIMIT 1",
    "SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at FROM alerts"
    " WHERE discarded_at IS NULL AND only_contact IS NULL ORDER BY list_order DESC LIMIT 1",
    "SELECT id, started_at, ended_at, message, latitude, longitude, drill, discarded_at FROM alerts"
    " WHERE only_contact IS NULL ORDER BY list_order DESC LIMIT 1",
    "SELECT id, contact_id, contact_name, notice, channel, state, at, reason FROM receipts WHERE alert_id = ?"
    " ORDER BY contact_name, id",
    "SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_updates WHERE entity_id = ? AND kind = 'alert.update' LIMIT 1",
    "SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_entity WHERE entity_id = ? AND kind = 'alert.deactivate'",
    "SELECT id, accepted_at FROM presses WHERE alert_id = ? AND accepted_at IS NOT NULL"
    " ORDER BY accepted_at DESC, number DESC LIMIT 1",
    "SELECT update_id, update_body FROM alerts WHERE id = ? AND update_body IS NOT NULL",
};

static void read_newest_id(sqlite3 *store, char *id) {
  sqlite3_stmt *newest = prepare(store, "SELECT id FROM alerts ORDER BY list_order DESC LIMIT 1");
  check(store, sqlite3_step(newest));
  snprintf(id, ID_SIZE, "%s", (const char *)sqlite3_column_text(newest, 0));
  sqlite3_finalize(newest);
}

static long read_all(sqlite3 *store, const char *sql, const char *id) {
  long bytes = 0;
  sqlite3_stmt *statement = prepare(store, sql);
  if (sqlite3_bind_parameter_count(statement)) bind_text(statement, 1, id);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int column = 0; column < sqlite3_column_count(statement); column++) bytes += sqlite3_column_bytes(statement, column);
  }
  sqlite3_finalize(statement);
  return bytes;
}

int main(int count, char **arguments) {
  if (count != 2) fail("usage", "status STORE");
  sqlite3 *store = open_store(arguments[1]);
  char id[ID_SIZE];
  long bytes = 0;
  execute(store, "BEGIN");
  read_newest_id(store, id);
  for (size_t index = 0; index < sizeof reads / sizeof *reads; index++) bytes += read_all(store, reads[index], id);
  execute(store, "COMMIT");
  printf("%ld bytes\n", bytes);
  sqlite3_close(store);
  return 0;
}
