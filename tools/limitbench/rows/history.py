"""What a long history costs: reading its newest page, and raising one more alert."""

from ..devices import Device
from ..figures import Figure, ratio_at_most
from ..stores import fill_history, fill_queue

TIME = "µs"


def history(context):
    """the 50 newest of 1,000,000 alerts through the library, beside a smaller table read by hand, and the same one"""
    count, reads = context.size(1_000_000, 20_000), context.size(2000, 300)
    device = Device(context, "history")
    fill_history(device.store, count)
    plain = context.path("history.sqlite")
    context.limit("bulk", plain, count, count)
    ours, small, same = [], [], []
    for _ in context.rounds:
        ours.append(context.ours("history-timing", device.home, reads)["p50_us"])
        small.append(context.limit("page", "plain", plain, reads)["p50_us"])
        same.append(context.limit("page", "device", device.store, reads)["p50_us"])
    yield Figure(f"newest 50 of {count:,}, library", TIME, ours, small, ratio_at_most(1.5))
    yield Figure("  beside the same statement by hand", TIME, ours, same)


def growth(context):
    """an activation with 10,000,000 alerts of history and 100,000 queued items, beside one in an empty store"""
    alerts, queued, count = context.size((10_000_000, 100_000, 1000), (50_000, 5_000, 200))
    full, empty = Device(context, "full"), Device(context, "empty")
    full.add_responder("https://hooks.example.org/ana")
    fill_history(full.store, alerts)
    fill_queue(full, queued)
    ours, limits = [], []
    for _ in context.rounds:
        for device, medians in ((full, ours), (empty, limits)):
            medians.append(context.ours("activation-timing", "commits", device.home, count)["activation_p50_us"])
    yield Figure(f"activation with {alerts:,} and {queued:,} queued, beside empty", TIME, ours, limits, ratio_at_most(1.2))
