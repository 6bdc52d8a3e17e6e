#ifndef LIFESIGNAL_SPAWN_ACTIONS_H
#define LIFESIGNAL_SPAWN_ACTIONS_H

#include <spawn.h>

/**
 * Makes the started program inherit only its three standard streams (posix_spawn_file_actions_addclosefrom_np(3), which Swift
 * cannot import). Returns 0 or an errno value.
 */
int lifesignal_close_all_but_standard(posix_spawn_file_actions_t *actions);

#endif
