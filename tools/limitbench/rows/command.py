"""Whole commands, from start to exit."""

from ..devices import Device
from ..figures import Figure, at_most, ratio_at_most
from ..stores import fill_history

MILLISECONDS, MEBIBYTES = "ms", "MiB"


def pairs(context, limit, command, *after):
    """For each round what `spawn-timing` tells of the limit's command (a) and ours (b), in turn."""
    count = context.size(40, 5)
    texts = [" ".join(str(word) for word in words) for words in (limit, command, *after)]
    return [context.ours("spawn-timing", count, *texts) for _ in context.rounds]


def times(what, runs, aim=None):
    return Figure(what, MILLISECONDS, [run["b_us"] / 1000 for run in runs], [run["a_us"] / 1000 for run in runs], aim)


def memory(what, runs, aim=None):
    return Figure(what, MEBIBYTES, [run["b_kib"] / 1024 for run in runs], [run["a_kib"] / 1024 for run in runs], aim)


def command(context):
    """`alert activate --yes --no-sync` from start to exit, beside a program that commits one row, and one that does the same work"""
    device = Device(context, "command")
    activate = device.command("alert", "activate", "--yes", "--no-sync")
    deactivate = device.command("alert", "deactivate", "--yes", "--no-sync")
    one = [context.limits["one-commit"], context.path("one.sqlite")]
    three = [context.limits["commits"], context.path("three.sqlite"), 1, "three"]
    beside_one, beside_three = (pairs(context, limit, activate, deactivate) for limit in (one, three))
    yield times("alert activate --yes --no-sync", beside_one, ratio_at_most(1.35))
    yield times("  beside the same work: three rows, lock, wake", beside_three)
    yield memory("alert activate --yes --no-sync, peak memory", beside_one, at_most(8))


def status(context):
    """`alert status` with 1,000,000 alerts of history, from start to exit, beside a program that makes the same reads"""
    count = context.size(1_000_000, 20_000)
    device = Device(context, "status")
    fill_history(device.store, count)
    runs = pairs(context, [context.limits["status"], device.store], device.command("alert", "status"))
    yield times(f"alert status, {count:,} alerts", runs, ratio_at_most(1.5))
    yield memory(f"alert status, {count:,} alerts, peak memory", runs)
