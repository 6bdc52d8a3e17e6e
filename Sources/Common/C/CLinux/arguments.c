#include "process.h"

static int count = 0;
static char **words = 0;

/* glibc calls constructors with main's arguments. Swift's own list of them is read from /proc, which may not be mounted. */
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  words = argv;
}

int lifesignal_argument_count(void) { return count; }

const char *lifesignal_argument(int index) { return index >= 0 && index < count ? words[index] : 0; }
