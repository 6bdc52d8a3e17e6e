#include "process.h"

#include <sys/prctl.h>
#include <sys/resource.h>

void lifesignal_forbid_core_dumps(void) {
  // The flag stops dumps that are piped into a program too, which ignore the limit. Neither call can fail with these values.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
}
