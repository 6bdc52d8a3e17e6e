#define _GNU_SOURCE
#include "filesystem.h"

#include <fcntl.h>
#include <unistd.h>

static struct flock whole_file(short type) { return (struct flock){.l_type = type, .l_whence = SEEK_SET}; }

int lifesignal_mark(int descriptor) {
  struct flock lock = whole_file(F_WRLCK);
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int lifesignal_mark_shared(int descriptor) {
  struct flock lock = whole_file(F_RDLCK);
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int lifesignal_unmark(int descriptor) {
  struct flock lock = whole_file(F_UNLCK);
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int lifesignal_is_marked(int descriptor) {
  struct flock lock = whole_file(F_WRLCK);
  if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
  return lock.l_type != F_UNLCK;
}
