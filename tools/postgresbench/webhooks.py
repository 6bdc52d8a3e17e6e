"""A responders' receiver in a process of its own, which notes when each message begins.

Commands on standard input, one a line: `count` prints how many first messages came, `take` prints those since the last `take` as JSON:
[seconds of the monotonic clock, type, alert id]. Started with `keep`, it keeps messages for `take`.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time

from serverbench.messages import split

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIRST = b'"asked_again":0'
# The addresses at which it listens. The responders of a town are not all at one host, of which a server sends to a few at once.
ADDRESSES = [f"127.0.0.{number}" for number in range(1, 65)]
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Connection(asyncio.Protocol):
    def __init__(self, log):
        self.log, self.buffer, self.begun = log, b"", 0.0

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        if not self.buffer:
            self.begun = time.perf_counter()
        self.buffer += data
        while self.take_request():
            self.begun = time.perf_counter()

    def take_request(self):
        """True where a whole request was taken from the buffer."""
        message = split(self.buffer)
        if not message:
            return False
        _, body, self.buffer = message
        self.log.note(self.begun, body)
        self.transport.write(ANSWER)
        return True


class Log:
    def __init__(self, keeps):
        self.keeps, self.count, self.messages = keeps, 0, []

    def note(self, begun, body):
        # A minute after an alert that nobody answered, its responders are told again.
        self.count += FIRST in body
        if self.keeps:
            self.messages.append((begun, body))

    def take(self):
        taken, self.messages = self.messages, []
        bodies = [(begun, json.loads(body)) for begun, body in taken]
        return [(begun, body["type"], body["data"]["alert"]["id"]) for begun, body in bodies]


async def serve(log):
    loop, port = asyncio.get_running_loop(), 0
    for address in ADDRESSES:
        server = await loop.create_server(lambda: Connection(log), address, port, backlog=4096)
        port = server.sockets[0].getsockname()[1]
    print(port, flush=True)
    ended = loop.create_future()
    threading.Thread(target=obey, args=(log, loop, ended), daemon=True).start()
    await ended


def obey(log, loop, ended):
    for line in sys.stdin:
        print(json.dumps(log.count if line == "count\n" else log.take()), flush=True)
    loop.call_soon_threadsafe(ended.set_result, None)


class Receiver:
    """The process of this file."""

    def __init__(self, keeps=False):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "postgresbench.webhooks", *(["keep"] if keeps else [])], cwd=TOOLS,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = int(self.process.stdout.readline())
        self.urls = [f"http://{address}:{port}" for address in ADDRESSES]

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    @property
    def count(self):
        return self.ask("count")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


if __name__ == "__main__":
    asyncio.run(serve(Log("keep" in sys.argv)))
