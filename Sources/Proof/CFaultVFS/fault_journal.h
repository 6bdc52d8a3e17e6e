#ifndef LIFESIGNAL_FAULT_JOURNAL_H
#define LIFESIGNAL_FAULT_JOURNAL_H

#include <stdint.h>
#include <sys/types.h>

/** One unsynced write or truncation. */
typedef struct fault_change {
  int truncates;
  /** The start of a write, or the new size of a truncation. */
  int64_t offset;
  int64_t count;
  /** `count` bytes before the change (zero beyond the file's end), and after it (NULL for a truncation). */
  unsigned char *old_bytes;
  unsigned char *new_bytes;
} fault_change;

/** A file of the disk and its unsynced changes. Shared by everyone who has it open, and kept after they close it. */
typedef struct fault_disk_file {
  struct fault_disk_file *next;
  /** Our own descriptor. Closed after all connections, since closing it releases SQLite's POSIX locks on the file. */
  int descriptor;
  dev_t device;
  ino_t inode;
  char *name;
  int is_database;
  /** Created since the last power cut, with a name that no sync has made durable. */
  int is_new;
  int64_t synced_size;
  fault_change *changes;
  long count;
  long capacity;
} fault_disk_file;

typedef struct fault_losses {
  long lost;
  long torn;
} fault_losses;

/** The list's file with this identity, or a new one at its end. NULL without memory, or if `name` is another file now. */
fault_disk_file *fault_disk_file_find(
    fault_disk_file **list, const char *name, dev_t device, ino_t inode, int is_database, int is_new);

/** Closes and frees them all. */
void fault_disk_files_free(fault_disk_file **list);

/** Record a change; called before it is made. False without memory or on an error of the real disk. */
int fault_note_write(fault_disk_file *file, const void *bytes, int64_t count, int64_t offset);
int fault_note_truncate(fault_disk_file *file, int64_t size);

/** Marks all changes so far as durable. */
void fault_note_sync(fault_disk_file *file);

/** Makes the file what the disk holds after a power cut. False on an error of the real disk. */
int fault_lose_unsynced(fault_disk_file *file, uint64_t *random, fault_losses *losses);

#endif
