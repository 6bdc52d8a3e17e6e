#define _GNU_SOURCE
#include "process.h"

#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

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
