"""How soon a message to a responder begins after the answer, and how soon a device's event stream tells of a change."""

import time

from serverbench.pages import open_stream, read_until
from serverbench.server import Account, alert, new_id, now

from . import alerts
from .figures import milliseconds, spread
from .servers import servers
from .webhooks import Receiver

PEOPLE = 32
SETTLE_SECONDS = 3
TARGET = "(target p50 5 ms, p99 15 ms)"
STREAM_TARGET = "(target p99 250 ms)"
TYPES = {"raise": "alert.activated", "update": "alert.activated", "end": "alert.deactivated"}


def latency(context):
    """From an answer until the message to the responder begins, with one process and across two; the lag of event streams."""
    context.cluster.new_database("latency_one")
    context.cluster.new_database("latency_two")
    with servers(context, "latency_one") as processes, Receiver(keeps=True) as receiver:
        yield from told(context, "one process", processes * 2, receiver, ("raise", "end"))
    with servers(context, "latency_two", 2) as processes, Receiver(keeps=True) as receiver:
        yield from told(context, "two processes", processes, receiver, ("raise", "update", "end"))
        yield from streamed(context, processes)


class Person:
    """An account with a connection to each of two processes, and one alert at most."""

    def __init__(self, account, processes):
        self.account, self.other, self.alert = account, Account(processes[1], account.token), None
        self.other.device = account.device

    def do(self, action):
        """An alert is raised at the first process; all else is done at the second. Gives when that began and was answered."""
        mutation, told = MUTATIONS[action](self), []
        if action != "update":
            told = [{"id": new_id(), "alert_id": self.alert, "kind": "activated" if action == "raise" else "deactivated"}]
        connection = self.account if action == "raise" else self.other
        connection.cursor = (self.other if action == "raise" else self.account).cursor or self.account.cursor
        begun = time.perf_counter()
        answer = connection.sync([mutation], told, limit=1)
        answered = time.perf_counter()
        self.account.cursor = self.other.cursor = connection.cursor
        if connection.status != 200 or answer["results"][0]["status"] != "applied":
            raise SystemExit(f"bench-postgres: {action} was not accepted: {answer}")
        return begun, answered

    def activation(self):
        mutation = alert()
        self.alert = mutation["entity_id"]
        return mutation

    def edit(self, kind, body):
        return {"id": new_id(), "entity_id": self.alert, "kind": kind, "occurred_at": now(), "body": body}


MUTATIONS = {
    "raise": Person.activation,
    "update": lambda person: person.edit("alert.update", {"message": f"The door is blocked {new_id()}", "location": None}),
    "end": lambda person: person.edit("alert.deactivate", {}),
}
DONE = {"raise": "accepted", "update": "updated", "end": "ended"}
PLACES = {"raise": "accepted at A", "update": "accepted at A, updated at B", "end": "accepted at A, ended at B"}


def told(context, name, processes, receiver, actions):
    """Each person does the actions in turn, at a steady rate altogether. Lines with the latencies by action."""
    people = [Person(account, processes) for account in alerts.people(processes[0], PEOPLE, receiver.urls)]
    done, late = [], 0.0
    begun = time.perf_counter()
    # A turn of all people is long enough for the message before to have come.
    for number in range(context.alerts // PEOPLE * PEOPLE * len(actions)):
        planned = begun + number / context.rate
        time.sleep(max(0.0, planned - time.perf_counter()))
        late = max(late, time.perf_counter() - planned)
        person, action = people[number % PEOPLE], actions[number // PEOPLE % len(actions)]
        done.append((action, *person.do(action), person.alert))
    time.sleep(SETTLE_SECONDS)
    came = {}
    for moment, kind, alert_id in receiver.ask("take"):
        came.setdefault((kind, alert_id), []).append(moment)
    for action in actions:
        label = f"latency: {name}, {PLACES[action] if len(set(processes)) > 1 else DONE[action]}"
        ours = [
            (begun, answered, first(came.get((TYPES[action], of), ()), begun))
            for performed, begun, answered, of in done if performed == action
        ]
        found = [entry for entry in ours if entry[2] is not None]
        yield f"{label}: answer to message", spread([1000 * (moment - answered) for _, answered, moment in found]), TARGET
        yield f"{label}: request to answer", spread([1000 * (answered - begun) for begun, answered, _ in ours]), ""
        if len(found) < len(ours):
            yield f"{label}: NOT TOLD", f"{len(ours) - len(found):,} of {len(ours):,} within {SETTLE_SECONDS} s", ""
    yield f"latency: {name}, the load's greatest delay", milliseconds(late * 1000), ""


def first(moments, since):
    return min((moment for moment in moments if moment >= since), default=None)


def streamed(context, processes):
    """Lines with the lag of a device's event stream at each process, after changes at the first."""
    for place, process in zip(("at A too", "at B"), processes):
        account = Account(processes[0])
        account.sync()
        stream = open_stream(process, "/v1/events", account.token)
        lags = []
        for _ in range(max(100, context.alerts // 4)):
            account.sync([alert()], limit=1)
            answered = time.perf_counter()
            read_until(stream, b"event: change")
            lags.append(1000 * (time.perf_counter() - answered))
            time.sleep(1 / context.rate)
        stream.close()
        yield f"latency: change at A, event stream {place}", spread(lags), STREAM_TARGET
