"""Deliveries claimed and completed, beside other queues."""

import json
import os
import subprocess

from . import peers
from .figures import per_second, ratio

BATCHES = (100, 1000)
# As many as the peers have workers.
SENDERS = (1, 20, 40)


def queue(context):
    """Deliveries claimed and completed, one by one and in batches, beside procrastinate and pgqueuer."""
    with peers.environment(context.peers) as python:
        lines, single, batched = peers.figures(context, python)
    yield from lines
    yield "queue: the better peer, one by one", per_second(single), ""
    yield "queue: the better peer, in batches", per_second(batched), ""
    plan = [(f"one by one, {senders} senders", ["--senders", str(senders)], single) for senders in SENDERS]
    plan += [(f"in batches of {batch}", ["--batch", str(batch)], batched) for batch in BATCHES]
    for number, (how, options, best) in enumerate(plan):
        rate, note = ours(context, f"deliveries_{number}", options)
        if rate is None:
            yield f"queue: ours, {how}", "not measured", f"({note})"
        else:
            yield f"queue: ours, {how}", per_second(rate), f"{ratio(rate, best)} of the better peer {note}".rstrip()


def ours(context, database, options):
    """Deliveries a second, and a remark; None where the program cannot do it."""
    program = os.path.join(context.binaries, "lifesignal-simulate")
    described = subprocess.run([program, "deliveries", "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if options[0] not in described.stdout:
        return None, f"this lifesignal-simulate has no deliveries {options[0]}"
    rates = [measured(context, program, f"{database}_{number}", options) for number in range(context.rounds)]
    claimed, answer = sorted(rates, key=lambda rate: rate[0])[len(rates) // 2]
    others = {name: value for name, value in answer.items() if name in ("transactions", "p50_ms", "p99_ms")}
    return claimed, json.dumps(others)


def measured(context, program, database, options):
    """Deliveries a second of a database of its own, and all that the program says."""
    url = context.cluster.new_database(database)
    context.cluster.checkpoint()
    command = [program, "deliveries", "--database", url, "--count", str(context.count), *options]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1800)
    if done.returncode != 0:
        raise SystemExit(f"bench-postgres: lifesignal-simulate deliveries ended with {done.returncode}: {done.stderr[-2000:]}")
    context.cluster.query(f"DROP DATABASE {database} WITH (FORCE)")
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["claimed"] / answer["seconds"], answer
