#ifndef LIFESIGNAL_FILESYSTEM_H
#define LIFESIGNAL_FILESYSTEM_H

#include <stdint.h>

/** The type of the filesystem that holds `path`, as statfs(2) numbers them, into `type`; 0, or -1 with errno. */
int lifesignal_filesystem_type(const char *path, uint32_t *type);

/** pipe2(2) with O_CLOEXEC: the reading end first; 0, or -1 with errno. */
int lifesignal_pipe(int ends[2]);

#endif
