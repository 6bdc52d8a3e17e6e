#ifndef LIFESIGNAL_FAULT_VFS_H
#define LIFESIGNAL_FAULT_VFS_H

#include <stdint.h>

/**
 * One machine's disk as SQLite sees it: real files whose writes, truncations, syncs and deletions fail on demand, and which
 * lose what was not synced when the power is cut.
 *
 * Nothing is really synced: a sync is counted, and protects earlier writes from a power cut.
 */
typedef struct lifesignal_fault_vfs lifesignal_fault_vfs;

/**
 * Registers a VFS of this name over the default one. It cannot be unregistered. Copies `name`. NULL without memory.
 */
lifesignal_fault_vfs *lifesignal_fault_vfs_register(const char *name);

/**
 * Resets files, processes and faults, so that the VFS can be reused. Keeps the setting for unsynced writes, the counts since
 * registration, and the files on the real disk.
 */
void lifesignal_fault_vfs_reset(lifesignal_fault_vfs *vfs);

// Failing operations.

/**
 * Makes operation number `at`, counted from 0 from now, fail with the SQLite code `code`; with `forever` also all later ones.
 * A negative `at` makes none fail. With `applies` the failing operation is carried out all the same; otherwise a write does its
 * first half, and any other operation nothing. Opening a file counts as an operation, and is never carried out if it fails.
 */
void lifesignal_fault_vfs_arm(lifesignal_fault_vfs *vfs, long at, int code, int forever, int applies);

/**
 * Makes read number `at`, counted from 0 from now, fail with SQLITE_IOERR_READ, as after EIO. Reads do not count as operations.
 * A negative `at` makes none fail.
 */
void lifesignal_fault_vfs_fail_read(lifesignal_fault_vfs *vfs, long at);

/** Whether that read is still to come. */
int lifesignal_fault_vfs_will_fail_read(const lifesignal_fault_vfs *vfs);

/** The number of operations since the last arming. */
long lifesignal_fault_vfs_count(const lifesignal_fault_vfs *vfs);

/** The number of operations made to fail since registration. */
long lifesignal_fault_vfs_struck(const lifesignal_fault_vfs *vfs);

/** Syncs counted since registration. */
long lifesignal_fault_vfs_syncs(const lifesignal_fault_vfs *vfs);

// Processes.

enum { LIFESIGNAL_FAULT_PROCESSES = 64 };

/**
 * Files opened from now on belong to this process, 0…63 (initially 0). If it was killed, this starts a new process of the same
 * number: files opened before stay dead.
 */
void lifesignal_fault_vfs_set_process(lifesignal_fault_vfs *vfs, int process);

/**
 * Kills the process: changes to its open files (write, truncate, sync, and checkpoints on close) do nothing and fail with
 * SQLITE_IOERR, and it opens no more files. Reading, closing and unlocking still work.
 */
void lifesignal_fault_vfs_kill(lifesignal_fault_vfs *vfs, int process);

/** Kills one process before its changing operation number `operation`, counted from 0 from now; never if negative. */
void lifesignal_fault_vfs_kill_at(lifesignal_fault_vfs *vfs, int process, long operation);

/** Whether it was killed and its number not reused. */
int lifesignal_fault_vfs_is_killed(const lifesignal_fault_vfs *vfs, int process);

/**
 * Counts an operation of this process on a file outside of SQLite. 0 if it is to be carried out, the SQLite code with which it
 * fails, or -1 if the process or the machine is dead or dies before it.
 */
int lifesignal_fault_vfs_operation(lifesignal_fault_vfs *vfs, int process);

// Power.

/**
 * With `keeps`, records the old and new bytes of unsynced writes and truncations until a power cut or a reset. Without, a power
 * cut changes nothing.
 */
void lifesignal_fault_vfs_keep_unsynced(lifesignal_fault_vfs *vfs, int keeps);

/**
 * Cuts the power before the changing operation number `operation`, counted from 0 from now; never if negative. That one and all
 * later ones, of all processes, do nothing and fail, and no file can be opened.
 */
void lifesignal_fault_vfs_cut_at(lifesignal_fault_vfs *vfs, long operation);

int lifesignal_fault_vfs_is_cut(const lifesignal_fault_vfs *vfs);

/**
 * Makes the files what a disk holds after a power cut: everything synced, and of the rest a part in an order that `seed` chooses,
 * torn at 512 bytes; sizes likewise. All connections must be closed. Removes the -shm file, and resets processes, cuts and the
 * record of unsynced writes. Returns the number of unsynced writes that were lost or torn; negative on an error of the real disk.
 */
long lifesignal_fault_vfs_power_cut(lifesignal_fault_vfs *vfs, uint64_t seed);

/** Unsynced writes and truncations that power cuts lost since registration. */
long lifesignal_fault_vfs_lost(const lifesignal_fault_vfs *vfs);

/** Unsynced writes that power cuts tore since registration. */
long lifesignal_fault_vfs_torn(const lifesignal_fault_vfs *vfs);

#endif
