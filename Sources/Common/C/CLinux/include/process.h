#ifndef LIFESIGNAL_PROCESS_H
#define LIFESIGNAL_PROCESS_H

/**
 * Keeps this process's memory, which holds tokens and codes, out of core dumps, and away from other processes of the same user
 * (prctl(2), PR_SET_DUMPABLE). Programs that it becomes or starts inherit the limit and not the flag: each calls this first.
 *
 * A library must not call it: the process is its host's.
 */
void lifesignal_forbid_core_dumps(void);

/* The words that this process was started with, its own name first. They are known without /proc. */

int lifesignal_argument_count(void);

/** Ends in a zero byte and lives as long as the process; a null pointer where there is no such word. */
const char *lifesignal_argument(int index);

#endif
