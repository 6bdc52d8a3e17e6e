"""The terminal screen: when it shows something, how soon it answers a key, and what it costs at rest."""

import time

from ..devices import Device
from ..figures import Figure, at_most, percentile
from ..processes import processor_seconds
from ..terminal import Terminal

MILLISECONDS = "ms"
# Opens and closes the list of keys, which fills half of the screen.
KEY = b"?"


def screen(context):
    """the terminal screen: from a key to the frame, from the start to the first frame, and the processor's time at rest"""
    device = Device(context, "screen")
    command = [context.programs["lifesignal-screen"], "--home", device.home]
    starts, keys, shares = [], [], []
    for _ in context.rounds:
        with Terminal(command) as terminal:
            starts.append((terminal.wait_for(b"LifeSignal") - terminal.started) * 1000)
            terminal.settle(0.3)
            keys += [key_delay(terminal) for _ in range(context.size(40, 6))]
            shares.append(share_at_rest(terminal, context.size(30, 1)))
    yield Figure("screen: key → frame, p50", MILLISECONDS, [percentile(keys, 0.5)], [], at_most(8))
    yield Figure("screen: key → frame, p99", MILLISECONDS, [percentile(keys, 0.99)])
    yield Figure("screen: start → first frame", MILLISECONDS, starts, [], at_most(10))
    # A process viewer shows less as 0.0.
    yield Figure("screen: processor at rest", "%", shares, [], at_most(0.05))


def key_delay(terminal):
    start = time.monotonic()
    terminal.press(KEY)
    delay = (terminal.wait_for() - start) * 1000
    terminal.settle(0.03)
    return delay


def share_at_rest(terminal, seconds):
    """Percent of one processor."""
    process = terminal.process.pid
    before, start = processor_seconds(process), time.monotonic()
    terminal.settle(seconds)
    return 100 * (processor_seconds(process) - before) / (time.monotonic() - start)
