"""What an open snapshot costs: it keeps every dead row of the queue from being vacuumed."""

import concurrent.futures
import contextlib
import subprocess
import time

from faults.clusters import PROGRAMS
from serverbench import load

from . import alerts, statements
from .figures import milliseconds, per_second, ratio
from .servers import servers
from .webhooks import Receiver

PARTS = 6
# A town: its people raise few alerts each while the queue has many, so that rows of one account have few dead versions.
PEOPLE, CONNECTIONS = 20_480, 32
# The share of transactions whose statements are logged: enough for a p99 in minutes, and not too many in an hour.
SHARE, SHARE_MINUTES = 0.1, 0.6
CLAIM = "a claim or completion, its transaction"
CLASSES = {
    "SELECT id FROM writer": "take the writer's row",
    "UPDATE deliveries": "claim or complete",
    "INSERT INTO alerts": "accept an alert",
    "INSERT INTO deliveries": "accept a delivery",
}
DEAD = """
SELECT string_agg(format('%s %s (%s)', relname, n_dead_tup, pg_size_pretty(pg_total_relation_size(relid))), ', ')
FROM (SELECT * FROM pg_stat_user_tables ORDER BY n_dead_tup DESC LIMIT 6) AS most
"""


def snapshot(context):
    """Drills told for an hour, in a database of which a REPEATABLE READ snapshot is held open and in one without, at the same time."""
    with contextlib.ExitStack() as stack:
        sides = {name: stack.enter_context(Side(context, f"snapshot_{name}")) for name in ("without", "with")}
        stack.enter_context(held(context.cluster, sides["with"].database))
        share = min(SHARE, SHARE_MINUTES / context.minutes)
        context.cluster.clear_log()
        context.cluster.configure(log_transaction_sample_rate=share, log_parameter_max_length=0)
        try:
            for _ in range(PARTS):
                part(context, sides.values())
        finally:
            context.cluster.configure(log_transaction_sample_rate=None, log_parameter_max_length=None)
        for name, side in sides.items():
            yield from side.lines(f"snapshot: {name} one")
        yield from compared(sides["without"], sides["with"])


def part(context, sides):
    """All load their databases at once, so that drift of the machine hurts each."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda side: side.part(60 * context.minutes / PARTS), sides))
    for side in sides:
        entries = (entry for entry in context.cluster.log_entries() if entry.get("dbname") == side.database)
        for transaction in statements.transactions(entries):
            side.note(transaction)
    context.cluster.clear_log()


def compared(without, held_side):
    rate, last = held_side.rate, held_side.rates[-1]
    accepted, others = (sum(side.accepted) / len(side.accepted) for side in (held_side, without))
    yield "snapshot: alerts accepted, with to without", per_second(accepted), ratio(accepted, others)
    yield "snapshot: delivered, with to without", per_second(rate), f"{ratio(rate, without.rate)} (target 0.95 x)"
    yield ("snapshot: delivered in the last part, with to without", per_second(last),
           f"{ratio(last, without.rates[-1])} (target 0.95 x)")
    for name in held_side.times:
        if without.times[name] and held_side.times[name]:
            old, new = (load.percentile(side.times[name], 0.99) for side in (without, held_side))
            yield f"snapshot: {name}, p99, with to without", milliseconds(new), f"{ratio(new, old)} (target 2 x)"


class Side:
    """A database under load: messages delivered a second by part, and the times of sampled statements in milliseconds."""

    def __init__(self, context, database):
        self.context, self.database = context, database
        self.accepted = []
        self.rates, self.times, self.latencies = [], {name: [] for name in (CLAIM, *CLASSES.values())}, []

    def __enter__(self):
        self.context.cluster.new_database(self.database)
        with contextlib.ExitStack() as stack:
            processes = stack.enter_context(servers(self.context, self.database))
            self.receiver = stack.enter_context(Receiver())
            self.people = alerts.people(processes[0], PEOPLE, self.receiver.urls)
            self.load(2)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *reason):
        return self.stack.__exit__(*reason)

    def part(self, seconds):
        # A part must be shorter than a token is valid.
        with concurrent.futures.ThreadPoolExecutor(alerts.SIGNING_IN) as pool:
            list(pool.map(lambda person: person.renew(), self.people))
        before, begun = self.receiver.count, time.perf_counter()
        run = self.load(seconds)
        self.rates.append((self.receiver.count - before) / (time.perf_counter() - begun))
        self.accepted.append(run.rate)
        self.latencies.append(run.percentile(0.99))

    def load(self, seconds):
        # Of alerts that nobody answers responders are told again and again, which would be most of the work after some minutes.
        return alerts.raise_for(self.people, seconds, tells=True, is_drill=True, connections=CONNECTIONS)

    def note(self, transaction):
        claims = False
        for statement in transaction:
            name = next((name for start, name in CLASSES.items() if statement.text.startswith(start)), None)
            if name:
                self.times[name].append(statement.milliseconds)
            claims = claims or statement.text.startswith("UPDATE deliveries")
        if claims:
            first, last = transaction[0], transaction[-1]
            self.times[CLAIM].append(first.milliseconds + 1000 * (last.ended - first.ended))

    @property
    def rate(self):
        return sum(self.rates) / len(self.rates)

    def lines(self, name):
        yield f"{name}: delivered", per_second(self.rate), ""
        yield f"{name}: delivered, by part", " ".join(f"{rate:,.0f}" for rate in self.rates), ""
        yield f"{name}: alerts accepted, by part", " ".join(f"{rate:,.0f}" for rate in self.accepted), ""
        yield f"{name}: an alert is accepted, p99 by part", " ".join(f"{latency:,.0f}" for latency in self.latencies), "ms"
        for kind, times in self.times.items():
            if times:
                half, most = (milliseconds(load.percentile(times, share)) for share in (0.5, 0.99))
                yield f"{name}: {kind}", f"p50 {half}, p99 {most}", f"({len(times):,} sampled)"
        yield f"{name}: dead rows", self.context.cluster.value(DEAD, self.database), ""


@contextlib.contextmanager
def held(cluster, database):
    """A session that has read, and keeps what it saw."""
    process = subprocess.Popen(
        [f"{PROGRAMS}/psql", "-h", cluster.folder, "-U", "postgres", "-qAtX", database], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    try:
        process.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM alerts;\n")
        process.stdin.flush()
        process.stdout.readline()
        yield
        held_ones = cluster.value(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xmin IS NOT NULL"
            f" AND datname = '{database}' AND xact_start < now() - interval '1 second'")
        if held_ones == "0":
            raise SystemExit("bench-postgres: the snapshot was lost")
    finally:
        process.stdin.close()
        process.wait()
