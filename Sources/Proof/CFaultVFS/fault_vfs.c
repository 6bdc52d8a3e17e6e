#include "fault_vfs.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault_journal.h"

/** A process of the machine. Numbers are reused: a file carries the life that its process had at opening. */
typedef struct {
  long life;
  int is_killed;
  /** The changing operations until it is killed; negative: unlimited. */
  long left;
} fault_process;

struct lifesignal_fault_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *real;
  // Faults, for several threads.
  atomic_long count;
  atomic_long at;
  atomic_int code;
  atomic_int forever;
  atomic_int applies;
  atomic_long struck;
  atomic_long syncs;
  /** The reads until the failing one; negative: none fails. */
  atomic_long reads_left;
  // Processes and power, for one thread.
  fault_process processes[LIFESIGNAL_FAULT_PROCESSES];
  int process;
  /** Files that were opened before the last power cut or reset are dead. */
  long boot;
  int is_cut;
  long left;
  int keeps;
  fault_disk_file *files;
  fault_losses losses;
};

/** An open file, followed in memory by the real one. */
typedef struct {
  sqlite3_file base;
  lifesignal_fault_vfs *vfs;
  int process;
  long life;
  long boot;
  /** The record of its unsynced changes; NULL if there is none yet. */
  fault_disk_file *disk_file;
  /** Owned by SQLite until the file is closed. NULL for a temporary file. */
  const char *name;
  int is_database;
  int is_new;
  dev_t device;
  ino_t inode;
} fault_file;

static sqlite3_file *real_of(sqlite3_file *file) {
  return (sqlite3_file *)((char *)file + ((sizeof(fault_file) + 7) & ~7UL));
}

// Faults and deaths.

/** The code with which this operation fails, or SQLITE_OK. */
static int strike(lifesignal_fault_vfs *vfs) {
  long number = atomic_fetch_add(&vfs->count, 1);
  long at = atomic_load(&vfs->at);
  if (at < 0 || number < at || (number > at && !atomic_load(&vfs->forever))) return SQLITE_OK;
  atomic_fetch_add(&vfs->struck, 1);
  return atomic_load(&vfs->code);
}

/** Whether the machine or this life of the process is dead. */
static int is_dead(const lifesignal_fault_vfs *vfs, int process, long life, long boot) {
  const fault_process *owner = &vfs->processes[process];
  return vfs->is_cut || boot != vfs->boot || life != owner->life || owner->is_killed;
}

/** Counts down; true if none was left. */
static int runs_out(long *left) {
  if (*left < 0) return 0;
  return (*left)-- == 0;
}

/** Whether the machine or the process is dead, or dies before this changing operation. */
static int stops(lifesignal_fault_vfs *vfs, int process, long life, long boot) {
  if (is_dead(vfs, process, life, boot)) return 1;
  if (runs_out(&vfs->left)) vfs->is_cut = 1;
  if (runs_out(&vfs->processes[process].left)) vfs->processes[process].is_killed = 1;
  return is_dead(vfs, process, life, boot);
}

static int file_stops(sqlite3_file *base) {
  fault_file *file = (fault_file *)base;
  return stops(file->vfs, file->process, file->life, file->boot);
}

int lifesignal_fault_vfs_operation(lifesignal_fault_vfs *vfs, int process) {
  return stops(vfs, process, vfs->processes[process].life, vfs->boot) ? -1 : strike(vfs);
}

static int applies(sqlite3_file *file) { return atomic_load(&((fault_file *)file)->vfs->applies); }

/** Sets `out` to the file whose changes are to be recorded, or NULL if none are. False on an error. */
static int remembered(sqlite3_file *base, fault_disk_file **out) {
  fault_file *file = (fault_file *)base;
  *out = NULL;
  if (!file->vfs->keeps || file->name == NULL) return 1;
  if (file->disk_file == NULL) {
    file->disk_file = fault_disk_file_find(
        &file->vfs->files, file->name, file->device, file->inode, file->is_database, file->is_new);
  }
  *out = file->disk_file;
  return file->disk_file != NULL;
}

// Changing operations of a file.

#define REAL(call) (real_of(file)->pMethods->call)

static int write_and_remember(sqlite3_file *file, const void *from, int count, sqlite3_int64 offset) {
  fault_disk_file *disk_file;
  if (!remembered(file, &disk_file)) return SQLITE_IOERR;
  if (disk_file != NULL && !fault_note_write(disk_file, from, count, offset)) return SQLITE_IOERR;
  return REAL(xWrite)(real_of(file), from, count, offset);
}

static int vfs_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 offset) {
  if (file_stops(file)) return SQLITE_IOERR;
  int code = strike(((fault_file *)file)->vfs);
  if (code == SQLITE_OK) return write_and_remember(file, from, count, offset);
  // A torn write: the first half arrives.
  write_and_remember(file, from, applies(file) ? count : count / 2, offset);
  return code;
}

static int vfs_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (file_stops(file)) return SQLITE_IOERR;
  int code = strike(((fault_file *)file)->vfs);
  if (code != SQLITE_OK) return code;
  fault_disk_file *disk_file;
  if (!remembered(file, &disk_file)) return SQLITE_IOERR;
  if (disk_file != NULL && !fault_note_truncate(disk_file, size)) return SQLITE_IOERR;
  return REAL(xTruncate)(real_of(file), size);
}

static int vfs_sync(sqlite3_file *file, int flags) {
  (void)flags;
  if (file_stops(file)) return SQLITE_IOERR;
  lifesignal_fault_vfs *vfs = ((fault_file *)file)->vfs;
  int code = strike(vfs);
  if (code != SQLITE_OK && !applies(file)) return code;
  fault_disk_file *disk_file;
  if (!remembered(file, &disk_file)) return SQLITE_IOERR;
  if (disk_file != NULL) fault_note_sync(disk_file);
  atomic_fetch_add(&vfs->syncs, 1);
  return code;
}

// Other operations of a file.

static int vfs_close(sqlite3_file *file) { return REAL(xClose)(real_of(file)); }
static int vfs_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
  atomic_long *left = &((fault_file *)file)->vfs->reads_left;
  if (atomic_load(left) >= 0 && atomic_fetch_sub(left, 1) == 0) return SQLITE_IOERR_CORRUPTFS;
  return REAL(xRead)(real_of(file), to, count, offset);
}
static int vfs_size(sqlite3_file *file, sqlite3_int64 *size) { return REAL(xFileSize)(real_of(file), size); }
static int vfs_lock(sqlite3_file *file, int level) { return REAL(xLock)(real_of(file), level); }
static int vfs_unlock(sqlite3_file *file, int level) { return REAL(xUnlock)(real_of(file), level); }
static int vfs_reserved(sqlite3_file *file, int *out) { return REAL(xCheckReservedLock)(real_of(file), out); }
static int vfs_control(sqlite3_file *file, int op, void *arg) { return REAL(xFileControl)(real_of(file), op, arg); }
static int vfs_sector(sqlite3_file *file) { return REAL(xSectorSize)(real_of(file)); }
static int vfs_device(sqlite3_file *file) { return REAL(xDeviceCharacteristics)(real_of(file)); }
static int vfs_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  return REAL(xShmMap)(real_of(file), page, size, extend, out);
}
static int vfs_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return REAL(xShmLock)(real_of(file), offset, count, flags);
}
static void vfs_shm_barrier(sqlite3_file *file) { REAL(xShmBarrier)(real_of(file)); }
static int vfs_shm_unmap(sqlite3_file *file, int delete_flag) { return REAL(xShmUnmap)(real_of(file), delete_flag); }

static const sqlite3_io_methods methods = {
    // No memory mapping, which would bypass this VFS.
    .iVersion = 2,
    .xClose = vfs_close,
    .xRead = vfs_read,
    .xWrite = vfs_write,
    .xTruncate = vfs_truncate,
    .xSync = vfs_sync,
    .xFileSize = vfs_size,
    .xLock = vfs_lock,
    .xUnlock = vfs_unlock,
    .xCheckReservedLock = vfs_reserved,
    .xFileControl = vfs_control,
    .xSectorSize = vfs_sector,
    .xDeviceCharacteristics = vfs_device,
    .xShmMap = vfs_shm_map,
    .xShmLock = vfs_shm_lock,
    .xShmBarrier = vfs_shm_barrier,
    .xShmUnmap = vfs_shm_unmap,
};

// Operations of the disk.

static int vfs_open(sqlite3_vfs *base, const char *name, sqlite3_file *opened, int flags, int *out) {
  lifesignal_fault_vfs *vfs = (lifesignal_fault_vfs *)base;
  fault_file *file = (fault_file *)opened;
  memset(file, 0, sizeof *file);
  file->vfs = vfs;
  file->process = vfs->process;
  file->life = vfs->processes[vfs->process].life;
  file->boot = vfs->boot;
  if (is_dead(vfs, file->process, file->life, file->boot)) return SQLITE_CANTOPEN;
  int code = strike(vfs);
  if (code != SQLITE_OK) return code;
  struct stat status;
  file->is_new = vfs->keeps && name != NULL && stat(name, &status) != 0;
  int granted = 0;
  code = vfs->real->xOpen(vfs->real, name, real_of(opened), flags, &granted);
  if (out != NULL) *out = granted;
  if (code != SQLITE_OK) return code;
  opened->pMethods = &methods;
  if (name != NULL && (granted & SQLITE_OPEN_READWRITE) != 0 && stat(name, &status) == 0) {
    file->name = name;
    file->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    fault_disk_file *disk_file;
    if (!remembered(opened, &disk_file)) {
      vfs_close(opened);
      opened->pMethods = NULL;
      return SQLITE_CANTOPEN;
    }
  }
  return SQLITE_OK;
}

/** A deletion is durable at once, and drops the file's unsynced changes. */
static int vfs_delete(sqlite3_vfs *base, const char *name, int syncs_folder) {
  lifesignal_fault_vfs *vfs = (lifesignal_fault_vfs *)base;
  if (stops(vfs, vfs->process, vfs->processes[vfs->process].life, vfs->boot)) return SQLITE_IOERR;
  int code = strike(vfs);
  return code != SQLITE_OK ? code : vfs->real->xDelete(vfs->real, name, syncs_folder);
}

/**
 * As the programs do before their first connection (`lifesignal_sqlite3_start_small`): in tests nobody knows which one is the first, and
 * once SQLite is in use it refuses. Otherwise each allocation of two tests at a time takes the same lock.
 */
__attribute__((constructor)) static void start_small(void) {
  sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

lifesignal_fault_vfs *lifesignal_fault_vfs_register(const char *name) {
  sqlite3_vfs *real = sqlite3_vfs_find(NULL);
  lifesignal_fault_vfs *vfs = calloc(1, sizeof *vfs);
  if (vfs == NULL || real == NULL) return NULL;
  vfs->base = *real;
  vfs->base.pNext = NULL;
  vfs->base.zName = strdup(name);
  vfs->base.szOsFile = (int)((sizeof(fault_file) + 7) & ~7UL) + real->szOsFile;
  vfs->base.xOpen = vfs_open;
  vfs->base.xDelete = vfs_delete;
  vfs->real = real;
  lifesignal_fault_vfs_reset(vfs);
  return sqlite3_vfs_register(&vfs->base, 0) == SQLITE_OK ? vfs : NULL;
}

// The interface.

/** Marks all open files as dead. */
static void boot(lifesignal_fault_vfs *vfs) {
  fault_disk_files_free(&vfs->files);
  vfs->boot++;
  vfs->is_cut = 0;
  vfs->left = -1;
  vfs->process = 0;
  for (int process = 0; process < LIFESIGNAL_FAULT_PROCESSES; process++) {
    vfs->processes[process] = (fault_process){.left = -1};
  }
}

void lifesignal_fault_vfs_reset(lifesignal_fault_vfs *vfs) {
  lifesignal_fault_vfs_arm(vfs, -1, SQLITE_OK, 0, 0);
  lifesignal_fault_vfs_fail_read(vfs, -1);
  boot(vfs);
}

void lifesignal_fault_vfs_arm(lifesignal_fault_vfs *vfs, long at, int code, int forever, int applies) {
  atomic_store(&vfs->count, 0);
  atomic_store(&vfs->code, code);
  atomic_store(&vfs->forever, forever);
  atomic_store(&vfs->applies, applies);
  atomic_store(&vfs->at, at);
}

void lifesignal_fault_vfs_fail_read(lifesignal_fault_vfs *vfs, long at) { atomic_store(&vfs->reads_left, at); }

int lifesignal_fault_vfs_will_fail_read(const lifesignal_fault_vfs *vfs) { return atomic_load(&vfs->reads_left) >= 0; }

long lifesignal_fault_vfs_count(const lifesignal_fault_vfs *vfs) { return atomic_load(&vfs->count); }
long lifesignal_fault_vfs_struck(const lifesignal_fault_vfs *vfs) { return atomic_load(&vfs->struck); }
long lifesignal_fault_vfs_syncs(const lifesignal_fault_vfs *vfs) { return atomic_load(&vfs->syncs); }

void lifesignal_fault_vfs_set_process(lifesignal_fault_vfs *vfs, int process) {
  vfs->process = process;
  fault_process *owner = &vfs->processes[process];
  if (owner->is_killed) *owner = (fault_process){.life = owner->life + 1, .left = -1};
}

void lifesignal_fault_vfs_kill(lifesignal_fault_vfs *vfs, int process) { vfs->processes[process].is_killed = 1; }

void lifesignal_fault_vfs_kill_at(lifesignal_fault_vfs *vfs, int process, long operation) {
  vfs->processes[process].left = operation;
}

int lifesignal_fault_vfs_is_killed(const lifesignal_fault_vfs *vfs, int process) {
  return vfs->processes[process].is_killed;
}

void lifesignal_fault_vfs_keep_unsynced(lifesignal_fault_vfs *vfs, int keeps) { vfs->keeps = keeps; }
void lifesignal_fault_vfs_cut_at(lifesignal_fault_vfs *vfs, long operation) { vfs->left = operation; }
int lifesignal_fault_vfs_is_cut(const lifesignal_fault_vfs *vfs) { return vfs->is_cut; }
long lifesignal_fault_vfs_lost(const lifesignal_fault_vfs *vfs) { return vfs->losses.lost; }
long lifesignal_fault_vfs_torn(const lifesignal_fault_vfs *vfs) { return vfs->losses.torn; }

static int remove_shared_memory(const fault_disk_file *file) {
  char name[4096];
  if (!file->is_database) return 1;
  int length = snprintf(name, sizeof name, "%s-shm", file->name);
  if (length < 0 || (size_t)length >= sizeof name) return 0;
  return unlink(name) == 0 || access(name, F_OK) != 0;
}

long lifesignal_fault_vfs_power_cut(lifesignal_fault_vfs *vfs, uint64_t seed) {
  fault_losses losses = {0, 0};
  int is_well = 1;
  for (fault_disk_file *file = vfs->files; file != NULL; file = file->next) {
    is_well = fault_lose_unsynced(file, &seed, &losses) && remove_shared_memory(file) && is_well;
  }
  boot(vfs);
  vfs->losses.lost += losses.lost;
  vfs->losses.torn += losses.torn;
  return is_well ? losses.lost + losses.torn : -1;
}
