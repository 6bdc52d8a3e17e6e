#define _GNU_SOURCE
#include "filesystem.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

int lifesignal_filesystem_type(const char *path, uint32_t *type) {
  struct statfs status;
  if (statfs(path, &status) != 0) return -1;
  *type = (uint32_t)status.f_type;
  return 0;
}

int lifesignal_rename_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int lifesignal_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
