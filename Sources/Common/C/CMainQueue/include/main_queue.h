#ifndef LIFESIGNAL_MAIN_QUEUE_H
#define LIFESIGNAL_MAIN_QUEUE_H

/**
 * Runs the blocks of the main dispatch queue on this thread, which must be the main one, until the process ends.
 *
 * `dispatch_main` would run them on other threads, which lack the separate stack of the crash handler; Foundation's run loop would
 * add 45 MB.
 */
_Noreturn void lifesignal_run_main_queue(void);

#endif
