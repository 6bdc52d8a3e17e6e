"""A link between two network namespaces, emulated in this process: bandwidth, queues, delay, loss, dead connections.

It moves whole IP packets between two TUN devices, so both ends are real TCP, and the kernel's traffic control is not needed.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import threading
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
TCP = 6
libc = ctypes.CDLL(None, use_errno=True)


def open_tun(namespace, name):
    """A TUN device of that name in the network namespace of the file `namespace`; returns its descriptor."""
    with open("/proc/self/task/%d/ns/net" % threading.get_native_id(), "rb") as home, open(namespace, "rb") as there:
        enter(there)
        try:
            descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
            return descriptor
        finally:
            enter(home)


def enter(file):
    """Moves the calling thread into the network namespace of the open file."""
    if libc.setns(file.fileno(), CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


class Direction:
    """One direction: a queue with a size in bytes, a line with a bit rate, then the delay."""

    def __init__(self, chance):
        self.chance = chance
        self.bits_per_second, self.delay, self.loss = None, 0.0, 0.0
        self.queue_bytes = 32 << 10
        self.free_at = 0.0
        self.dropped = self.bytes = 0

    def arrival(self, size, now):
        """When a packet of `size` bytes that enters now leaves at the other end; None if it is lost."""
        start = max(now, self.free_at)
        if self.bits_per_second:
            if (start - now) * self.bits_per_second / 8 + size > self.queue_bytes:
                self.dropped += 1
                return None
            start += size * 8 / self.bits_per_second
        self.free_at = start
        if self.chance.random() < self.loss:
            self.dropped += 1
            return None
        self.bytes += size
        return start + self.delay


class Link:
    """Both directions. `up` is from the first namespace to the second. Perfect until a fault is set."""

    def __init__(self, first, second, seed):
        self.ends = (open_tun(first, "path0"), open_tun(second, "path0"))
        self.up, self.down = Direction(random.Random(f"{seed} up")), Direction(random.Random(f"{seed} down"))
        self.seen, self.dead = set(), set()
        self._stop_reading, self._stop_writing = os.pipe()
        self._thread = threading.Thread(target=self._move, daemon=True)
        self._thread.start()

    def set(self, kilobits=None, round_trip_ms=0, loss=0.0):
        """Sets both directions."""
        for way in (self.up, self.down):
            way.bits_per_second = kilobits * 1000 if kilobits else None
            way.delay, way.loss = round_trip_ms / 2000, loss

    def kill_connections(self):
        """From now on drops the packets of every TCP connection seen so far; neither end is told."""
        self.dead = set(self.seen)

    def close(self):
        os.write(self._stop_writing, b"x")
        self._thread.join()
        for descriptor in (*self.ends, self._stop_reading, self._stop_writing):
            os.close(descriptor)

    def _move(self):
        flying, number = [], 0
        while True:
            now = time.monotonic()
            while flying and flying[0][0] <= now:
                _, _, descriptor, packet = heapq.heappop(flying)
                self._deliver(descriptor, packet)
            wait = max(0.0, flying[0][0] - time.monotonic()) if flying else None
            ready, _, _ = select.select([*self.ends, self._stop_reading], [], [], wait)
            if self._stop_reading in ready:
                return
            for end in ready:
                is_up = end == self.ends[0]
                for packet in self._packets(end):
                    if self._is_dead(packet, is_up):
                        continue
                    at = (self.up if is_up else self.down).arrival(len(packet), time.monotonic())
                    if at is not None:
                        number += 1
                        heapq.heappush(flying, (at, number, self.ends[1 if is_up else 0], packet))

    @staticmethod
    def _packets(descriptor):
        while True:
            try:
                yield os.read(descriptor, 65536)
            except BlockingIOError:
                return

    @staticmethod
    def _deliver(descriptor, packet):
        try:
            os.write(descriptor, packet)
        except OSError:
            pass  # the device is down, or its queue is full: lost

    def _is_dead(self, packet, is_up):
        """Whether it belongs to a dropped connection. A connection is identified by the first end's port."""
        if packet[0] >> 4 != 4 or packet[9] != TCP:
            return False
        header = (packet[0] & 15) * 4
        source, destination = struct.unpack_from("!HH", packet, header)
        port = source if is_up else destination
        self.seen.add(port)
        return port in self.dead
