#define _GNU_SOURCE
#include "threads.h"

#include <time.h>

void lifesignal_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int lifesignal_mutex_lock_until(pthread_mutex_t *mutex, int64_t milliseconds) {
  struct timespec end = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
  return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end);
}
