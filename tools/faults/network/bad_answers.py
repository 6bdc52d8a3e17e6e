"""Answers that no honest server gives to any call: broken HTTP, endless ones, other people's pages, our own words misused."""

import functools
import gzip
import json
import zlib

PROBLEM = "application/problem+json"
OURS = "urn:lifesignal:problem:"
# Texts that must not reach a terminal: they would clear it, rename its window, or reverse its text.
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnihton\u2066\x00\r\n\x08done"
PAGE = "<html><head><title>Welcome</title></head><body>Please accept the terms.</body></html>"

# Refusals in our own words with their own status: the server's refusal, whatever the reason.
REFUSALS = {"a problem full of escapes", "an unknown problem", "not found, in our words", "forbidden, in our words"}
# Cases that only end with the device's own timeout.
SLOW = {"a body that drips", "silence", "a head that drips", "interim answers that drip", "a body that does not come"}


def raw(data):
    """The same bytes for every request, then the end of the connection."""

    async def script(exchange):
        await exchange.write(data if isinstance(data, bytes) else data.encode())
        return False

    return script


def proper(*arguments, **options):
    async def script(exchange):
        await exchange.answer(*arguments, **options)

    return script


def endless(head, piece, seconds=0.0):
    async def script(exchange):
        await exchange.write(head)
        await exchange.for_ever(piece, seconds)

    return script


def problem(kind, status, member=None, detail="no", **more):
    body = {"type": OURS + kind, "title": kind, "status": int(status[:3]) if member is None else member, "detail": detail, **more}
    return proper(body, status=status, kind=PROBLEM)


def wait(value, status="503 Service Unavailable", *more):
    return proper("{}", status=status, headers=[f"Retry-After: {text}" for text in (value, *more)])


@functools.cache
def bomb():
    """A gigabyte of zeros compressed to a megabyte: one self-contained block, repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + piece * 1024


async def send_bomb(exchange):
    await exchange.answer(bomb(), headers=["Content-Encoding: gzip"])


def broken_http():
    ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    return {
        "nothing": raw(""), "half a status line": raw("HTTP/1."), "a line of garbage": raw("garbage\r\n\r\n"),
        "NUL bytes": raw(bytes(4096)), "SSH": raw("SSH-2.0-x\r\n"), "HTTP 0.9": raw("{}"),
        "HTTP 9.9": raw("HTTP/9.9 200 OK\r\n\r\n{}"),
        "status 999": raw("HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\n{}"),
        "status -1": raw("HTTP/1.1 -1 No\r\nContent-Length: 2\r\n\r\n{}"),
        "status 0": raw("HTTP/1.1 000 No\r\nContent-Length: 2\r\n\r\n{}"),
        "a length too long": raw(ok + "Content-Length: 500\r\n\r\n{}"),
        "a length too short": raw(ok + "Content-Length: 1\r\n\r\n{}"),
        "a negative length": raw(ok + "Content-Length: -5\r\n\r\n{}"),
        "a length of words": raw(ok + "Content-Length: many\r\n\r\n{}"),
        "a length beyond all numbers": raw(ok + f"Content-Length: {'9' * 40}\r\n\r\n" + "{}"),
        "a length of a terabyte": raw(ok + "Content-Length: 1000000000000\r\n\r\n{}"),
        "two lengths": raw(ok + "Content-Length: 2\r\nContent-Length: 400\r\n\r\n{}"),
        "a length and chunks": raw(ok + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        "chunks of garbage": raw(chunked + "zz\r\n{}\r\n0\r\n\r\n"), "a negative chunk": raw(chunked + "-2\r\n{}\r\n0\r\n\r\n"),
        "a chunk beyond all numbers": raw(chunked + "f" * 40 + "\r\n{}"), "a chunk that breaks off": raw(chunked + "5\r\n{}"),
        "chunks without an end": raw(chunked + "2\r\n{}\r\n"),
        "headers with NUL": raw(ok + "X-\0: \0\r\nContent-Length: 2\r\n\r\n{}"),
        "a header without a colon": raw(ok + "nonsense\r\nContent-Length: 2\r\n\r\n{}"),
        "headers of escapes": raw((ok + "Retry-After: \x1b[2J\r\nContent-Length: 2\r\n\r\n{}")),
        "an upgrade": raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
        "an encoding that is none": proper("{}", headers=["Content-Encoding: \x1b[2J"]),
    }


def without_end():
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    return {
        "an endless body": endless(ok + b"\r\n", b" " * 65536),
        "endless chunks": endless(ok + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 4096),
        "an endless chunk's size": endless(ok + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 65536),
        "endless trailers": endless(ok + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", b"X-T: t\r\n" * 4096),
        "endless headers": endless(ok, b"X-H: " + b"h" * 1000 + b"\r\n"),
        "an endless header": endless(ok + b"X-H: ", b"h" * 65536),
        "an endless status": endless(b"HTTP/1.1 200 ", b"OK" * 32768),
        "endless interim answers": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
        "endless early hints": endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 1000),
        "a body that drips": endless(ok + b"Content-Length: 1000000\r\n\r\n", b" ", 0.3),
        "a head that drips": endless(ok, b"X: x\r\n", 0.3),
        "interim answers that drip": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.3),
        "silence": endless(b"", b"", 1), "a body that does not come": endless(ok + b"Content-Length: 100\r\n\r\n", b"", 1),
        "a bomb in gzip": send_bomb,
        "a page in gzip": proper(gzip.compress(b"{}"), headers=["Content-Encoding: gzip"]),
        "a body of exactly 8 MiB": proper(b" " * ((8 << 20) - 2) + b"{}"),
        "eight MiB of numbers": proper(b'{"results":[' + b"1," * (4 * (1 << 20) - 20) + b'1]}'),
        "eight MiB of a string": proper(b'{"cursor":"' + b"\\u0041" * 1390000 + b'"}'),
    }


def other_shapes():
    found = {
        "HTML with 200": proper(PAGE, kind="text/html"), "HTML that says JSON": proper(PAGE), "an empty 200": proper(""),
        "204": raw("HTTP/1.1 204 No Content\r\n\r\n"), "205": raw("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n"),
        "206": proper("{}", status="206 Partial Content"), "304": raw("HTTP/1.1 304 Not Modified\r\n\r\n"),
        "deep JSON": proper("[" * 100_000), "deep objects": proper('{"a":' * 100_000),
        "deep JSON that ends": proper("[" * 100_000 + "]" * 100_000), "JSON that is not UTF-8": proper(b'{"results":"\xff\xfe"}'),
        "JSON with a mark": proper(b"\xef\xbb\xbf{}"), "lone surrogates": proper('{"cursor":"\\ud800"}'),
        "NUL in JSON": proper(b'{"a":"\0"}'),
        "two values": proper("{}{}"), "names twice": proper('{"cursor":"a","cursor":5}'),
    }
    for text in ("[]", "{}", "null", '"ok"', "true", "0", "1e999999", "-", '{"results":{}}', '{"ok":true,"data":[]}'):
        found[f"the JSON {text}"] = proper(text)
    for status in ("401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone", "400 Bad Request", "409 Conflict", "451 No"):
        found[f"a foreign {status[:3]}"] = proper(PAGE, status=status, kind="text/html")
        found[f"a foreign problem {status[:3]}"] = proper({"type": "about:blank",
        "status": int(status[:3])}, status=status, kind=PROBLEM)
    for status in ("500 No", "502 Bad Gateway", "503 No", "504 No", "511 Sign In", "408 No", "425 No", "429 No"):
        found[f"a foreign {status[:3]}"] = proper(PAGE, status=status, kind="text/html")
    return found


def misused_words():
    """Our own problem bodies where they do not belong: with another status, another content type, or an unknown name."""
    return {
        "revoked with 200": problem("session-revoked", "200 OK", 401),
        "revoked with 404": problem("session-revoked", "404 Not Found"),
        "revoked with 500": problem("session-revoked", "500 No", 401),
        "malformed with 404": problem("malformed-request", "404 No", 400),
        "malformed with 403": problem("malformed-request", "403 No", 400),
        "an unknown problem": problem("no-such-thing", "400 No"),
        "revoked in plain JSON": proper({"type": OURS + "session-revoked", "status": 401}, status="401 Unauthorized"),
        "revoked in HTML": proper(json.dumps({"type": OURS + "session-revoked"}), status="401 No", kind="text/html"),
        "a problem full of escapes": problem("conflict", "409 Conflict", detail=ESCAPES * 50),
        "a problem without an end": problem("unavailable", "503 No", detail="x" * 60_000),
        "not found, in our words": problem("not-found", "404 Not Found"),
        "forbidden, in our words": problem("forbidden", "403 Forbidden"),
        "unavailable, for ever": wait("1000000000000"),
    }


WAITS = {
    "garbage": ["soon"], "negative": ["-5"], "1e12": ["1e12"], "many seconds": ["1000000000000"], "many digits": ["9" * 4000],
    "a date in 9999": ["Fri, 31 Dec 9999 23:59:59 GMT"], "a date in 1": ["Mon, 01 Jan 0001 00:00:00 GMT"],
    "twice": ["5", "100000"],
    "twice garbage": ["x", "5"], "a fraction": ["0.5"], "hex": ["0x10"], "other digits": ["\u0665\u0665"], "empty": [""],
    "a plus": ["+5"], "the day that is none": ["Fri, 99 Zzz 2026 99:99:99 GMT"],
}


def waits():
    found = {f"Retry-After {name}": wait(values[0], "503 Service Unavailable", *values[1:]) for name, values in WAITS.items()}
    found |= {f"429, Retry-After {name}": wait(values[0], "429 Too Many", *values[1:]) for name, values in WAITS.items()}
    return found


def all_answers():
    return {**broken_http(), **without_end(), **other_shapes(), **misused_words(), **waits()}
