#ifndef LIFESIGNAL_SPAWN_ACTIONS_H
#define LIFESIGNAL_SPAWN_ACTIONS_H

#include <spawn.h>

/**
 * Has a program that is started begin with nothing open but its three standard streams (posix_spawn_file_actions_addclosefrom_np(3),
 * which Swift cannot import). 0, or what errno would be.
 */
int lifesignal_close_all_but_standard(posix_spawn_file_actions_t *actions);

#endif
