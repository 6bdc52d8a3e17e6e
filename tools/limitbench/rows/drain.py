"""How fast a queue is worked off, durable on both sides."""

from .. import stores
from ..devices import Device, line_server, server
from ..figures import Figure, ratio_at_least

RATE, BATCH = "a second", 500
# What the server writes of a contact: the contact, the change, and the result that answers it once more.
ROWS_PER_CHANGE = 3


def drained(context, count):
    """Seconds and peak memory (MiB) of `sync` on a device with so many queued changes of a contact."""
    device = Device(context, "drain")
    with server(context) as ours:
        ours.sign_in(device, "+12025550123")
        device.run("sync")
        device.add_responder()
        stores.fill_queue(device, count - 1)
        run = context.ours("spawn-timing", 1, "/bin/true", " ".join(device.command("sync")))
    if stores.pending(device):
        raise RuntimeError(f"{stores.pending(device)} of {count} changes were not sent")
    return run["b_us"] / 1e6, run["b_kib"] / 1024


def limit_rate(context, count, batch=BATCH, rows=1):
    with line_server(context, "single", rows) as port:
        return context.limit("drain", f"http://127.0.0.1:{port}/", context.path("queue.sqlite"), batch, count)["per_second"]


def drain(context):
    """10,000 and 100,000 queued changes sent to the server, beside a queue and a server by hand, with one row a change and with three"""
    for count in context.size((10_000, 100_000), (1_000,)):
        ours, one, three = [], [], []
        for _ in context.rounds:
            ours.append(count / drained(context, count)[0])
            one.append(limit_rate(context, count))
            three.append(limit_rate(context, count, rows=ROWS_PER_CHANGE))
        yield Figure(f"draining {count:,} queued, batches of {BATCH}", RATE, ours, one, ratio_at_least(0.6))
        yield Figure("  beside a server with as many rows", RATE, ours, three)
