"""Alerts as fast as they are accepted, each told to one responder."""

import time

from . import alerts
from .cpu import Meter
from .figures import per_second
from .servers import servers
from .webhooks import Receiver

PEOPLE = 32
# Longer than it takes to deliver what is left after the alerts of some seconds.
REST_SECONDS = 120


class KeepUp:
    """A run: alerts accepted and messages delivered in the same time, and the seconds until the rest was delivered."""

    def __init__(self, context, processes, receiver, people, seconds):
        before = receiver.count
        with Meter(context.cluster, processes, receiver) as self.meter:
            self.run = alerts.raise_for(people, seconds, tells=True)
            self.delivered = receiver.count - before
        begun = time.perf_counter()
        while receiver.count - before < self.run.count and time.perf_counter() - begun < REST_SECONDS:
            time.sleep(0.05)
        self.rest_seconds = time.perf_counter() - begun
        self.missing = self.run.count - (receiver.count - before)

    @property
    def rate(self):
        """Messages delivered a second, the rest included."""
        return (self.run.count - max(self.missing, 0)) / (self.run.seconds + self.rest_seconds)

    def lines(self, name):
        seconds = self.run.seconds
        share = 100 * self.delivered / self.run.count
        yield f"{name}: accepted", per_second(self.run.rate), ""
        yield f"{name}: delivered meanwhile", f"{per_second(self.delivered / seconds)} ({share:.0f} %)", ""
        yield f"{name}: delivered, the rest included", per_second(self.rate), f"(the rest took {self.rest_seconds:.1f} s)"
        if self.missing > 0:
            yield f"{name}: NOT DELIVERED", f"{self.missing:,} after {REST_SECONDS} s", ""
        yield f"{name}: CPU an alert", self.meter.per(self.run.count), ""


def keepup(context):
    """Alerts of 32 accounts as fast as they are accepted, each told to one responder."""
    database = "keepup"
    context.cluster.new_database(database)
    with servers(context, database) as processes, Receiver() as receiver:
        people = alerts.people(processes[0], PEOPLE, receiver.urls)
        yield from KeepUp(context, processes, receiver, people, context.seconds).lines("keepup")
