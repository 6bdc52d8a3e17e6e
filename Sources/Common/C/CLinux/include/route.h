#ifndef LIFESIGNAL_ROUTE_H
#define LIFESIGNAL_ROUTE_H

#include <stddef.h>
#include <stdint.h>

/** How this machine would reach an address now. All zero where it would not. */
typedef struct {
  /** Of the interface. */
  int32_t interface;
  /** Whether it is up and has a carrier. */
  int32_t works;
  /** Of this machine, and of the next hop, in network order, as long as the family has them. */
  uint8_t source[16];
  uint8_t gateway[16];
} lifesignal_route;

/** Asks the kernel for the route to `address`, 4 bytes of AF_INET or 16 of AF_INET6. 0, or -1 where it cannot be asked. */
int lifesignal_route_to(int family, const uint8_t *address, lifesignal_route *route);

#endif
