#ifndef LIFESIGNAL_FAULT_VFS_H
#define LIFESIGNAL_FAULT_VFS_H

#include <stdint.h>

/**
 * One machine's disk, as SQLite sees it: real files underneath, whose writes, truncations, syncs and deletions fail on demand,
 * and which forget what was not synced when the power is cut.
 *
 * Nothing is synced for real: a sync is counted, and means that a power cut keeps what was written before it.
 */
typedef struct lifesignal_fault_vfs lifesignal_fault_vfs;

/**
 * Registers a VFS of this name over the default one; it is never taken away. `name` is copied. NULL without memory.
 */
lifesignal_fault_vfs *lifesignal_fault_vfs_register(const char *name);

/**
 * Forgets everything (files, processes, faults), for the next run: VFS names are never taken away, so they are used again.
 * Whether unsynced writes are kept stays as it is, and so do the counts since registration. The files are left as they are.
 */
void lifesignal_fault_vfs_reset(lifesignal_fault_vfs *vfs);

// Operations that fail.

/**
 * Lets the operation number `at`, counted from 0 from now on, fail with the SQLite code `code`, and all behind it where
 * `forever`. A negative `at` lets none fail. Where `applies`, the failing operation is done all the same; else a write does
 * its first half, and another operation nothing. Opening a file is such an operation too, and is never done when it fails.
 */
void lifesignal_fault_vfs_arm(lifesignal_fault_vfs *vfs, long at, int code, int forever, int applies);

/**
 * Lets the read number `at`, counted from 0 from now on, fail as SQLite's own disk fails where the machine's does (EIO). Reads
 * are none of the operations that are counted otherwise. A negative `at` lets none fail.
 */
void lifesignal_fault_vfs_fail_read(lifesignal_fault_vfs *vfs, long at);

/** Whether that read is still to come. */
int lifesignal_fault_vfs_will_fail_read(const lifesignal_fault_vfs *vfs);

/** How many operations there were since the last arming. */
long lifesignal_fault_vfs_count(const lifesignal_fault_vfs *vfs);

/** How many operations were made to fail since registration. */
long lifesignal_fault_vfs_struck(const lifesignal_fault_vfs *vfs);

/** Syncs counted since registration. */
long lifesignal_fault_vfs_syncs(const lifesignal_fault_vfs *vfs);

// Processes.

enum { LIFESIGNAL_FAULT_PROCESSES = 64 };

/**
 * Files opened from now on belong to this process, 0…63 (0 at first). Where that one was killed it is a new one of the same
 * number: files opened before stay dead.
 */
void lifesignal_fault_vfs_set_process(lifesignal_fault_vfs *vfs, int process);

/**
 * The process is dead: whatever its open files are still asked to change (write, truncate, sync, and checkpoints on close)
 * does nothing and fails with SQLITE_IOERR, and it opens no more files; reading, closing and unlocking work.
 */
void lifesignal_fault_vfs_kill(lifesignal_fault_vfs *vfs, int process);

/** Kills one process before its changing operation number `operation`, counted from 0 from now on; negative: never. */
void lifesignal_fault_vfs_kill_at(lifesignal_fault_vfs *vfs, int process, long operation);

/** Whether it was killed and its number not given to a new one. */
int lifesignal_fault_vfs_is_killed(const lifesignal_fault_vfs *vfs, int process);

/**
 * Counts an operation of this process on a file that is none of SQLite's: 0 where it is to be done, the SQLite code with which it
 * fails, or -1 where the process or the machine is dead, or dies before it.
 */
int lifesignal_fault_vfs_operation(lifesignal_fault_vfs *vfs, int process);

// Power.

/**
 * From now on writes and truncations that no sync has covered are remembered per file (old and new bytes), until a power cut
 * or a reset. Without it they are not, and a power cut changes nothing.
 */
void lifesignal_fault_vfs_keep_unsynced(lifesignal_fault_vfs *vfs, int keeps);

/**
 * The power fails before the changing operation number `operation`, counted from 0 from now on; negative: never. It and all
 * after it, of all processes, do nothing and fail, and no file is opened any more.
 */
void lifesignal_fault_vfs_cut_at(lifesignal_fault_vfs *vfs, long operation);

int lifesignal_fault_vfs_is_cut(const lifesignal_fault_vfs *vfs);

/**
 * After all connections are closed: makes the files what a disk holds after a power cut: what was synced, and of the rest a
 * random part in a random order, torn at 512 bytes, chosen by `seed`; sizes likewise. Removes the -shm file. Forgets what it
 * remembered, and all processes and cuts; usable anew afterwards. Returns how many unsynced writes were lost or torn, negative
 * on an error of the real disk.
 */
long lifesignal_fault_vfs_power_cut(lifesignal_fault_vfs *vfs, uint64_t seed);

/** Unsynced writes and truncations of which a power cut left nothing, since registration. */
long lifesignal_fault_vfs_lost(const lifesignal_fault_vfs *vfs);

/** Unsynced writes of which a power cut left a part, since registration. */
long lifesignal_fault_vfs_torn(const lifesignal_fault_vfs *vfs);

#endif
