#include "include/main_queue.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* What libdispatch has for run loops, as CoreFoundation uses it (dispatch's private headers): an eventfd, which does not block and is
   readable while the main queue has blocks, and a call that runs them. */
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);

_Noreturn void lifesignal_run_main_queue(void) {
  struct pollfd queue = {.fd = _dispatch_get_main_queue_handle_4CF(), .events = POLLIN};
  for (;;) {
    while (poll(&queue, 1, -1) < 0 && errno == EINTR) {
    }
    // Cleared before the blocks run, so that one that arrives meanwhile makes it readable again.
    uint64_t count;
    while (read(queue.fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
    _dispatch_main_queue_callback_4CF(NULL);
  }
}
