"""Slow clients: requests that drip in, answers that are barely read, silent connections.

While hundreds of them hold their connections open, a real alert must be accepted about as fast as without them, and the
server's deadlines must cut off each of them, whatever it still drips.
"""

import os
import resource
import socket
import ssl
import subprocess
import threading
import time

from .common import Device, Server, sign_in
from .context import NotRun, require

NAMES = ("slow-http",)

# Clients of each kind, and the number of this machine's addresses that they use.
QUICK_CLIENTS, LONG_CLIENTS = 100, 300
ADDRESSES = 50
# How much longer an alert may take beside them than alone.
ALERT_SECONDS = 3
# The server's deadlines (HTTPSettings), and an allowance for a busy machine. An answer that the kernel has taken whole counts
# as read: then the connection waits for its next request.
REQUEST_SECONDS, ANSWER_SECONDS, KEEP_ALIVE_SECONDS, GRACE_SECONDS = 30, 60, 90, 15

HEAD = "POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
# What anyone may ask: without a length, a body for which a token is needed is refused at its head.
ANYONE = HEAD.replace("/v1/sync", "/v1/auth/verifications")
DRIPPED = {
    "headers": HEAD + "X-Drip: " + "a" * 4000,
    "body": HEAD + "Content-Length: 4000\r\n\r\n" + "{" * 4000,
    "chunks": ANYONE + "Transfer-Encoding: chunked\r\n\r\n" + "1\r\n{\r\n" * 1000,
    "silence": "",
}


class Slow:
    """One slow client."""

    def __init__(self, kind, address, port, tls):
        self.kind = kind
        self.socket = socket.socket()
        # A small window, so that an answer does not fit into the kernel's buffers.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.socket.bind((address, 0))
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        if tls:
            self.socket = tls.wrap_socket(self.socket)
        self.opened = time.monotonic()
        self.closed = None
        self.rest = b""
        if kind == "reading":
            # One byte per second of a dozen answers on one connection is read.
            self.socket.sendall(b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n" * 12)
        else:
            whole = DRIPPED[kind].encode()
            # The bytes before the slow part are sent at once.
            start = whole.find(b"\r\n\r\n") + 4 if kind in ("body", "chunks") else min(60, len(whole))
            self.socket.sendall(whole[:start])
            self.rest = whole[start:]
        self.socket.setblocking(False)

    def drip(self):
        """Moves one byte in either direction; notes when the server has closed the connection."""
        if self.closed:
            return
        try:
            if self.kind == "reading":
                if self.socket.recv(1) == b"":
                    self.closed = time.monotonic()
                return
            if self.rest:
                self.socket.send(self.rest[:1])
                self.rest = self.rest[1:]
            while self.socket.recv(4096):
                pass
            self.closed = time.monotonic()
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            self.closed = time.monotonic()

    def end(self):
        self.socket.close()


class Crowd:
    """All slow clients, and the thread that drips for them."""

    def __init__(self, port, count, tls=None):
        self.clients = []
        for number in range(count):
            for kind in (*DRIPPED, "reading"):
                self.clients.append(Slow(kind, f"127.0.1.{1 + number % ADDRESSES}", port, tls))
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._drip, daemon=True)
        self.thread.start()

    def _drip(self):
        while not self.is_over.wait(1):
            for client in self.clients:
                client.drip()

    def end(self):
        self.is_over.set()
        self.thread.join()
        for client in self.clients:
            client.end()

    @property
    def open(self):
        return sum(client.closed is None for client in self.clients)

    def check_held(self):
        """This many are really connected: all but those that came so early that they are already cut off."""
        young = [client for client in self.clients if time.monotonic() - client.opened < REQUEST_SECONDS - 5]
        held = sum(client.closed is None for client in young)
        require(young and held >= len(young) * 0.9, f"of {len(young)} slow clients only {held} are connected")

    def check_cut_off(self, descriptors, before):
        """Waits until all that drip were cut off, each within its deadline, and until the server holds no connection of the others,
        who cannot see it: what the kernel has for them lasts them for days."""
        dripping = [client for client in self.clients if client.kind != "reading"]
        deadline = time.monotonic() + REQUEST_SECONDS + GRACE_SECONDS
        while any(client.closed is None for client in dripping) and time.monotonic() < deadline:
            time.sleep(0.5)
        for kind in DRIPPED:
            mine = [client for client in dripping if client.kind == kind]
            still = sum(client.closed is None for client in mine)
            require(not still, f"{still} slow clients of the kind “{kind}” were not cut off in {REQUEST_SECONDS + GRACE_SECONDS} s")
            longest = max(client.closed - client.opened for client in mine)
            require(longest <= REQUEST_SECONDS + GRACE_SECONDS, f"a slow client of the kind “{kind}” was cut off after {longest:.0f} s")
        deadline = time.monotonic() + ANSWER_SECONDS + KEEP_ALIVE_SECONDS + GRACE_SECONDS
        while (held := descriptors()) > before + 10 and time.monotonic() < deadline:
            time.sleep(0.5)
        require(held <= before + 10, f"the server holds {held - before} connections of clients that do not take their answers")


def alert_seconds(device):
    """Raises an alert and ends it; the seconds until it was accepted."""
    started = time.monotonic()
    device.done("alert", "activate", "--yes", "--message", "fell")
    while device.status()["delivery"]["stage"] == "saved":
        require(time.monotonic() - started < 30, "the alert was not accepted within 30 s")
        device.run("sync")
    seconds = time.monotonic() - started
    device.done("alert", "deactivate", "--yes")
    return seconds


def certificate(folder):
    """For this machine's own address; a file with the certificate and one with its key."""
    files = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def encryption(folder, device):
    """The options of a server with a certificate of its own that the device trusts, and what trusts it here."""
    chain, key = certificate(folder)
    tls = ssl.create_default_context(cafile=chain)
    tls.check_hostname = False
    device.done("config", "set", "ca_file", chain)
    return ("--tls-certificate", chain, "--tls-key", key), tls


def run_case(context, is_encrypted, count, figures):
    folder = context.scratch("tls" if is_encrypted else "plain")
    device = Device(context, os.path.join(folder, "home"))
    options, tls = encryption(folder, device) if is_encrypted else ((), None)
    with Server(context, folder, *options) as server:
        sign_in(server, device)
        alone = alert_seconds(device)
        number = server.pid
        descriptors = lambda: len(os.listdir(f"/proc/{number}/fd"))  # noqa: E731
        before = descriptors() if os.geteuid() == 0 else None
        crowd = Crowd(server.port, count, tls)
        try:
            context.count(faults=len(crowd.clients))
            time.sleep(2)
            crowd.check_held()
            held = crowd.open
            slowest = max(alert_seconds(device) for _ in range(3))
            figures["alone_ms"] = max(figures.get("alone_ms", 0), round(alone * 1000))
            figures["beside_slow_clients_ms"] = max(figures.get("beside_slow_clients_ms", 0), round(slowest * 1000))
            require(
                slowest <= alone + ALERT_SECONDS,
                f"beside {held} slow clients an alert was accepted after {slowest:.1f} s; alone after {alone:.1f} s")
            # Only root can see what the server holds.
            if context.is_long and before is not None:
                crowd.check_cut_off(descriptors, before)
        finally:
            crowd.end()


class Case:
    def __init__(self, is_encrypted):
        self.is_encrypted = is_encrypted

    def __str__(self):
        return "TLS" if self.is_encrypted else "plain"


def run(context):
    count = LONG_CLIENTS if context.is_long else QUICK_CLIENTS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = count * 5 * 2 + 200
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise NotRun(f"this user may open {hard} descriptors, and {needed} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    figures = {}
    context.each([Case(False), Case(True)], lambda case: run_case(context, case.is_encrypted, count, figures), workers=1)
    return figures
