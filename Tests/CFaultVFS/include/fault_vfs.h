#ifndef LIFESIGNAL_FAULT_VFS_H
#define LIFESIGNAL_FAULT_VFS_H

/** What happens to the operations of a fault VFS that change a file: write, sync, truncate. */
typedef struct lifesignal_fault_vfs lifesignal_fault_vfs;

/**
 * Registers a VFS of this name over the default one; it is never taken away. `name` is copied. NULL without memory.
 */
lifesignal_fault_vfs *lifesignal_fault_vfs_register(const char *name);

/**
 * Lets the operation number `at`, counted from 0 from now on, fail with the SQLite code `code`, and all behind it where
 * `forever`. A negative `at` lets none fail. Where `applies`, the failing operation is done all the same.
 */
void lifesignal_fault_vfs_arm(lifesignal_fault_vfs *vfs, long at, int code, int forever, int applies);

/** How many operations there were since the last arming. */
long lifesignal_fault_vfs_count(const lifesignal_fault_vfs *vfs);

#endif
