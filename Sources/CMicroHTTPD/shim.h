#ifndef LIFESIGNAL_CMICROHTTPD_SHIM_H
#define LIFESIGNAL_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#endif
