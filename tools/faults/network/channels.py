"""Responders' channels that answer the server's messages badly, and one that does not."""

import asyncio

from . import bad_answers
from .bad_answers import endless, proper, raw, wait

OK = b"HTTP/1.1 200 OK\r\n"


def refusing(status, *headers):
    return proper("no", status=status, headers=list(headers))


def scripts(trap_port):
    """How a channel answers, by name."""
    to_trap = f"Location: http://127.0.0.1:{trap_port}/"
    found = {
        "silence": endless(b"", b"", 1), "a head that drips": endless(OK, b"X: x\r\n", 0.3),
        "a body that drips": endless(OK + b"Content-Length: 1000000\r\n\r\n", b" ", 0.3),
        "an endless body": endless(OK + b"\r\n", b" " * 65536),
        "an endless refusal": endless(b"HTTP/1.1 500 No\r\n\r\n", b" " * 65536),
        "endless headers": endless(OK, b"X-H: " + b"h" * 1000 + b"\r\n"),
        "an endless header": endless(OK + b"X-H: ", b"h" * 65536),
        "endless interim answers": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
        "a bomb in gzip": bad_answers.send_bomb, "garbage": raw("garbage\r\n\r\n"), "NUL bytes": raw(bytes(4096)),
        "nothing": raw(""),
        "two lengths": raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 400\r\n\r\n{}"),
        "chunks of garbage": raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "a name for the log": refusing("500 \x1b[2J\x1b]0;owned\x07"),
        "Retry-After of escapes": refusing("503 No", "Retry-After: \x1b[2J"),
    }
    found |= {f"a redirect, {status}": refusing(f"{status} Moved", to_trap) for status in (301, 302, 303, 307, 308)}
    found |= {
        f"Retry-After {name}": wait(values[0], "503 Service Unavailable", *values[1:])
        for name, values in bad_answers.WAITS.items()}
    return found


def mended(script, good):
    """Bad until `good` is set, then well."""

    async def either(exchange):
        if not good.is_set():
            return await script(exchange)
        await exchange.answer("")

    return either


def is_help(request):
    return "webhook-id" in request.headers and b'"alert.activated"' in request.body


async def until(holds, seconds):
    """Whether it came to hold within the time."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not holds():
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True
