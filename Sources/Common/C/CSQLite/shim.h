#ifndef LIFESIGNAL_CSQLITE_SHIM_H
#define LIFESIGNAL_CSQLITE_SHIM_H

#include <sqlite3.h>

/* What the importer cannot see: variadic functions and macros with a cast. */

/** Binds text that SQLite copies; `length` is in bytes, without a terminator. */
static inline int lifesignal_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/** Binds bytes that SQLite copies. */
static inline int lifesignal_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/** Before the process opens its first database: no pages are allocated ahead, and allocations are not counted. Does nothing later. */
static inline void lifesignal_sqlite3_start_small(void) {
  if (sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0) == SQLITE_OK) sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/** Turns off the checkpoint that closing the last connection would run, outside any lock of ours. */
static inline int lifesignal_sqlite3_no_checkpoint_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/** Lets a file be read that is shorter than its header says: SQLite refuses it otherwise. */
static inline int lifesignal_sqlite3_writable_schema(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, (int *)0);
}

/** Refuses the statements with which a hostile file or query could corrupt the database. */
static inline int lifesignal_sqlite3_defensive(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/** Enforces foreign keys. */
static inline int lifesignal_sqlite3_enforce_foreign_keys(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)0);
}

/** Lets the schema of the file call only functions that are known to be harmless. */
static inline int lifesignal_sqlite3_distrust_schema(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

#endif
