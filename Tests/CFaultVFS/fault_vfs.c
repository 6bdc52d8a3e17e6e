#include "fault_vfs.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lifesignal_fault_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *real;
  atomic_long count;
  atomic_long at;
  atomic_int code;
  atomic_int forever;
  atomic_int applies;
};

/* An open file: ours, and behind it in the same memory the real one. */
typedef struct {
  sqlite3_file base;
  lifesignal_fault_vfs *vfs;
} fault_file;

static sqlite3_file *real_of(sqlite3_file *file) {
  return (sqlite3_file *)((char *)file + ((sizeof(fault_file) + 7) & ~7UL));
}

/* The code with which this operation fails, or SQLITE_OK. */
static int strike(sqlite3_file *file) {
  lifesignal_fault_vfs *vfs = ((fault_file *)file)->vfs;
  long number = atomic_fetch_add(&vfs->count, 1);
  long at = atomic_load(&vfs->at);
  if (at < 0 || number < at || (number > at && !atomic_load(&vfs->forever))) return SQLITE_OK;
  return atomic_load(&vfs->code);
}

static int applies(sqlite3_file *file) { return atomic_load(&((fault_file *)file)->vfs->applies); }

#define REAL(call) (real_of(file)->pMethods->call)

static int vfs_close(sqlite3_file *file) { return REAL(xClose)(real_of(file)); }
static int vfs_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
  return REAL(xRead)(real_of(file), to, count, offset);
}
static int vfs_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 offset) {
  int code = strike(file);
  if (code == SQLITE_OK) return REAL(xWrite)(real_of(file), from, count, offset);
  /* A torn write: half of it is there. */
  REAL(xWrite)(real_of(file), from, applies(file) ? count : count / 2, offset);
  return code;
}
static int vfs_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = strike(file);
  return code != SQLITE_OK ? code : REAL(xTruncate)(real_of(file), size);
}
static int vfs_sync(sqlite3_file *file, int flags) {
  int code = strike(file);
  if (code == SQLITE_OK || applies(file)) {
    int result = REAL(xSync)(real_of(file), flags);
    if (code == SQLITE_OK) return result;
  }
  return code;
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

static int vfs_open(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags, int *out) {
  lifesignal_fault_vfs *vfs = (lifesignal_fault_vfs *)base;
  ((fault_file *)file)->vfs = vfs;
  file->pMethods = NULL;
  int code = vfs->real->xOpen(vfs->real, name, real_of(file), flags, out);
  if (code == SQLITE_OK) file->pMethods = &methods;
  return code;
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
  vfs->real = real;
  atomic_store(&vfs->at, -1);
  return sqlite3_vfs_register(&vfs->base, 0) == SQLITE_OK ? vfs : NULL;
}

void lifesignal_fault_vfs_arm(lifesignal_fault_vfs *vfs, long at, int code, int forever, int applies) {
  atomic_store(&vfs->count, 0);
  atomic_store(&vfs->code, code);
  atomic_store(&vfs->forever, forever);
  atomic_store(&vfs->applies, applies);
  atomic_store(&vfs->at, at);
}

long lifesignal_fault_vfs_count(const lifesignal_fault_vfs *vfs) { return atomic_load(&vfs->count); }
