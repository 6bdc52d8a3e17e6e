#define _GNU_SOURCE
#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void lifesignal_forbid_core_dumps(void) {
  // The flag stops dumps that are piped into a program too, which ignore the limit. Neither call can fail with these values.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
}

static int count;
static char **words;

/* The C library hands the program's arguments to its constructors too. */
__attribute__((constructor)) static void keep_arguments(int argc, char **argv, char **environment) {
  (void)environment;
  count = argc;
  words = argv;
}

int lifesignal_argument_count(void) { return count; }

const char *lifesignal_argument(int index) { return index >= 0 && index < count ? words[index] : 0; }

const char *lifesignal_started_path(void) { return (const char *)getauxval(AT_EXECFN); }

/* posix_spawn(3) runs nothing of this process between the fork and the new program, so other threads cannot harm it. */
static int describe_detached(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
  for (int stream = 0; stream <= 2; stream++) {
    int error = posix_spawn_file_actions_addopen(actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
    if (error) return error;
  }
  int error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  if (!error) error = posix_spawn_file_actions_addchdir_np(actions, "/");
  sigset_t signals;
  sigfillset(&signals);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &signals);
  sigemptyset(&signals);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &signals);
  if (error) return error;
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int lifesignal_start_detached(const char *path, char *const words[], int *id) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = describe_detached(&actions, &attributes);
    if (!error) error = posix_spawn(id, path, &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}
