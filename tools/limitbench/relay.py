"""A port in front of a server that notes what passes, and when."""

import contextlib
import socket
import threading
import time


class Relay:
    """Forwards connections to `port` of this machine."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.mark, self.seen = None, threading.Event()
        self.seen_at = 0.0
        self.answer_count = 0  # pieces that the server sent
        threading.Thread(target=self._accept, daemon=True).start()

    def watch_for(self, mark):
        """Notes when `mark` is next in what a client sends."""
        self.seen.clear()
        self.mark = mark

    def wait(self, seconds=60):
        """When the mark passed, in seconds of the monotonic clock."""
        if not self.seen.wait(seconds):
            raise RuntimeError("what was waited for was not sent")
        return self.seen_at

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                for end in (client, server):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for pair in ((client, server, self._look), (server, client, self._count)):
                    threading.Thread(target=self._forward, args=pair, daemon=True).start()

    @staticmethod
    def _forward(source, target, note):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                note(piece, time.monotonic())
                target.sendall(piece)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _look(self, piece, moment):
        if self.mark and self.mark in piece:
            self.mark, self.seen_at = None, moment
            self.seen.set()

    def _count(self, _, __):
        self.answer_count += 1

    def close(self):
        self.listener.close()


@contextlib.contextmanager
def relay(port):
    opened = Relay(port)
    try:
        yield opened
    finally:
        opened.close()
