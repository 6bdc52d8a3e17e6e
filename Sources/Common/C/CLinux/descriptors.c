#define _GNU_SOURCE
#include "descriptors.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int lifesignal_timer_open(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int lifesignal_timer_set(int timer, int64_t milliseconds) {
  struct itimerspec time = {{0, 0}, {0, 0}};
  if (milliseconds == 0) time.it_value.tv_nsec = 1; /* All zero would be never. */
  if (milliseconds > 0) {
    time.it_value.tv_sec = milliseconds / 1000;
    time.it_value.tv_nsec = milliseconds % 1000 * 1000000;
  }
  return timerfd_settime(timer, 0, &time, NULL);
}

int lifesignal_signals_open(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error) {
    errno = error;
    return -1;
  }
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int lifesignal_signals_next(int signals) {
  struct signalfd_siginfo info;
  return read(signals, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

int lifesignal_network_open(void) {
  int network = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (network < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR |
                                             RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
  if (bind(network, (struct sockaddr *)&address, sizeof address) == 0) return network;
  int error = errno;
  close(network);
  errno = error;
  return -1;
}

void lifesignal_drain(int descriptor) {
  char buffer[4096];
  while (read(descriptor, buffer, sizeof buffer) > 0) {
  }
}
