#ifndef LIFESIGNAL_CSODIUM_SHIM_H
#define LIFESIGNAL_CSODIUM_SHIM_H

#include <sodium.h>

#endif
