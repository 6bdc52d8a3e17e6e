#include "fault_journal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

fault_disk_file *fault_disk_file_find(
    fault_disk_file **list, const char *name, dev_t device, ino_t inode, int is_database, int is_new) {
  while (*list != NULL) {
    if ((*list)->device == device && (*list)->inode == inode) return *list;
    list = &(*list)->next;
  }
  fault_disk_file *file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  file->name = strdup(name);
  file->descriptor = open(name, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (file->name == NULL || file->descriptor < 0 || fstat(file->descriptor, &status) != 0 || status.st_dev != device ||
      status.st_ino != inode) {
    fault_disk_files_free(&file);
    return NULL;
  }
  file->device = device;
  file->inode = inode;
  file->is_database = is_database;
  file->is_new = is_new;
  file->synced_size = is_new ? 0 : status.st_size;
  *list = file;
  return file;
}

static void forget_changes(fault_disk_file *file) {
  for (long index = 0; index < file->count; index++) {
    free(file->changes[index].old_bytes);
    free(file->changes[index].new_bytes);
  }
  file->count = 0;
}

void fault_disk_files_free(fault_disk_file **list) {
  while (*list != NULL) {
    fault_disk_file *file = *list;
    *list = file->next;
    forget_changes(file);
    free(file->changes);
    free(file->name);
    if (file->descriptor >= 0) close(file->descriptor);
    free(file);
  }
}

static int64_t size_of(const fault_disk_file *file) {
  struct stat status;
  return fstat(file->descriptor, &status) == 0 ? status.st_size : -1;
}

/** Reads `count` bytes, zero beyond the end. */
static int read_all(const fault_disk_file *file, unsigned char *to, int64_t count, int64_t offset) {
  while (count > 0) {
    ssize_t got = pread(file->descriptor, to, (size_t)count, offset);
    if (got < 0) return 0;
    if (got == 0) {
      memset(to, 0, (size_t)count);
      return 1;
    }
    to += got;
    offset += got;
    count -= got;
  }
  return 1;
}

static int write_all(const fault_disk_file *file, const unsigned char *from, int64_t count, int64_t offset) {
  while (count > 0) {
    ssize_t put = pwrite(file->descriptor, from, (size_t)count, offset);
    if (put <= 0) return 0;
    from += put;
    offset += put;
    count -= put;
  }
  return 1;
}

/** Adds a change of `count` bytes with the file's current bytes. NULL without memory or on an error of the real disk. */
static fault_change *add_change(fault_disk_file *file, int64_t count, int64_t offset) {
  if (file->count == file->capacity) {
    long capacity = file->capacity * 2 + 16;
    fault_change *changes = realloc(file->changes, (size_t)capacity * sizeof *changes);
    if (changes == NULL) return NULL;
    file->changes = changes;
    file->capacity = capacity;
  }
  unsigned char *old_bytes = malloc((size_t)count + 1);
  if (old_bytes == NULL || !read_all(file, old_bytes, count, offset)) {
    free(old_bytes);
    return NULL;
  }
  fault_change *change = &file->changes[file->count++];
  *change = (fault_change){.offset = offset, .count = count, .old_bytes = old_bytes};
  return change;
}

int fault_note_write(fault_disk_file *file, const void *bytes, int64_t count, int64_t offset) {
  unsigned char *new_bytes = malloc((size_t)count + 1);
  if (new_bytes == NULL) return 0;
  memcpy(new_bytes, bytes, (size_t)count);
  fault_change *change = add_change(file, count, offset);
  if (change == NULL) {
    free(new_bytes);
    return 0;
  }
  change->new_bytes = new_bytes;
  return 1;
}

int fault_note_truncate(fault_disk_file *file, int64_t size) {
  int64_t old_size = size_of(file);
  if (old_size < 0) return 0;
  fault_change *change = add_change(file, old_size > size ? old_size - size : 0, size);
  if (change == NULL) return 0;
  change->truncates = 1;
  return 1;
}

void fault_note_sync(fault_disk_file *file) {
  forget_changes(file);
  file->is_new = 0;
  file->synced_size = size_of(file);
}

// What a power cut leaves.

/** splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"). */
static uint64_t next(uint64_t *random) {
  uint64_t value = *random += 0x9E3779B97F4A7C15;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

static uint64_t below(uint64_t *random, uint64_t limit) { return next(random) % limit; }

/** Restores the synced contents. */
static int undo(fault_disk_file *file) {
  for (long index = file->count - 1; index >= 0; index--) {
    const fault_change *change = &file->changes[index];
    if (!write_all(file, change->old_bytes, change->count, change->offset)) return 0;
  }
  return ftruncate(file->descriptor, file->synced_size) == 0;
}

enum { SECTOR = 512 };

/** Which sectors of a torn write arrive: the first ones, the last ones, or any. */
typedef enum { FIRST_SECTORS, LAST_SECTORS, ANY_SECTORS, TEARINGS } tearing;

/** Writes some of the change's sectors. Returns the bytes written; negative on an error of the real disk. */
static int64_t redo_torn(const fault_disk_file *file, const fault_change *change, uint64_t *random) {
  int64_t end = change->offset + change->count;
  int64_t border = change->offset + (int64_t)below(random, (uint64_t)change->count + 1);
  tearing kind = (tearing)below(random, TEARINGS);
  int64_t written = 0;
  for (int64_t from = change->offset; from < end;) {
    int64_t to = (from / SECTOR + 1) * SECTOR;
    if (to > end) to = end;
    int arrives = kind == FIRST_SECTORS ? from < border : kind == LAST_SECTORS ? from >= border : below(random, 2) == 0;
    if (arrives) {
      if (!write_all(file, change->new_bytes + (from - change->offset), to - from, from)) return -1;
      written += to - from;
    }
    from = to;
  }
  return written;
}

static int redo(const fault_disk_file *file, const fault_change *change, int is_torn, uint64_t *random, fault_losses *losses) {
  if (change->truncates) return ftruncate(file->descriptor, change->offset) == 0;
  if (!is_torn) return write_all(file, change->new_bytes, change->count, change->offset);
  int64_t written = redo_torn(file, change, random);
  if (written == 0) losses->lost++;
  if (written > 0 && written < change->count) losses->torn++;
  return written >= 0;
}

/** How much of the unsynced changes had reached the disk. */
typedef enum {
  NOTHING,
  EVERYTHING,
  /** All changes up to one, which may be torn; nothing after it. */
  THE_FIRST,
  /** Any subset, in any order. */
  ANY_OF_IT,
} extent;

static extent choose_extent(uint64_t *random) {
  uint64_t number = below(random, 16);
  return number < 2 ? NOTHING : number < 3 ? EVERYTHING : number < 6 ? THE_FIRST : ANY_OF_IT;
}

static int redo_the_first(const fault_disk_file *file, uint64_t *random, fault_losses *losses) {
  long whole = (long)below(random, (uint64_t)file->count + 1);
  for (long index = 0; index < whole; index++) {
    if (!redo(file, &file->changes[index], 0, random, losses)) return 0;
  }
  if (whole == file->count) return 1;
  losses->lost += file->count - whole - 1;
  if (file->changes[whole].truncates) {
    losses->lost++;
    return 1;
  }
  return redo(file, &file->changes[whole], 1, random, losses);
}

static int redo_any(const fault_disk_file *file, uint64_t *random, fault_losses *losses) {
  long *order = malloc((size_t)file->count * sizeof *order);
  if (order == NULL) return 0;
  for (long index = 0; index < file->count; index++) {
    long other = (long)below(random, (uint64_t)index + 1);
    order[index] = order[other];
    order[other] = index;
  }
  // In eighths.
  uint64_t kept = 1 + below(random, 7);
  int is_well = 1;
  for (long index = 0; index < file->count && is_well; index++) {
    const fault_change *change = &file->changes[order[index]];
    if (below(random, 8) >= kept) {
      losses->lost++;
    } else {
      is_well = redo(file, change, below(random, 4) == 0, random, losses);
    }
  }
  free(order);
  return is_well;
}

/** The new size may reach the disk before the bytes, which then read as zeros. */
static int perhaps_grow(const fault_disk_file *file, int64_t last_size, uint64_t *random) {
  int64_t size = size_of(file);
  if (size < 0) return 0;
  return size >= last_size || below(random, 4) != 0 || ftruncate(file->descriptor, last_size) == 0;
}

/** An unsynced name may be gone. */
static int perhaps_remove(const fault_disk_file *file, uint64_t *random) {
  struct stat status;
  if (!file->is_new || below(random, 2) == 0) return 1;
  if (stat(file->name, &status) != 0 || status.st_dev != file->device || status.st_ino != file->inode) return 1;
  return unlink(file->name) == 0;
}

int fault_lose_unsynced(fault_disk_file *file, uint64_t *random, fault_losses *losses) {
  struct stat status;
  if (fstat(file->descriptor, &status) != 0) return 0;
  // Deleted. A deletion is durable at once.
  if (status.st_nlink == 0) return 1;
  if (file->count > 0) {
    if (!undo(file)) return 0;
    switch (choose_extent(random)) {
    case NOTHING:
      losses->lost += file->count;
      break;
    case EVERYTHING:
      for (long index = 0; index < file->count; index++) {
        if (!redo(file, &file->changes[index], 0, random, losses)) return 0;
      }
      break;
    case THE_FIRST:
      if (!redo_the_first(file, random, losses)) return 0;
      break;
    case ANY_OF_IT:
      if (!redo_any(file, random, losses)) return 0;
      break;
    }
    if (!perhaps_grow(file, status.st_size, random)) return 0;
  }
  return perhaps_remove(file, random);
}
