"""Two processes on one database beside one, and what limits them."""

from . import alerts
from .accept import MANY, WARM_UP_SECONDS, writes
from .cpu import Meter
from .figures import median, per_second, ratio
from .keepup import PEOPLE, KeepUp
from .servers import servers
from .waits import Waits
from .webhooks import Receiver

WATCHED_SECONDS = 5


def two(context):
    """Two processes on one database, each with half of the clients, beside one: acceptance and keeping up, with who computes."""
    rates = {}
    for count in (1, 2):
        database = f"two_{count}"
        context.cluster.new_database(database)
        with servers(context, database, count) as processes, Receiver() as receiver:
            name = "two: 2 processes" if count > 1 else "two: 1 process"
            rates[count] = yield from measured(context, name, database, processes, receiver)
    for what in rates[1]:
        relation = ratio(rates[2][what], rates[1][what])
        yield f"two: {what}, two processes to one", per_second(rates[2][what]), f"{relation} (target 1.6 x)"


def measured(context, name, database, processes, receiver):
    """Yields lines, and returns the rates by what was measured."""
    people = shared(processes, MANY)
    alerts.raise_for(people, WARM_UP_SECONDS)
    rates, before, accepted = [], writes(context, database), 0
    for _ in range(context.rounds):
        with Meter(context.cluster, processes) as meter:
            run = alerts.raise_for(people, context.seconds)
        rates.append(run.rate)
        accepted += run.count
    commits = writes(context, database) - before
    yield f"{name}: accepted", per_second(median(rates)), ""
    yield f"{name}: alerts in one transaction", f"{accepted / max(commits, 1):.1f}", ""
    yield f"{name}: CPU an alert", meter.per(run.count), ""
    yield f"{name}: processors in use", meter.shares(run.seconds), ""
    with Waits(context.cluster, database) as waits:
        alerts.raise_for(people, WATCHED_SECONDS)
    yield f"{name}: the writing connection", str(waits), ""
    told = shared(processes, PEOPLE, receiver.urls)
    runs = [KeepUp(context, processes, receiver, told, context.seconds) for _ in range(context.rounds)]
    runs.sort(key=lambda run: run.rate)
    middle = runs[len(runs) // 2]
    yield from middle.lines(f"{name}, keeping up")
    yield f"{name}, keeping up: processors in use", middle.meter.shares(middle.run.seconds), ""
    return {"accepted": median(rates), "delivered": middle.rate}


def shared(processes, count, urls=()):
    """So many people, the same number at each process."""
    return [person for process in processes for person in alerts.people(process, count // len(processes), urls)]
