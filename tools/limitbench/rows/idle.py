"""What a worker costs while nothing happens."""

import time

from ..devices import Device, server
from ..figures import Figure, at_least, at_most
from ..processes import resident_mebibytes, voluntary_switches
from ..relay import relay

# Longer than the time within which the stream has to be opened, whose timer still runs out, and than a thread waits for more to do.
SETTLE_SECONDS = 12
LEARNING_SECONDS = 2400


def idle(context):
    """a worker of which nothing is wanted, for 21 minutes, once it has learned how rare heartbeats may be: wake-ups beyond them, memory"""
    device, wanted = Device(context, "idle"), context.size(1260, 8)
    with server(context) as ours, relay(ours.port) as way:
        ours.sign_in(device, "+12025550125", way.url)
        way.watch_for(b"heartbeat=600")
        with device.worker() as worker:
            if context.size(True, False):
                way.wait(LEARNING_SECONDS)
            time.sleep(SETTLE_SECONDS)
            switches, beats, start = voluntary_switches(worker.pid), way.answer_count, time.monotonic()
            time.sleep(wanted)
            switches, beats = voluntary_switches(worker.pid) - switches, way.answer_count - beats
            seconds, memory = time.monotonic() - start, resident_mebibytes(worker.pid)
    yield Figure("worker idle: wake-ups beyond heartbeats", "a minute", [max(0, switches - beats) * 60 / seconds], [], at_most(0))
    yield Figure("worker idle: all wake-ups", "a minute", [switches * 60 / seconds])
    yield Figure("worker idle: memory", "MiB", [memory], [], at_most(12))
    if beats:
        yield Figure("worker idle: time between heartbeats", "s", [seconds / beats], [], at_least(600))
