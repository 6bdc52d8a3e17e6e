#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Preloaded by tools/closes: reports every close(2) of a descriptor that is not open. The file was closed before; with other
 * timing the call would close another file that has reused the number.
 *
 * Reports go to one file per process in the folder LIFESIGNAL_CLOSE_REPORTS, from this package's programs only: the toolchain
 * inherits the environment too.
 */

static const char *folder;

static int is_ours(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *suffix = strrchr(name, '.');
  return strncmp(name, "lifesignal", 10) == 0 || (suffix && strcmp(suffix, ".xctest") == 0);
}

__attribute__((constructor)) static void start(void) {
  const char *name = getenv("LIFESIGNAL_CLOSE_REPORTS");
  if (!name || !is_ours()) return;
  /* The first call loads a library, which must not happen inside of close. */
  void *frame[1];
  (void)backtrace(frame, 1);
  folder = name;
}

static void report(int descriptor) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, (int)getpid());
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  dprintf(file, "close(%d): this descriptor is not open\n", descriptor);
  void *frames[64];
  int count = backtrace(frames, 64);
  backtrace_symbols_fd(frames, count, file);
  dprintf(file, "\n");
  syscall(SYS_close, file);
}

int close(int descriptor) {
  int result = (int)syscall(SYS_close, descriptor);
  /* A negative number never closes anything. */
  if (result != 0 && errno == EBADF && descriptor >= 0 && folder) {
    report(descriptor);
    errno = EBADF;
  }
  return result;
}
