#ifndef LIFESIGNAL_FAULT_DUMP_H
#define LIFESIGNAL_FAULT_DUMP_H

/**
 * The whole content of a database as a text, one line a row, to be compared: first what `PRAGMA integrity_check` and
 * `PRAGMA foreign_key_check` find wrong, then all tables by their names. A row whose first column is the text `ignored_key` is
 * left out. The file is read through the VFS of this name, NULL is the default one, and nothing is written to it.
 *
 * Returns the text, which the caller frees, or NULL with SQLite's code in `code`.
 */
char *lifesignal_fault_dump(const char *path, const char *vfs, const char *ignored_key, int *code);

#endif
