"""The runtime of the features, beside a store of forty lines."""

from ..figures import Figure, at_most, ratio_at_most

NANOSECONDS, MEBIBYTES = "ns", "MiB"


def pairs(context, name, count):
    """Ours and the limit's, for each round."""
    return zip(*((context.ours("store-timing", name, count), context.limit("floor", name, count)) for _ in context.rounds))


def store(context):
    """`Store.send`; an effect that sends an action back, one after the other and 100,000 at once; and a send that is observed"""
    sends, effects = context.size((1_000_000, 100_000), (300_000, 20_000))
    for name, what, count, bound in (
            ("send", "Store.send", sends, 1.05), ("effect", "effect → action, in a row", effects, 1.3),
            ("burst", f"effect → action, {effects:,} at once", effects, 1.5)):
        ours, limits = pairs(context, name, count)
        yield Figure(what, NANOSECONDS, [run["ns"] for run in ours], [run["ns"] for run in limits], ratio_at_most(bound))
        if name == "burst":
            yield Figure(
                "  peak memory", MEBIBYTES, [run["peak_kib"] / 1024 for run in ours], [run["peak_kib"] / 1024 for run in limits],
                ratio_at_most(1))
    observed = [context.ours("store-timing", "observed", sends)["ns"] for _ in context.rounds]
    yield Figure("Store.send, observed", NANOSECONDS, observed, [], at_most(120))
