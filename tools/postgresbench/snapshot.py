"""What an open snapshot costs: it keeps every dead row of the queue from being vacuumed."""

import contextlib
import subprocess
import time

from faults.clusters import PROGRAMS
from serverbench import load

from . import alerts, statements
from .figures import milliseconds, per_second, ratio
from .keepup import PEOPLE
from .servers import servers
from .webhooks import Receiver

PARTS = 6
# The share of transactions whose statements are logged: enough for a p99 in minutes, and not too many in an hour.
SHARE, SHARE_MINUTES = 0.1, 0.6
CLAIM = "a claim or completion, its transaction"
CLASSES = {
    "UPDATE writer": "take the writer's row",
    "UPDATE deliveries": "claim or complete",
    "INSERT INTO alerts": "accept an alert",
    "INSERT INTO deliveries": "accept a delivery",
}
DEAD = """
SELECT string_agg(format('%s %s (%s)', relname, n_dead_tup, pg_size_pretty(pg_total_relation_size(relid))), ', ')
FROM (SELECT * FROM pg_stat_user_tables ORDER BY n_dead_tup DESC LIMIT 6) AS most
"""


def snapshot(context):
    """Drills told for an hour with a REPEATABLE READ snapshot held open, beside an hour without: throughput and claims."""
    results = {}
    for name in ("without", "with"):
        database = f"snapshot_{name}"
        context.cluster.new_database(database)
        context.cluster.checkpoint()
        results[name] = Hour(context, database, name == "with")
        yield from results[name].lines(f"snapshot: {name} one")
        context.cluster.query(f"DROP DATABASE {database} WITH (FORCE)")
    before, now = results["without"], results["with"]
    yield "snapshot: delivered, with to without", per_second(now.rate), f"{ratio(now.rate, before.rate)} (target 0.95 x)"
    yield ("snapshot: delivered in the last part, with to without", per_second(now.rates[-1]),
           f"{ratio(now.rates[-1], before.rates[-1])} (target 0.95 x)")
    for name in now.times:
        if before.times[name] and now.times[name]:
            old, new = (load.percentile(hour.times[name], 0.99) for hour in (before, now))
            yield f"snapshot: {name}, p99, with to without", milliseconds(new), f"{ratio(new, old)} (target 2 x)"


class Hour:
    """A run of `context.minutes`: messages delivered a second by part, and the times of sampled statements in milliseconds."""

    def __init__(self, context, database, is_held):
        self.rates, self.times, self.latencies = [], {name: [] for name in (CLAIM, *CLASSES.values())}, []
        cluster = context.cluster
        with servers(context, database) as processes, Receiver() as receiver:
            people = alerts.people(processes[0], PEOPLE, receiver.url)
            alerts.raise_for(people, 2, tells=True, is_drill=True)
            with held(cluster, database) if is_held else contextlib.nullcontext():
                cluster.clear_log()
                share = min(SHARE, SHARE_MINUTES / context.minutes)
                cluster.configure(log_transaction_sample_rate=share, log_parameter_max_length=0)
                try:
                    for _ in range(PARTS):
                        self.part(context, people, receiver)
                finally:
                    cluster.configure(log_transaction_sample_rate=None, log_parameter_max_length=None)
                self.dead = cluster.value(DEAD, database)
        cluster.clear_log()

    def part(self, context, people, receiver):
        before, begun = receiver.count, time.perf_counter()
        # Of alerts that nobody answers responders are told again and again, which would be most of the work after some minutes.
        run = alerts.raise_for(people, 60 * context.minutes / PARTS, tells=True, is_drill=True)
        self.rates.append((receiver.count - before) / (time.perf_counter() - begun))
        self.latencies.append(run.percentile(0.99))
        for transaction in statements.transactions(context.cluster.log_entries()):
            self.note(transaction)
        context.cluster.clear_log()

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
        yield f"{name}: an alert is accepted, p99 by part", " ".join(f"{latency:,.0f}" for latency in self.latencies), "ms"
        for kind, times in self.times.items():
            if times:
                half, most = (milliseconds(load.percentile(times, share)) for share in (0.5, 0.99))
                yield f"{name}: {kind}", f"p50 {half}, p99 {most}", f"({len(times):,} sampled)"
        yield f"{name}: dead rows", self.dead, ""


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
