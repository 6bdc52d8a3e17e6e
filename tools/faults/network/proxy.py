"""A proxy between a device and the server that breaks one exchange at one byte."""

import asyncio
import socket
import struct
from dataclasses import dataclass

from . import messages

MODES = ("reset", "close", "stall", "duplicate")


@dataclass(frozen=True)
class Cut:
    """Where and how an exchange is broken.

    `position` bytes of the request reach the server, or of the answer the device. Then both connections are reset, closed, or
    kept open and silent; or the whole request is sent to the server a second time, and all goes well.
    """

    side: str
    position: int
    mode: str


class Proxy:
    """Accepts the connections of one device on its own port. One cut at a time; everything else passes."""

    def __init__(self, server_port):
        self.server_port = server_port
        self.tasks = set()
        # Set after a complete exchange.
        self.progress = asyncio.Event()
        self.arm(None)

    def arm(self, cut, wanted=lambda request: True):
        """From now on cuts the first exchange that is `wanted`. Records the lengths of such exchanges."""
        self.cut, self.wanted = cut, wanted
        self.lengths = []
        self.is_hit = asyncio.Event()
        # The device may resend at once what it sent over an idle connection.
        self.may_be_hidden = False

    async def start(self):
        self.listener = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=messages.LIMIT, backlog=16)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    async def end(self):
        self.listener.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        connection = Connection(self, reader, writer)
        try:
            while await connection.exchange():
                pass
        except ConnectionError:
            pass  # either side may leave at any time
        except asyncio.CancelledError:
            pass
        finally:
            self.tasks.discard(task)
            connection.end()


class Connection:
    """One connection from the device, and its connection to the server."""

    def __init__(self, proxy, reader, writer):
        self.proxy, self.reader, self.writer = proxy, reader, writer
        self.upstream = None
        self.exchanges = 0

    async def exchange(self):
        """One request and its answer. False: that was the last."""
        request = await messages.read(self.reader)
        if request is None:
            return False
        if request.route.partition("?")[0] == "GET /v1/events":
            await self.pass_stream(request)
            return False
        cut, lengths = self.note(request)
        self.exchanges += 1
        if cut is None:
            return await self.answer(await self.ask(request), lengths)
        if cut.mode == "duplicate":
            self.proxy.is_hit.set()
            await self.ask_in_vain(request, cut)
            return await self.answer(await self.ask(request), lengths)
        if cut.side == "request":
            await self.connect()
            self.upstream[1].write(request.bytes[: cut.position])
        else:
            answer = await self.ask(request)
            if answer is None or cut.position >= len(answer.bytes):
                return await self.answer(answer, lengths)
            self.writer.write(answer.bytes[: cut.position])
        self.proxy.is_hit.set()
        self.proxy.may_be_hidden = self.exchanges > 1 and (cut.side == "request" or cut.position == 0)
        await self.leave(cut.mode)
        return False

    def note(self, request):
        """The cut if it applies to this exchange, and where to write the answer's length."""
        proxy = self.proxy
        lengths = [len(request.bytes), None]
        if not proxy.wanted(request):
            return None, lengths
        proxy.lengths.append(lengths)
        return None if proxy.is_hit.is_set() else proxy.cut, lengths

    async def connect(self):
        if self.upstream is None:
            self.upstream = await asyncio.open_connection("127.0.0.1", self.proxy.server_port, limit=messages.LIMIT)

    async def ask(self, request):
        await self.connect()
        self.upstream[1].write(request.bytes)
        return await messages.read(self.upstream[0])

    async def answer(self, answer, lengths):
        """Gives the device the whole answer."""
        if answer is None:
            return False
        lengths[1] = len(answer.bytes)
        self.writer.write(answer.bytes)
        await self.writer.drain()
        self.proxy.progress.set()
        return True

    async def ask_in_vain(self, request, cut):
        """Sends the request, or a part, on a connection of its own that is reset at the cut."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.proxy.server_port, limit=messages.LIMIT)
        writer.write(request.bytes[: cut.position] if cut.side == "request" else request.bytes)
        if cut.side == "answer":
            # A reset discards bytes in flight: the server has the request once it answers.
            await messages.read_part(reader, max(1, cut.position))
        reset(writer)

    async def leave(self, mode):
        if mode == "stall":
            await self.reader.read()  # until the device gives up
        elif mode == "reset":
            reset(self.writer)
            if self.upstream:
                reset(self.upstream[1])

    async def pass_stream(self, request):
        await self.connect()
        self.upstream[1].write(request.bytes)
        tasks = [asyncio.ensure_future(pour(self.upstream[0], self.writer)), asyncio.ensure_future(self.reader.read())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def end(self):
        self.writer.close()
        if self.upstream:
            self.upstream[1].close()


async def pour(reader, writer):
    while data := await reader.read(1 << 16):
        writer.write(data)


def reset(writer):
    """Ends the connection with a RST."""
    connection = writer.get_extra_info("socket")
    if connection is not None and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
