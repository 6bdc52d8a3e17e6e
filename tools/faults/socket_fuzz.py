"""Random and malformed requests at the running server's socket, plain and TLS: it survives and answers."""

import os
import socket
import ssl
import struct
import subprocess
import threading
import time

from .common import TIMEOUT_SECONDS, Server
from .context import Violation, require
from .network import request_maker

NAMES = ("socket",)

# Connections with one to five requests each, 1.3 on average.
QUICK_CASES = {"plain": 2400, "tls": 400}
LONG_CASES = {"plain": 80_000, "tls": 20_000}
AT_ONCE = 6
ALIVE = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
# A server that dies repeatedly is one finding.
MOST_DEATHS = 5
MOST_MEGABYTES = 300


class Ended(Exception):
    """The server closed the connection."""


class Answers:
    """Reads answers from a connection."""

    def __init__(self, connection):
        self.connection, self.unread = connection, b""

    def fill(self):
        try:
            block = self.connection.recv(65_536)
        except (ConnectionError, ssl.SSLError):
            block = b""
        if not block:
            raise Ended
        self.unread += block

    def next(self):
        """The status of the next whole answer. Raises `Ended`, or `Violation` for an invalid one."""
        while b"\r\n\r\n" not in self.unread:
            self.fill()
        head, _, rest = self.unread.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        require(lines[0][:9] in (b"HTTP/1.1 ", b"HTTP/1.0 "), f"this is not an HTTP answer: {head[:200]!r}")
        status = int(lines[0][9:12])
        self.unread = rest
        if status == 100:
            return self.next()
        length = [int(line.split(b":")[1]) for line in lines[1:] if line.lower().startswith(b"content-length:")]
        require(length, f"an answer without a length: {head[:400]!r}")
        while len(self.unread) < length[0]:
            self.fill()
        self.unread = self.unread[length[0] :]
        return status


class Target:
    """One server, and the connections to it."""

    def __init__(self, context, transport, folder):
        options = ()
        self.tls = None
        if transport == "tls":
            options = certificate(folder)
            self.tls = ssl.create_default_context(cafile=options[1])
        self.context, self.transport = context, transport
        self.server = Server(context, folder, *options)
        self.lock = threading.Lock()
        self.local = threading.local()
        self.deaths = 0
        self.generation = 0
        self.under_way = {}
        self.server.start()
        self.descriptors = len(self.open_descriptors())

    def open_descriptors(self):
        return os.listdir(f"/proc/{self.server.pid}/fd")

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=TIMEOUT_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.tls.wrap_socket(connection, server_hostname="localhost") if self.tls else connection

    def is_alive(self):
        """A health check on a kept connection. Raises if there is no answer."""
        for is_new in (False, True):
            answers = None if is_new else getattr(self.local, "answers", None)
            try:
                if answers is None:
                    answers = self.local.answers = Answers(self.connect())
                answers.connection.sendall(ALIVE)
                status = answers.next()
                require(status == 200, f"the health check was answered with {status}")
                return
            except (Ended, OSError) as reason:
                self.local.answers = None
                if is_new:
                    raise Violation(f"no sign of life from the server: {reason!r}") from None

    def is_dead(self):
        # The kernel closes its sockets before its end can be awaited.
        deadline = time.monotonic() + 0.5
        while self.server.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.server.process.poll() is not None

    def revive(self, generation):
        """After a death: finds the connection that causes it, and restarts the server."""
        with self.lock:
            if self.generation != generation:
                return
            self.generation += 1
            self.deaths += 1
            status = self.server.process.wait()
            suspects = dict(self.under_way)
            guilty = [case for case in suspects.values() if self.dies_of(case)]
            for case in guilty or list(suspects.values())[:1]:
                told = "alone" if guilty else f"with others: {', '.join(map(str, suspects.values()))}"
                self.context.violation(str(case), f"the server ended with {status}; {told}; sent: {case.made.data[:1500]!r}")
            if self.deaths >= MOST_DEATHS:
                self.context.stop()
            self.server.start()

    def dies_of(self, case):
        self.server.start()
        try:
            case.send_to(self)
        except (Ended, OSError, Violation):
            pass
        try:
            return self.is_dead()
        finally:
            self.server.kill()


class Case:
    """The bytes sent on one connection, made from its name."""

    def __init__(self, context, transport, number):
        self.context, self.transport, self.number = context, transport, number

    def __str__(self):
        return f"{self.transport} {self.number}"

    def perform(self, target):
        random = self.context.random_of(str(self))
        self.made = request_maker.make(random)
        # Whole, in pieces, or cut off.
        self.way = random.choice(("whole", "whole", "pieces", "cut", "reset"))
        self.pieces = sorted(random.randrange(len(self.made.data) + 1) for _ in range(random.randrange(1, 4)))
        generation = target.generation
        target.under_way[threading.get_ident()] = self
        try:
            self.send_to(target)
            target.is_alive()
        except (Ended, OSError, Violation) as broken:
            if target.generation != generation:
                return
            if target.is_dead():
                return target.revive(generation)
            raise Violation(f"{broken}; sent {self.way}: {self.made.data[:1500]!r}") from None
        finally:
            target.under_way.pop(threading.get_ident(), None)
            self.context.count(faults=self.made.requests)

    def send_to(self, target):
        try:
            connection = target.connect()
        except OSError as reason:
            raise Violation(f"cannot connect: {reason!r}") from None
        with connection:
            try:
                self.write(connection)
            except OSError:
                pass  # The server may close before it has read all.
            if self.way in ("whole", "pieces"):
                self.read(connection)

    def write(self, connection):
        data = self.made.data
        if self.way in ("cut", "reset"):
            connection.sendall(data[: self.pieces[0]])
            if self.way == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        places = self.pieces if self.way == "pieces" else []
        for start, end in zip([0, *places], [*places, len(data)]):
            connection.sendall(data[start:end])

    def read(self, connection):
        answers = Answers(connection)
        if self.made.statuses is None:
            # The server may wait for the rest of an incomplete request: a half-close says that there is none.
            connection.settimeout(0.05)
            # An answer to HEAD has the length of a body that does not follow.
            has_head = b"HEAD" in self.made.data
            try:
                while True:
                    self.check(answers.next())
                    if has_head:
                        return
            except (Ended, TimeoutError):
                return
        for expected in self.made.statuses:
            try:
                status = answers.next()
            except (Ended, TimeoutError) as reason:
                raise Violation(f"{reason!r} in place of the answer {expected}") from None
            require(status == expected, f"answered {status} and not {expected}")
        if self.made.ends:
            self.require_end(answers)

    @staticmethod
    def require_end(answers):
        try:
            status = answers.next()
        except Ended:
            return
        raise Violation(f"answered {status} to what follows a chunked request")

    @staticmethod
    def check(status):
        require(status < 500 or status in (501, 503, 505), f"answered {status}")


def certificate(folder):
    """The server's options for a certificate of its own."""
    files = [os.path.join(folder, name) for name in ("certificate.pem", "key.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True)
    return "--tls-certificate", files[0], "--tls-key", files[1]


def check_rest(target):
    """Nothing remains of all those connections; returns the server's peak memory."""
    # An incomplete request may wait for 30 seconds, which only the long size has.
    deadline = time.monotonic() + 45
    while target.context.is_long and (now := len(target.open_descriptors())) > target.descriptors + AT_ONCE + 2:
        require(time.monotonic() < deadline, f"{now} descriptors are open, {target.descriptors} were before")
        time.sleep(0.1)
    with open(f"/proc/{target.server.pid}/status", encoding="ascii") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) // 1024
    require(memory < MOST_MEGABYTES, f"the server took {memory} MiB")
    return memory


def run(context):
    numbers = LONG_CASES if context.is_long else QUICK_CASES
    targets = {transport: Target(context, transport, context.scratch(transport)) for transport in numbers}
    context.begin()
    try:
        cases = [Case(context, transport, number) for transport, most in numbers.items() for number in range(most)]
        context.each(cases, lambda case: case.perform(targets[case.transport]), workers=AT_ONCE)
        figures = {"deaths": sum(target.deaths for target in targets.values())}
        for transport, target in targets.items():
            try:
                figures[f"{transport}_megabytes"] = check_rest(target)
            except Violation as broken:
                context.violation("the part itself", f"{transport}: {broken}")
        return figures
    finally:
        for target in targets.values():
            target.server.kill()
