"""Acceptance of single alerts, beside pgbench with the same statements."""

import os
import tempfile

from . import alerts, pgbench, script, statements
from .cpu import Meter
from .figures import median, milliseconds, per_second, ratio
from .servers import servers
from .waits import Waits

MANY = 64
WARM_UP_SECONDS = 2
# So that the account's numbers are none of the limits that statements have as parameters.
EARLIER_ALERTS = 300


def accept(context):
    """Single alerts without responders, by 64 connections and by one, beside pgbench with the same statements."""
    database = "accept"
    context.cluster.new_database(database)
    with servers(context, database) as (server,), tempfile.TemporaryDirectory() as folder:
        people = alerts.people(server, MANY)
        alerts.raise_for(people, WARM_UP_SECONDS)
        exchange, scripts = prepare(context, database, server, folder)
        yield from describe(exchange)
        for count in (MANY, 1):
            yield from compare(context, database, server, people[:count], scripts)
        with Waits(context.cluster, database) as waits:
            alerts.raise_for(people, min(context.seconds, 5))
        yield f"accept: {MANY} connections, the writing connection", str(waits), ""


def prepare(context, database, server, folder):
    """The captured exchange, and the paths of pgbench's scripts by name."""
    cluster = context.cluster
    others = alerts.people(server, MANY)
    alerts.raise_for(others, 1)
    ids = script.account_rows(cluster, database, others)
    first = others[0]
    newest = f"SELECT max(sequence) FROM changes WHERE account_id = '{ids[0]}'"
    while int(cluster.value(newest, database)) < EARLIER_ALERTS:
        alerts.raise_for([first], 0.2)
    exchange = statements.capture(cluster, database, first, ids[0])
    values = script.values_of(exchange, first, first.device, ids)
    scripts = {}
    for label, is_shared in (("pgbench", True), ("pgbench without the writer's row", False)):
        scripts[label] = os.path.join(context.keep_scripts or folder, "alert.sql" if is_shared else "alert-without-writer.sql")
        script.write(scripts[label], exchange, values, is_shared)
    return exchange, scripts


def describe(exchange):
    batches = exchange.batches
    sizes = " + ".join(str(len(batch)) for batch in batches)
    yield "accept: one alert alone", f"{len(exchange.statements)} statements in {len(batches)} round trips ({sizes})", ""
    texts = [statement.text.split("(")[0].split() for statement in exchange.statements]
    kinds = [words[0] for words in texts]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    yield "accept: its statements", counts, ""


def compare(context, database, server, people, scripts):
    """The server and pgbench in turn, so that drift of the machine hurts both."""
    count = len(people)
    name = f"accept: {count} connection{'s' if count > 1 else ''}"
    runs, theirs, commits = [], {label: [] for label in scripts}, 0
    for _ in range(context.rounds):
        before = writes(context, database)
        with Meter(context.cluster, [server]) as meter:
            run = alerts.raise_for(people, context.seconds)
        commits += writes(context, database) - before
        runs.append(run)
        for label, path in scripts.items():
            theirs[label].append(pgbench.run(context.cluster, database, path, count, context.seconds))
    rate, accepted = median([run.rate for run in runs]), sum(run.count for run in runs)
    yield name, per_second(rate), ""
    half, most = (median([run.percentile(share) for run in runs]) for share in (0.5, 0.99))
    yield f"{name}, an answer", f"p50 {milliseconds(half)}, p99 {milliseconds(most)}", ""
    yield f"{name}, alerts in one transaction", f"{accepted / max(commits, 1):.1f}", ""
    yield f"{name}, CPU an alert", meter.per(run.count), ""
    for label, rates in theirs.items():
        yield f"{name}, {label}", per_second(median(rates)), f"ours {ratio(rate, median(rates))}"


def writes(context, database):
    """How many transactions have written so far."""
    return int(context.cluster.value("SELECT max(changed) FROM changes", database))
