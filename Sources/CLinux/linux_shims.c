#include "linux_shims.h"
