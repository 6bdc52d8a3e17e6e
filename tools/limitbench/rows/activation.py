"""Alerts that the library raises and ends, each made durable, beside transactions written by hand."""

from ..figures import Figure, ratio_at_least, ratio_at_most

RATE, TIME = "a second", "µs"


def activation(context):
    """durable activations through the library, with its file lock, beside two rows a transaction, and three with the same lock"""
    count = context.size(2000, 300)
    ours, two, three = [], [], []
    for _ in context.rounds:
        ours.append(context.ours("activation-timing", "commits", context.path("activation"), count))
        two.append(context.limit("commits", context.path("two.sqlite"), count, "two"))
        three.append(context.limit("commits", context.path("three.sqlite"), count, "three"))

    def rates(runs):
        return [run["per_second"] for run in runs]

    def late(runs):
        return [run["p99_us"] for run in runs]

    our_rates, our_late = [run["commits_s"] for run in ours], [run["activation_p99_us"] for run in ours]
    yield Figure("durable activation, library", RATE, our_rates, rates(two), ratio_at_least(0.92))
    yield Figure("  beside the same work: three rows, lock, wake", RATE, our_rates, rates(three))
    yield Figure("durable activation, library, p99", TIME, our_late, late(two), ratio_at_most(1.5))
    yield Figure("  beside the same work", TIME, our_late, late(three))
