"""Responders' channels: a server that answers after a while, or never, and notes when it was asked for what."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time


class Receiver:
    """`delay` in seconds from a request to its answer; None for a tarpit, which never answers."""

    def __init__(self, delay=0.0):
        self.delay = delay
        self.times = {}  # by path: when it was first asked for
        self.count = 0
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._run, args=(ready,), daemon=True).start()
        ready.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def url_of(self, number):
        """The same receiver as another host."""
        return f"http://127.0.{1 + number // 250}.{1 + number % 250}:{self.port}"

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)

        async def listen():
            server = await asyncio.start_server(self._serve, "0.0.0.0", 0, backlog=4096)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()

        self.loop.run_until_complete(listen())
        self.loop.run_forever()

    async def _serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.times.setdefault(head.split(b" ", 2)[1].decode(), time.perf_counter())
                length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
                await reader.readexactly(length)
                self.count += 1
                if self.delay is None:
                    await asyncio.sleep(3600)
                elif self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def wait_for(self, path, since, seconds):
        """Seconds from `since` until `path` was asked for; None where it was not in time."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            if path in self.times:
                return self.times[path] - since
            time.sleep(0.002)
        return None


@contextlib.contextmanager
def receiver_process():
    """The URL of a prompt receiver in a process of its own, which does not share an interpreter with those that measure."""
    process = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    print(Receiver().url, flush=True)
    sys.stdin.read()
