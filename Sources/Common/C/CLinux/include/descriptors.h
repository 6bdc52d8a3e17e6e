#ifndef LIFESIGNAL_DESCRIPTORS_H
#define LIFESIGNAL_DESCRIPTORS_H

#include <stdint.h>

/* Descriptors to wait for: those of Linux that Swift cannot import. All are close-on-exec and do not block; -1 and
   errno where one cannot be made. */

/** Readable once the time that lifesignal_timer_set named has come, which goes on while the machine sleeps. */
int lifesignal_timer_open(void);

/** Milliseconds from now; below 0 is never. Forgets the time named before. 0, or -1 and errno. */
int lifesignal_timer_set(int timer, int64_t milliseconds);

/** Readable when SIGTERM, SIGINT or SIGHUP came. Blocks these in the calling thread, and ignores SIGPIPE everywhere. */
int lifesignal_signals_open(void);

/** Takes the next signal; 0 where there is none. */
int lifesignal_signals_next(int signals);

/** Readable when a link, an address or a route changed: a netlink socket (rtnetlink(7)). */
int lifesignal_network_open(void);

/** Reads and forgets all that waits. */
void lifesignal_drain(int descriptor);

#endif
