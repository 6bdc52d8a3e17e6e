"""Requests for a server's socket, from valid ones to random bytes, all from one random source."""

from dataclasses import dataclass

PATHS = ("/health", "/ready", "/openapi.yaml", "/v1/alerts", "/v1/contacts", "/v1/events", "/v1/sync", "/nothing", "/", "/a/x")
METHODS = ("GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "BREW", "\x7f", "G" * 300)
VERSIONS = ("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/9.9", "HTTP/1.", "http/1.1", "")
NAMES = (
    "Host", "Cookie", "Content-Length", "Transfer-Encoding", "Expect", "Connection", "Authorization", "Content-Type", "Range",
    "Upgrade", "Te", "Trailer", "X-Forwarded-For", "Accept-Encoding", "X", "", " ", "A B", "\x00", "é",
)
VALUES = (
    "", "x", "0", "1", "10", "-1", "+1", "1,1", "99999999999999999999", "0x10", "chunked", "gzip, chunked", "identity", "close", "keep-alive",
    "100-continue", "Bearer", "Bearer x", "Basic eDp4", "application/json", "bytes=0-1", "websocket", "a=b; c=\"d", "a;" * 50, "\x00", "\t x \t",
)
ARGUMENTS = ("a", "a=b", "=", "a=", "=b", "%41", "%", "%zz", "%00", "+", "", "a=b=c", "\x00", "é", "a" * 200, "#", "?", "active=true", "limit=1")
CHUNK_SIZES = ("0", "1", "5", "a", "A", "00000005", "5;x=y", "5 ", " 5", "", "-1", "zz", "ffffffffffffffff", "10000000000000000", "0x5", "5;" + "x" * 900)


@dataclass
class Made:
    """What is sent on one connection, and the required answers: None if any answer, or none, is right."""

    data: bytes
    statuses: tuple | None = None
    requests: int = 1
    # Whether the server closes the connection after these answers.
    ends: bool = False


def head(method, target, version, headers):
    lines = [f"{method} {target} {version}".rstrip(" ")] + [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def count(random, most):
    """Often small numbers, sometimes large ones."""
    return random.choice((0, 1, 2, 3, random.randrange(10), random.randrange(100), random.randrange(most)))


def with_query(random):
    """Any number of query arguments that fits a request line is answered like none."""
    arguments = [random.choice(("a", "b=c", "", "d=", "x" * random.randrange(1, 40))) for _ in range(count(random, 3000))]
    target = "/health?" + "&".join(arguments)
    # A line may use about half of the 24 KiB of a connection.
    statuses = (200,) if len(target) < 8000 else None
    return Made(head("GET", target, "HTTP/1.1", [("Host", "x")]), statuses)


def strange_query(random):
    arguments = [random.choice(ARGUMENTS) for _ in range(count(random, 2000))]
    target = random.choice(PATHS) + random.choice(("", "\x00", "%00", "//", "/../")) + "?" + random.choice("&&&;?").join(arguments)
    return Made(head(random.choice(METHODS), target, random.choice(VERSIONS), [("Host", "x")]))


def with_cookies(random):
    cookies = ";".join(random.choice(("a", "a=b", "a=\"b", "", "=", " ")) for _ in range(count(random, 2000)))
    return Made(head("GET", "/health", "HTTP/1.1", [("Host", "x"), ("Cookie", cookies)]), (200,) if len(cookies) < 6000 else None)


def strange_headers(random):
    headers = [(random.choice(NAMES), random.choice(VALUES)) for _ in range(count(random, 400))]
    made = head(random.choice(METHODS), random.choice(PATHS), random.choice(VERSIONS), headers)
    for _ in range(random.choice((0, 0, 1, 3))):
        # A folded line, one that ends in a bare LF, or one without a colon.
        made = made.replace(b"\r\n", random.choice((b"\r\n ", b"\n", b"\r\nno colon\r\n", b"\r", b"\r\n\t")), random.randrange(1, 4))
    return Made(made)


def chunked(random):
    """A chunked body, with a trailer or without: a valid exchange except for the missing token."""
    parts = [random.randbytes(random.randrange(1, 300)) for _ in range(random.randrange(6))]
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n"
    for _ in range(random.choice((0, 0, 1, 5))):
        body += b"X-Footer: y\r\n"
    headers = [("Host", "x"), ("Transfer-Encoding", "chunked"), ("Content-Type", "application/json")]
    return Made(head("POST", "/v1/sync", "HTTP/1.1", headers) + body + b"\r\n", (401,), ends=True)


def strange_chunks(random):
    body = b""
    for _ in range(random.randrange(1, 8)):
        part = random.randbytes(random.randrange(20))
        body += random.choice(CHUNK_SIZES).encode() + random.choice((b"\r\n", b"\r\n", b"\n", b"")) + part + random.choice((b"\r\n", b"\n", b""))
    body += random.choice((b"0\r\n\r\n", b"0\r\n" + b"A: b\r\n" * count(random, 3000) + b"\r\n", b"", b"0\r\n:\r\n\r\n"))
    headers = [("Host", "x"), ("Transfer-Encoding", "chunked"), ("Content-Type", "application/json")]
    return Made(head("POST", random.choice(("/v1/sync", "/v1/auth/tokens", "/health")), "HTTP/1.1", headers) + body)


def with_body(random):
    """Complete bodies with correct lengths for the routes that anybody may call."""
    path = random.choice(("/v1/auth/tokens", "/v1/sync", "/v1/auth/sessions/current", "/health"))
    body = random.choice((b"{}", b"[]", b'{"refresh_token":"x"}', b"", b"{", random.randbytes(random.randrange(2000)), b"[" * 5000))
    headers = [("Host", "x"), ("Content-Length", len(body)), ("Content-Type", random.choice(("application/json", "text/plain")))]
    if random.random() < 0.2:
        headers.append(("Expect", "100-continue"))
    return Made(head(random.choice(("POST", "PUT", "DELETE", "GET")), path, "HTTP/1.1", headers) + body)


def wrong_length(random):
    statuses = {"-1": 400, "+1": 400, "1,1": 400, "0x10": 400, "5 5": 400, "٥": 400, "x": 400, "99999999999999999999": 413, "2097152": 413}
    length = random.choice(tuple(statuses) + ("1", "10", "1048576", " 5 ", ""))
    made = head("POST", "/v1/sync", "HTTP/1.1", [("Host", "x"), ("Content-Length", length)]) + random.randbytes(random.randrange(30))
    return Made(made, (statuses[length],) if length in statuses else None)


def large(random):
    """A line, a header or many of them, around the size of a connection's memory."""
    size = random.choice((8_000, 11_000, 12_288, 16_000, 24_576, 30_000)) + random.randrange(-64, 64)
    lines = {
        "target": lambda: head("GET", "/" + "a" * size, "HTTP/1.1", [("Host", "x")]),
        "query": lambda: head("GET", "/health?" + "a&" * (size // 2), "HTTP/1.1", [("Host", "x")]),
        "value": lambda: head("GET", "/health", "HTTP/1.1", [("Host", "x"), ("X", "a" * size)]),
        "headers": lambda: head("GET", "/health", "HTTP/1.1", [("Host", "x")] + [("A", "b")] * (size // 6)),
        "method": lambda: head("G" * size, "/health", "HTTP/1.1", [("Host", "x")]),
        "no end": lambda: b"G" * size,
    }
    return Made(lines[random.choice(sorted(lines))]())


def mutated(random):
    made = random.choice(WHOLE)(random)
    data = bytearray(made.data)
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(data) + 1)
        change = random.randrange(4)
        if change == 0:
            data[at:at] = random.randbytes(random.randrange(1, 4))
        elif change == 1:
            del data[at : at + random.randrange(1, 20)]
        elif change == 2:
            data[at:at] = data[at : at + random.randrange(1, 200)] * random.randrange(1, 5)
        elif data:
            data[at % len(data)] ^= 1 << random.randrange(8)
    return Made(bytes(data))


def garbage(random):
    return Made(random.randbytes(random.randrange(1, 3000)))


def pipelined(random):
    """Several whole requests at once: as many answers, in order, up to the first that ends the connection."""
    parts = [random.choice((with_query, chunked, good))(random) for _ in range(random.randrange(2, 6))]
    known = all(part.statuses is not None for part in parts) and sum(len(part.data) for part in parts) < 8000
    last = next((place for place, part in enumerate(parts) if part.ends), len(parts))
    statuses = tuple(status for part in parts[: last + 1] for status in part.statuses or ()) if known else None
    return Made(b"".join(part.data for part in parts), statuses, len(parts), ends=last < len(parts))


def good(random):
    path, status = random.choice((("/health", 200), ("/nothing", 404), ("/v1/alerts", 401), ("/v1/sync", 405), ("/openapi.yaml", 200)))
    return Made(head("GET", path, "HTTP/1.1", [("Host", "x")]), (status,))


def then_garbage(random):
    """A valid request, and an invalid one on the same connection."""
    first, second = good(random), random.choice((garbage, strange_headers, strange_query, mutated))(random)
    return Made(first.data + second.data, requests=2)


WHOLE = (with_query, with_cookies, chunked, with_body, good)
KINDS = WHOLE + (
    with_query, strange_query, strange_query, strange_headers, strange_chunks, wrong_length, large, mutated, mutated, garbage, pipelined,
    then_garbage,
)


def make(random):
    return random.choice(KINDS)(random)
