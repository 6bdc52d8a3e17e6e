"""Well-formed answers to an exchange that lie."""

import itertools
import json
import uuid

from .bad_answers import ESCAPES, problem

SYNC = "POST /v1/sync"
# These take about as long as the limit of `sync`.
SLOW = {"more, for ever"}
TIME = "2026-11-21T12:00:00.000Z"


def new_id():
    return str(uuid.uuid4())


def body(results=(), changes=(), cursor="c", has_more=False, epoch="e", server_time=TIME):
    return {
        "results": list(results), "changes": list(changes), "cursor": cursor, "has_more": has_more, "epoch": epoch,
        "server_time": server_time}


def result(id, status="applied", **more):
    return {"id": id, "status": status, **({"applied_at": TIME} if status != "rejected" else {}), **more}


def alert(ordinal=1, id=None, message="strange", **more):
    entity = id or new_id()
    return {"entity": "alert", "id": entity, "alert": {
        "id": entity, "ordinal": ordinal, "started_at": TIME, "ended_at": TIME, "message": message, "location": None,
        "drill": False,
        "received_at": TIME, "end_received_at": TIME, **more}}


def contact(name="Stranger"):
    entity = new_id()
    return {"entity": "contact", "id": entity, "contact": {
        "id": entity, "name": name, "phone": "+12025550199", "responder": False, "dependent": False, "channels": [],
        "webhook_secret": "whsec_AAAA"}}


def lie(make):
    """`make(exchange)` returns the answer's body; every other call is answered 404."""

    async def script(exchange):
        if exchange.request.route != SYNC:
            return await problem("not-found", "404 Not Found")(exchange)
        await exchange.answer(make(exchange))

    return script


def rejecting(code, message):
    return lie(lambda exchange: body([result(id, "rejected", code=code, message=message) for id in exchange.items]))


def endless_pages():
    numbers = itertools.count(1)
    return lie(lambda exchange: body(changes=[alert(number := next(numbers))], cursor=f"c{number}", has_more=True))


def taking(**more):
    """Accepts what it is sent, and adds something strange."""
    return lie(lambda exchange: body([result(id) for id in exchange.items], **more))


def all_lies():
    return {
        "ids that were never sent": lie(lambda _: body([result(new_id()) for _ in range(50)])),
        "a result that is no id": lie(lambda _: body([result("../../etc/passwd"), result("")])),
        "no result": lie(lambda _: body()),
        "a status that is none": lie(lambda exchange: body([result(id, "lost") for id in exchange.items])),
        "rejected for a reason that is none": rejecting("no_such_reason", "because"),
        "rejected with escapes": rejecting(ESCAPES, ESCAPES * 20),
        "rejected without a reason": lie(lambda exchange: body([result(id, "rejected") for id in exchange.items])),
        "applied and rejected": lie(lambda exchange: body(
            [result(id) for id in exchange.items] + [result(id, "rejected", code="x", message="y") for id in exchange.items])),
        "rejected and applied": lie(lambda exchange: body(
            [result(id, "rejected", code="x", message="y") for id in exchange.items] + [result(id) for id in exchange.items])),
        "taken, and thrown away": taking(),
        "a cursor of a megabyte": taking(cursor="c" * (1 << 20)),
        "a cursor of seven megabytes": taking(cursor="c" * (7 << 20)),
        "a cursor of a megabyte, nothing taken": lie(lambda _: body(cursor="c" * (1 << 20))),
        "a cursor of escapes": taking(cursor=ESCAPES, epoch=ESCAPES),
        "more, for ever": endless_pages(),
        "more, and the same cursor": lie(lambda _: body(has_more=True)),
        "the year 1": taking(server_time="0001-01-01T00:00:00.000Z"),
        "the year 0": taking(server_time="0000-01-01T00:00:00.000Z"),
        "the year 9999": taking(server_time="9999-12-31T23:59:59.999Z"),
        "the year 9999, nothing taken": lie(lambda _: body(server_time="9999-12-31T23:59:59.999Z")),
        "the year 1, nothing taken": lie(lambda _: body(server_time="0001-01-01T00:00:00.000Z")),
        "strangers' alerts": taking(changes=[alert(number) for number in range(1, 400)]),
        "strangers' contacts": taking(changes=[contact(ESCAPES.replace("\0", "")) for _ in range(400)]),
        "an ordinal beyond all": taking(changes=[alert((1 << 63) - 1)]),
        "an ordinal beyond all, twice": taking(changes=[alert((1 << 63) - 1), alert((1 << 63) - 1)]),
        "an ordinal below zero": taking(changes=[alert(-(1 << 63)), alert(0)]),
        "an ordinal that is no integer": lie(lambda _: json.dumps(body(changes=[alert(1)])).replace('l": 1', 'l": 1e300')),
        "alerts of ten megabytes": lie(lambda _: body(changes=[alert(1, message="x" * (10 << 20))])),
        "messages of escapes": taking(changes=[alert(1, message=ESCAPES.replace("\0", "") * 9)]),
        "times that are none": lie(lambda _: body(changes=[alert(1, started_at="never")])),
    }
