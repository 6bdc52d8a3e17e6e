"""Redirects, event streams that never rest, and sign-ins that promise too much."""

from .bad_answers import ESCAPES, problem
from .lies import TIME, body, new_id

EVENTS = "GET /v1/events"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def redirects():
    """By name, a function that makes the script for a visit; the other address is the visit's trap."""
    places = {
        "to another port": "http://127.0.0.1:{port}/v1/sync", "to another name": "http://localhost:{port}/",
        "to another scheme": "https://127.0.0.1:{port}/",
        "to a file": "file:///etc/passwd", "to no scheme": "//127.0.0.1:{port}/", "with a user": "http://lsa_x@127.0.0.1:{port}/",
        "to a path": "/elsewhere", "of escapes": "http://\x1b[2J/"}
    found = {}
    for name, place in places.items():
        for status in ("301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"):
            found[f"a redirect {name}, {status[:3]}"] = redirecting(status, place)
    found["a redirect by Refresh, 200"] = redirecting("200 OK", "http://127.0.0.1:{port}/", "Refresh: 0; url=")
    found["a redirect by an alternative, 200"] = redirecting("200 OK", '"127.0.0.1:{port}"', "Alt-Svc: http/1.1=")
    return found


def redirecting(status, place, header="Location: "):
    def make(visit):
        async def script(exchange):
            await exchange.answer("{}", status=status, headers=[
                header + place.format(port=visit.trap.port), "Set-Cookie: track=you; Path=/",
                "WWW-Authenticate: Negotiate, Basic realm=x"])

        return script

    return make


def after_verification(script):
    """The code is requested and arrives; then the visit's script answers."""

    def make(visit):
        answer = script(visit)

        async def wrapped(exchange):
            if exchange.request.route != "POST /v1/auth/verifications":
                return await answer(exchange)
            await exchange.answer(verification(), status="201 Created")

        return wrapped

    return make


def verification(**more):
    return {"verification_id": new_id(), "expires_at": "2099-01-01T00:00:00.000Z", "resend_at": TIME, **more}


def session(user=None, **more):
    """The result of a sign-in, for the number that requested the code."""
    token = "A" * 43

    def make(phone):
        return {
            "access_token": f"lsa_{token}", "refresh_token": f"lsr_{token}", "expires_at": "2099-01-01T00:00:00.000Z",
            "alert_key": f"lsk_{token}", "user": {"id": new_id(), "phone": phone, **(user or {})}, **more}

    return make


def signing_in(first, second=lambda phone: {}):
    def make(visit):
        async def script(exchange):
            match exchange.request.route:
                case "POST /v1/auth/verifications": await exchange.answer(first, status="201 Created")
                case "POST /v1/auth/sessions": await exchange.answer(second(visit.device.account.phone), status="201 Created")
                case _: await problem("unavailable", "503 Service Unavailable")(exchange)

        return script

    return make


def asking_for_work(zero_bits, nonce_count):
    work = {"challenge": "again", "zero_bits": zero_bits, "nonce_count": nonce_count}
    return lambda visit: problem("rate-limited", "429 Too Many", proof_of_work=work)


def sign_in_lies():
    """By name, a function that makes the script for a visit."""
    year_9999, year_1 = "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z"
    return {
        "work without end": asking_for_work(60, 8),
        "work of many parts": asking_for_work(20, 10**9),
        "work again and again": asking_for_work(4, 8),
        "a code for the year 9999": signing_in(verification(expires_at=year_9999, resend_at=year_9999)),
        "a code for the year 1": signing_in(verification(expires_at=year_1, resend_at=year_1)),
        "a verification of escapes": signing_in(verification(verification_id=ESCAPES)),
        "a long verification": signing_in(verification(verification_id="v" * 60_000)),
        "tokens that nobody knows": signing_in(verification(), session()),
        "tokens of escapes": signing_in(verification(), session(access_token=ESCAPES, refresh_token=ESCAPES, alert_key=ESCAPES)),
        "tokens with a line's end": signing_in(verification(), session(access_token="a\r\nX-Other: b", alert_key="a\r\nX: b")),
        "empty tokens": signing_in(verification(), session(access_token="", refresh_token="", alert_key="")),
        "long tokens": signing_in(verification(), session(access_token="a" * 20_000, alert_key="a" * 20_000)),
        "tokens until the year 1": signing_in(verification(), session(expires_at=year_1)),
        "another number": signing_in(verification(), session({"phone": "+12025550199"})),
        "a number of escapes": signing_in(verification(), session({"phone": ESCAPES})),
    }


def streaming(piece, seconds=0.0):
    """Accepts what it is sent, and writes the same to the stream forever."""

    async def script(exchange):
        if exchange.request.route.partition("?")[0] == EVENTS:
            await exchange.write(STREAM)
            return await exchange.for_ever(piece, seconds)
        await problem("unavailable", "503 Service Unavailable")(exchange)

    return script


def changing(piece):
    """A stream that announces changes, and exchanges that have none. What is sent gets no result."""

    async def script(exchange):
        if exchange.request.route.partition("?")[0] == EVENTS:
            await exchange.write(STREAM)
            return await exchange.for_ever(piece)
        await exchange.answer(body())

    return script


def all_streams():
    return {
        "a flood of changes": changing(b"event: change\ndata: {}\n\n" * 100),
        "a flood of heartbeats": streaming(b": heartbeat\n\n" * 1000),
        "a flood of strange events": streaming(b"event: \x1b[2J\ndata: x\nid: 9\nretry: 1\n\n" * 1000),
        "a stream without a line's end": streaming(b"x" * 65536),
        "an event without an end": streaming(b"data: x\n" * 4096),
        "a stream of NUL": streaming(bytes(65536)),
        "a stream that drips": streaming(b"x", 0.05),
    }
