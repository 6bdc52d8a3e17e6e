"""A server that answers every call as its script says, and records the calls."""

import asyncio
import json
import traceback

from . import messages


class Exchange:
    """One request, and the means to answer it badly."""

    def __init__(self, server, request, writer):
        self.server, self.request, self.writer = server, request, writer

    @property
    def items(self):
        """The ids of what the device pushes."""
        try:
            body = json.loads(self.request.body)
        except ValueError:
            return []
        return [item["id"] for item in body.get("mutations", []) + body.get("notifications", [])]

    async def write(self, data):
        """Throws `ConnectionError` once the device is gone."""
        self.server.sent += len(data)
        self.writer.write(data)
        await self.writer.drain()
        if self.writer.transport.is_closing():
            raise ConnectionResetError

    async def answer(self, body=b"", status="200 OK", kind="application/json", headers=()):
        """A proper answer over a connection that stays."""
        if not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
        await self.write(("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape") + body)

    async def for_ever(self, data, seconds=0.0):
        """Writes the same again and again, until the device has had enough."""
        while True:
            await self.write(data)
            await asyncio.sleep(seconds)


class HostileServer:
    """`script(exchange)` answers; if it returns False or fails, the connection is closed."""

    def __init__(self, script):
        self.script = script
        self.requests = []
        self.connections = 0
        self.sent = 0
        self.tasks = set()
        # Mistakes of the script itself.
        self.mistakes = []

    async def start(self):
        self.listener = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=messages.LIMIT)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    async def end(self):
        self.listener.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        self.connections += 1
        self.tasks.add(task := asyncio.current_task())
        try:
            while request := await messages.read(reader):
                self.requests.append(request)
                if await self.script(Exchange(self, request, writer)) is False:
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass  # the device has had enough, or the case is over
        except Exception:
            self.mistakes.append(traceback.format_exc())
        finally:
            self.tasks.discard(task)
            writer.close()
