"""Clients that do nothing but ask, so that the server's time shows and not theirs: one thread, raw sockets."""

import json
import selectors
import socket
import time

from .messages import split


def raw_request(account, path, body=None):
    text = json.dumps(body).encode() if body is not None else b""
    head = f"{'POST' if body is not None else 'GET'} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {account.token}\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
    return head.encode() + b"\r\n" + text


class Client:
    """Sends what `make` gives, again and again: on one connection, or on the next where the server ends it with an answer."""

    def __init__(self, port, make):
        self.port, self.make = port, make
        self.connect()
        self.begun = 0.0
        self.latencies, self.statuses, self.buffer = [], [], b""
        self.answer = b""  # the body of the newest one

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.is_ended = False

    def send(self):
        request = self.make()
        self.begun = time.perf_counter()
        self.socket.sendall(request)

    def receive(self):
        """True where an answer is whole."""
        part = self.socket.recv(1 << 20)
        if not part:
            raise SystemExit("bench-server: the server closed a connection")
        self.buffer += part
        message = split(self.buffer)
        if not message:
            return False
        head, self.answer, self.buffer = message
        self.latencies.append((time.perf_counter() - self.begun) * 1000)
        self.statuses.append(int(head[9:12]))
        self.is_ended = b"\r\nconnection: close" in head.lower()
        return True


def run(clients, seconds):
    """All clients ask until the time is over. Gives the answers a second."""
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client.socket, selectors.EVENT_READ, client)
        client.send()
    begun = time.perf_counter()
    end, open_count, count = begun + seconds, len(clients), 0
    while open_count:
        for key, _ in selector.select(timeout=60):
            if key.data.receive():
                count += 1
                if time.perf_counter() < end:
                    send_next(key.data, selector)
                else:
                    selector.unregister(key.fileobj)
                    open_count -= 1
    return count / (time.perf_counter() - begun)


def send_next(client, selector):
    if client.is_ended:
        selector.unregister(client.socket)
        client.socket.close()
        client.connect()
        selector.register(client.socket, selectors.EVENT_READ, client)
    client.send()


def milliseconds(value):
    return "never" if value is None else f"{value:,.1f} ms"


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
