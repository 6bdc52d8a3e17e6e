#ifndef LIFESIGNAL_FAULT_DUMP_H
#define LIFESIGNAL_FAULT_DUMP_H

/**
 * Returns the whole content of a database as text, one line per row, for comparison: first the findings of
 * `PRAGMA integrity_check` and `PRAGMA foreign_key_check`, then all tables by name. Rows whose first column is the text
 * `ignored_key` are left out. Reads through the VFS `vfs` (NULL for the default one) and writes nothing.
 *
 * The caller frees the text. NULL on an error, with SQLite's code in `code`.
 */
char *lifesignal_fault_dump(const char *path, const char *vfs, const char *ignored_key, int *code);

#endif
