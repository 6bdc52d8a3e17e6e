"""A crowd takes every connection: idle ones, slow requests, large bodies without a token. Alerts are still accepted at once."""

import asyncio
import collections
import os
import re
import resource
import socket
import threading
import time

from .common import Device, Server, sign_in
from .context import NotRun, require
from .slow_http import alert_seconds, encryption

NAMES = ("crowd",)
QUICK_SECONDS, LONG_SECONDS = 60, 20 * 60

# The server's limit of connections, and the number of clients, which is more.
QUICK_LIMIT, LONG_LIMIT = 256, 4096
QUICK_CLIENTS, LONG_CLIENTS = 600, 5000
# Of those that send a body: they hold no connection for long.
LONG_BODIES = 3600
# The first connections come spread over this time for a thousand clients, and whom the server closes comes back after the other: with
# TLS later, since this machine also has the client's half of each handshake.
COME_SECONDS, COME_SECONDS_TLS = 0.5, 5
RETURN_SECONDS, RETURN_SECONDS_TLS = 0.5, 8
# This machine's addresses that the clients use; each has its own ports.
ADDRESSES = 250
# How much longer an alert may take beside the crowd than alone, and the alerts of a case.
ALERT_SECONDS = 2
QUICK_ALERTS, LONG_ALERTS = 3, 20
# Somebody far away sends the first byte this long after the connection is there; so many try, and so many of them may fail: where a crowd
# takes all places anew in less time than that, not each of them can have one.
DISTANT_SECONDS, DISTANT_TRIES, DISTANT_FAILURES = 0.2, 20, 10
# What the crowd may cost the server: a connection with TLS takes some 40 KiB.
MEMORY_MEBIBYTES, MEMORY_MEBIBYTES_TLS = 150, 300

HEAD = b"POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
BODY_BYTES = 1 << 20


async def idle(_, reader, writer):
    await reader.read()


async def keep_alive(_, reader, writer):
    writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    await reader.read()


async def slow_request(_, reader, writer):
    writer.write(HEAD + b"Content-Length: 100\r\n\r\n")
    ended = asyncio.ensure_future(reader.read())
    try:
        while not (await asyncio.wait([ended], timeout=1))[0]:
            writer.write(b"{")
    finally:
        ended.cancel()


async def body_without_token(crowd, reader, writer):
    """Sends as much as the server takes, until it answers."""
    token = crowd.random.choice((b"", b"Authorization: Bearer " + b"x" * 43 + b"\r\n"))
    writer.write(HEAD + token + b"Content-Length: %d\r\n\r\n" % BODY_BYTES)
    answer = asyncio.ensure_future(reader.readuntil(b"\r\n"))
    try:
        for _ in range(BODY_BYTES // 65536):
            writer.write(b" " * 65536)
            await asyncio.wait([answer, drained := asyncio.ensure_future(writer.drain())], return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                drained.cancel()
                break
            drained.result()
        crowd.answers[(await answer).split()[1].decode()] += 1
    finally:
        answer.cancel()


KINDS = {
    "idle connections": idle, "idle keep-alive": keep_alive, "slow requests": slow_request,
    "bodies without a token": body_without_token,
}


class Crowd:
    """So many clients of one kind, which come back whenever the server closes their connection."""

    def __init__(self, case, port, count, tls, random):
        self.act, self.port, self.count, self.tls, self.random = KINDS[case.kind], port, count, tls, random
        # A connection that sends nothing has no handshake either.
        if self.act is idle:
            self.tls = None
        self.open = self.closed = 0
        self.answers = collections.Counter()
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda *_: None)
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        self.members = [self.loop.create_task(self._stay(number)) for number in range(self.count)]
        self.loop.run_until_complete(asyncio.gather(*self.members, return_exceptions=True))
        self.loop.close()

    async def _stay(self, number):
        address = f"127.0.1.{1 + number % ADDRESSES}"
        pause = RETURN_SECONDS_TLS if self.tls else RETURN_SECONDS
        await asyncio.sleep(self.random.uniform(0, (COME_SECONDS_TLS if self.tls else COME_SECONDS) * self.count / 1000))
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0), ssl=self.tls)
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(pause)
                continue
            self.open += 1
            try:
                await self.act(self, reader, writer)
            except (OSError, asyncio.IncompleteReadError):
                pass
            finally:
                self.open -= 1
                writer.transport.abort()
            self.closed += 1
            await asyncio.sleep(pause)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(lambda: [member.cancel() for member in self.members])
        self.thread.join()


def memory(pid, name):
    """Mebibytes of a process: VmRSS now, VmHWM at most."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(rf"{name}:\s+(\d+)", file.read()).group(1)) / 1024


def is_answered_far_away(port, tls):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            time.sleep(DISTANT_SECONDS)
            with tls.wrap_socket(connection) if tls else connection as spoken:
                spoken.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return spoken.recv(100).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False


class Case:
    def __init__(self, kind, is_encrypted):
        self.kind, self.is_encrypted = kind, is_encrypted

    def __str__(self):
        return self.kind + (", TLS" if self.is_encrypted else "")

    def perform(self, context, figures):
        folder = context.scratch(str(self))
        limit = LONG_LIMIT if context.is_long else QUICK_LIMIT
        device = Device(context, os.path.join(folder, "home"))
        options, tls = encryption(folder, device) if self.is_encrypted else ((), None)
        with Server(context, folder, "--max-connections", str(limit), *options) as server:
            sign_in(server, device)
            alone = alert_seconds(device)
            before = memory(server.pid, "VmRSS")
            with Crowd(self, server.port, self.clients(context), tls, context.random_of(self)) as crowd:
                context.count(faults=crowd.count)
                self.wait_for_crowd(crowd, limit)
                slowest = max(alert_seconds(device) for _ in range(LONG_ALERTS if context.is_long else QUICK_ALERTS))
                self.note(figures, "slowest_alert_ms", round(slowest * 1000))
                require(
                    slowest <= alone + ALERT_SECONDS,
                    f"beside the crowd an alert was accepted after {slowest:.1f} s; alone after {alone:.1f} s")
                self.check_distant(server.port, tls, figures)
                self.check_made_room(crowd, limit)
            growth = memory(server.pid, "VmHWM") - before
            self.note(figures, "memory_growth_mib", round(growth))
            most = MEMORY_MEBIBYTES_TLS if self.is_encrypted else MEMORY_MEBIBYTES
            require(growth <= most, f"the crowd cost the server {growth:.0f} MiB")

    def clients(self, context):
        if not context.is_long:
            return QUICK_CLIENTS
        return LONG_BODIES if self.has_bodies else LONG_CLIENTS

    @property
    def has_bodies(self):
        return KINDS[self.kind] is body_without_token

    def wait_for_crowd(self, crowd, limit):
        """Returns once the server is full, or has refused many."""
        deadline = time.monotonic() + 60
        while sum(crowd.answers.values()) < crowd.count if self.has_bodies else crowd.open < limit * 0.8 or not crowd.closed:
            require(time.monotonic() < deadline, f"the crowd holds {crowd.open} connections, of {limit}; answers: {crowd.answers}")
            time.sleep(0.1)

    def check_distant(self, port, tls, figures):
        """Whoever is far away gets an answer too."""
        answered = sum(is_answered_far_away(port, tls) for _ in range(DISTANT_TRIES))
        self.note(figures, "far_away_failed", DISTANT_TRIES - answered)
        require(
            answered >= DISTANT_TRIES - DISTANT_FAILURES,
            f"of {DISTANT_TRIES} clients that send {DISTANT_SECONDS} s after they connected only {answered} were answered")

    def check_made_room(self, crowd, limit):
        if self.has_bodies:
            # A slow machine answers fewer at once than come, and closes some with 503 to make room for the others.
            require(
                crowd.answers["401"] > crowd.answers["503"] and set(crowd.answers) <= {"401", "503"},
                f"bodies without a token were answered with {dict(crowd.answers)}")
        else:
            # In the middle of its handshake a connection is not open here, and takes its place there.
            require(crowd.open >= limit * (0.5 if crowd.tls else 0.8), f"only {crowd.open} connections of the crowd were open, of {limit}")

    def note(self, figures, name, figure):
        name = f"{str(self).replace(',', '').replace(' ', '_').replace('-', '_')}_{name}"
        figures[name] = max(figures.get(name, 0), figure)


def run(context):
    needed = (LONG_CLIENTS if context.is_long else QUICK_CLIENTS) + 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise NotRun(f"this user may open {hard} descriptors, and {needed} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    context.begin(LONG_SECONDS, QUICK_SECONDS)
    figures = {}
    cases = [Case(kind, False) for kind in KINDS]
    cases += [Case(kind, True) for kind in KINDS if context.is_long or kind == "idle keep-alive"]
    context.each(cases, lambda case: case.perform(context, figures), workers=1)
    return figures
