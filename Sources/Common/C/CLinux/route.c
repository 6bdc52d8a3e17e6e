#define _GNU_SOURCE
#include "route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int size_of(int family) { return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0; }

/* Whether the interface is up and has a carrier; 0 where it is gone meanwhile. */
static int works(int interface) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  if (!if_indextoname((unsigned)interface, request.ifr_name)) return 0;
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return 0;
  int result = ioctl(any, SIOCGIFFLAGS, &request);
  close(any);
  return result == 0 && (request.ifr_flags & IFF_UP) && (request.ifr_flags & IFF_RUNNING);
}

static void take(const struct rtattr *attribute, int size, lifesignal_route *route) {
  const void *data = RTA_DATA(attribute);
  int length = (int)RTA_PAYLOAD(attribute);
  if (attribute->rta_type == RTA_OIF && length == sizeof route->interface) memcpy(&route->interface, data, sizeof route->interface);
  if (attribute->rta_type == RTA_PREFSRC && length == size) memcpy(route->source, data, (size_t)size);
  if (attribute->rta_type == RTA_GATEWAY && length == size) memcpy(route->gateway, data, (size_t)size);
}

static int ask(int netlink, int family, const uint8_t *address, lifesignal_route *route) {
  int size = size_of(family);
  struct {
    struct nlmsghdr header;
    struct rtmsg message;
    char room[64];
  } request;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.message);
  request.header.nlmsg_type = RTM_GETROUTE;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.message.rtm_family = (unsigned char)family;
  request.message.rtm_dst_len = (unsigned char)(size * 8);
  struct rtattr *destination = (struct rtattr *)((char *)&request + NLMSG_ALIGN(request.header.nlmsg_len));
  destination->rta_type = RTA_DST;
  destination->rta_len = (unsigned short)RTA_LENGTH(size);
  memcpy(RTA_DATA(destination), address, (size_t)size);
  request.header.nlmsg_len = NLMSG_ALIGN(request.header.nlmsg_len) + RTA_SPACE(size);
  if (send(netlink, &request, request.header.nlmsg_len, 0) < 0) return -1;

  char answer[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
  ssize_t length = recv(netlink, answer, sizeof answer, 0);
  if (length < 0) return -1;
  const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
  if (!NLMSG_OK(header, (size_t)length)) return -1;
  /* An error is that there is no route. */
  if (header->nlmsg_type != RTM_NEWROUTE) return 0;
  const struct rtmsg *message = NLMSG_DATA(header);
  if (message->rtm_type != RTN_UNICAST && message->rtm_type != RTN_LOCAL) return 0;
  int rest = (int)RTM_PAYLOAD(header);
  for (const struct rtattr *attribute = RTM_RTA(message); RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest))
    take(attribute, size, route);
  route->works = works(route->interface);
  return 0;
}

int lifesignal_route_to(int family, const uint8_t *address, lifesignal_route *route) {
  memset(route, 0, sizeof *route);
  if (!size_of(family)) return -1;
  int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (netlink < 0) return -1;
  int result = ask(netlink, family, address, route);
  int error = errno;
  close(netlink);
  errno = error;
  return result;
}
