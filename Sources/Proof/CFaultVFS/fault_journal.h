#ifndef LIFESIGNAL_FAULT_JOURNAL_H
#define LIFESIGNAL_FAULT_JOURNAL_H

#include <stdint.h>
#include <sys/types.h>

/** One unsynced write or truncation. */
typedef struct fault_change {
  int truncates;
  /** Where it begins; of a truncation, the size that it leaves. */
  int64_t offset;
  int64_t count;
  /** `count` bytes as they were before, zero where the file ended; and as they were written, which a truncation has not. */
  unsigned char *old_bytes;
  unsigned char *new_bytes;
} fault_change;

/** One file of the disk, and what of it is not synced: shared by all who have it open, and kept when they close it. */
typedef struct fault_disk_file {
  struct fault_disk_file *next;
  /** A descriptor of our own. It is closed after all connections: closing it takes SQLite's locks on the file away. */
  int descriptor;
  dev_t device;
  ino_t inode;
  char *name;
  int is_database;
  /** It was made since the last power cut, and no sync has made its name durable yet. */
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

/** The file of this identity in the list, or a new one at its end. NULL without memory, or where `name` is another file now. */
fault_disk_file *fault_disk_file_find(
    fault_disk_file **list, const char *name, dev_t device, ino_t inode, int is_database, int is_new);

/** Closes and forgets them all. */
void fault_disk_files_free(fault_disk_file **list);

/** To be called before the change is made. False without memory or on an error of the real disk. */
int fault_note_write(fault_disk_file *file, const void *bytes, int64_t count, int64_t offset);
int fault_note_truncate(fault_disk_file *file, int64_t size);

/** All changes so far are durable. */
void fault_note_sync(fault_disk_file *file);

/** Makes the file what the disk holds after a power cut. False on an error of the real disk. */
int fault_lose_unsynced(fault_disk_file *file, uint64_t *random, fault_losses *losses);

#endif
