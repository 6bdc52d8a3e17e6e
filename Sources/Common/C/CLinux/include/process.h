#ifndef LIFESIGNAL_PROCESS_H
#define LIFESIGNAL_PROCESS_H

/**
 * Keeps this process's memory, which holds tokens and codes, out of core dumps, and away from other processes of the same user
 * (prctl(2), PR_SET_DUMPABLE). Programs that it becomes or starts inherit the limit and not the flag: each calls this first.
 *
 * A library must not call it: the process is its host's.
 */
void lifesignal_forbid_core_dumps(void);

/** How many arguments the program was started with, its name included. Swift asks /proc, which may not be mounted. */
int lifesignal_argument_count(void);

/** The argument at index, 0 being the program's name; NULL beyond the last. For as long as the process lives. */
const char *lifesignal_argument(int index);

/** The path that the kernel was given to start this program (getauxval(3), AT_EXECFN), which needs no /proc; NULL if unknown. */
const char *lifesignal_started_path(void);

/**
 * Starts the program at path with these words, of which the first is its name and NULL the last, to go on after this one has ended: in a
 * session of its own, in the folder "/", with /dev/null as its three standard streams, and without any other open file, blocked
 * signal or signal handler of this process. 0 and its id, or an error number.
 */
int lifesignal_start_detached(const char *path, char *const words[], int *id);

#endif
