"""Whole HTTP/1.1 messages from a stream, byte for byte."""

import asyncio

LIMIT = 1 << 24


class Message:
    """A request or an answer: its bytes and its parsed head."""

    def __init__(self, head, body):
        self.bytes = head + body
        self.body = body
        lines = head.decode("latin-1").split("\r\n")
        self.start = lines[0].split(" ")
        self.headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if colon:
                self.headers[name.lower()] = value.strip()

    @property
    def route(self):
        """A request's method and target, as in `POST /v1/sync`."""
        return " ".join(self.start[:2])


async def read(reader):
    """The next message with a length; None where the peer closed instead."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(Message(head, b"").headers.get("content-length", 0))
        return Message(head, await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def read_part(reader, count):
    """The first bytes of the next message, at most `count`, and no more than it has."""
    data = b""
    while len(data) < count:
        head, end, body = data.partition(b"\r\n\r\n")
        if end and len(body) >= int(Message(head, b"").headers.get("content-length", 0)):
            break
        piece = await reader.read(count - len(data))
        if not piece:
            break
        data += piece
    return data
