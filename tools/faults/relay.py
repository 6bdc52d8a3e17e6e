"""A TCP port that forwards to a Unix socket until it is told to fail."""

import contextlib
import select
import socket
import struct
import threading

LOOK_SECONDS = 0.02
# A peer that takes nothing for longer is gone.
SEND_SECONDS = 5


def reset(connection):
    """Closes it with a TCP reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class Relay:
    """The way to a database, which can be frozen, cut or closed.

    - `is_frozen`: nothing is forwarded or accepted, and everything stays open
    - `is_refusing`: new connections are reset at once
    """

    def __init__(self, target):
        self.target = target
        self.is_frozen = self.is_refusing = self.is_closed = False
        # How many bytes are forwarded before all connections are reset; None: no limit.
        self.bytes_left = None
        self.others = {}
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def cut_after(self, count):
        """Resets all connections once `count` more bytes were forwarded, in whichever direction."""
        self.bytes_left = count

    @property
    def is_cut(self):
        """Whether nothing of `cut_after` is outstanding."""
        return self.bytes_left is None

    @contextlib.contextmanager
    def frozen(self):
        self.is_frozen = True
        try:
            yield
        finally:
            self.is_frozen = False

    @contextlib.contextmanager
    def refusing(self):
        self.is_refusing = True
        self.cut_after(0)
        try:
            yield
        finally:
            self.is_refusing = False

    def _run(self):
        while not self.is_closed:
            if self.bytes_left == 0:
                self._cut()
            sockets = [] if self.is_frozen else [self.listener, *self.others]
            for ready in select.select(sockets, [], [], LOOK_SECONDS)[0]:
                if ready is self.listener:
                    self._accept()
                elif ready in self.others:
                    self._forward(ready)
        self._cut()
        self.listener.close()

    def _accept(self):
        client, _ = self.listener.accept()
        if self.is_refusing:
            return reset(client)
        database = socket.socket(socket.AF_UNIX)
        try:
            database.connect(self.target)
        except OSError:
            database.close()
            return reset(client)
        for connection in (client, database):
            connection.settimeout(SEND_SECONDS)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.others[client], self.others[database] = database, client

    def _forward(self, source):
        try:
            data = source.recv(65536)
            self.others[source].sendall(self._allowed(data))
        except OSError:
            data = b""
        if not data:
            self._close(source)

    def _allowed(self, data):
        if self.bytes_left is None:
            return data
        data = data[:self.bytes_left]
        self.bytes_left -= len(data)
        return data

    def _close(self, connection):
        for ended in (connection, self.others.pop(connection)):
            self.others.pop(ended, None)
            ended.close()

    def _cut(self):
        for connection in self.others:
            if connection.family == socket.AF_INET:
                reset(connection)
            else:
                connection.close()
        self.others = {}
        self.bytes_left = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_closed = True
        self.thread.join()
