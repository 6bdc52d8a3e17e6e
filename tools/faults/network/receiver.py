"""The responders of all accounts: a webhook and an ntfy topic each, told apart by the path."""

import asyncio
import json
from collections import Counter

from . import messages


class Receiver:
    """Counts messages by account, channel (`hook`, `topic`) and kind (`help`, `safe`)."""

    def __init__(self):
        self.counts = Counter()
        self.changed = {}

    async def start(self):
        self.listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    def of(self, account):
        return {key[1:]: count for key, count in self.counts.items() if key[0] == account}

    async def wait(self, account, kind, seconds):
        """Whether both channels of the account had a message of this kind within the time."""
        changed = self.changed.setdefault(account, asyncio.Event())
        try:
            async with asyncio.timeout(seconds):
                while not (self.counts[account, "hook", kind] and self.counts[account, "topic", kind]):
                    changed.clear()
                    await changed.wait()
            return True
        except TimeoutError:
            return False

    async def _serve(self, reader, writer):
        while request := await messages.read(reader):
            key = kind_of(request)
            self.counts[key] += 1
            if key[0] in self.changed:
                self.changed[key[0]].set()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()


def kind_of(request):
    account = request.start[1].rpartition("-")[2]
    if "webhook-id" in request.headers:
        return account, "hook", "help" if json.loads(request.body)["type"] == "alert.activated" else "safe"
    return account, "topic", "help" if request.headers.get("tags") == "rotating_light" else "safe"
