#ifndef LIFESIGNAL_FILESYSTEM_H
#define LIFESIGNAL_FILESYSTEM_H

#include <stdint.h>

/** The type of the filesystem that holds `path`, as statfs(2) numbers them, into `type`; 0, or -1 with errno. */
int lifesignal_filesystem_type(const char *path, uint32_t *type);

/** pipe2(2) with O_CLOEXEC: the reading end first; 0, or -1 with errno. */
int lifesignal_pipe(int ends[2]);

/** Renames `from` to `to`, which must not be there (renameat2(2), RENAME_NOREPLACE); 0, or -1 with errno. */
int lifesignal_rename_new(const char *from, const char *to);

/* A mark on an open file that others can see without taking anything: an open file description lock (fcntl(2)), which is
   independent of flock(2). It goes when it is removed, or when the file is closed by all processes that have it open. */

/** Sets it; 0, or -1 and errno. */
int lifesignal_mark(int descriptor);

/** The same, where several open files may have the mark at once. */
int lifesignal_mark_shared(int descriptor);

/** Removes it; 0, or -1 and errno. */
int lifesignal_unmark(int descriptor);

/** 1 where another open file has it, 0 where none has, -1 and errno where that cannot be told. */
int lifesignal_is_marked(int descriptor);

#endif
