#ifndef LIFESIGNAL_PHONE_PLUGIN_H
#define LIFESIGNAL_PHONE_PLUGIN_H

#include "phone_number.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The table of the plug-in's functions; found by name, see `LIFESIGNAL_PHONE_ENTRY`. */
__attribute__((visibility("default"))) const lifesignal_phone_functions *lifesignal_phone_plugin_functions_2(void);

#ifdef __cplusplus
}
#endif

#endif
