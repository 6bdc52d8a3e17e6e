#ifndef LIFESIGNAL_THREADS_H
#define LIFESIGNAL_THREADS_H

#include <pthread.h>
#include <stdint.h>

/** Locks the mutex, and gives up when CLOCK_MONOTONIC reads `milliseconds`; 0, or an error number. */
int lifesignal_mutex_lock_until(pthread_mutex_t *mutex, int64_t milliseconds);

/** Names the calling thread, for those who look at the process: at most 15 bytes. */
void lifesignal_name_thread(const char *name);

#endif
