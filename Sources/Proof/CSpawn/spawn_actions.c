#define _GNU_SOURCE
#include "spawn_actions.h"

int lifesignal_close_all_but_standard(posix_spawn_file_actions_t *actions) {
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}
