"""Deliveries claimed and completed, beside other queues."""

import json
import os
import subprocess

from . import peers
from .figures import per_second, ratio

BATCHES = (100, 1000)


def queue(context):
    """Deliveries claimed and completed, one by one and in batches, beside procrastinate and pgqueuer."""
    with peers.environment(context.peers) as python:
        lines, single, batched = peers.figures(context, python)
    yield from lines
    yield "queue: the better peer, one by one", per_second(single), ""
    yield "queue: the better peer, in batches", per_second(batched), ""
    for batch, best in ((None, single), *((batch, batched) for batch in BATCHES)):
        name = f"queue: ours, in batches of {batch}" if batch else "queue: ours, one by one"
        rate, note = ours(context, batch)
        if rate is None:
            yield name, "not measured", f"({note})"
        else:
            yield name, per_second(rate), f"{ratio(rate, best)} of the better peer {note}".rstrip()


def ours(context, batch):
    """Deliveries a second, and a remark; None where the program cannot do it yet."""
    program = os.path.join(context.binaries, "lifesignal-simulate")
    described = subprocess.run([program, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if "deliveries" not in described.stdout:
        return None, "this lifesignal-simulate has no command “deliveries”"
    database = f"deliveries_{batch or 1}"
    url = context.cluster.new_database(database)
    context.cluster.checkpoint()
    command = [program, "deliveries", "--database", url, "--count", str(context.count)]
    done = subprocess.run(
        command + (["--batch", str(batch)] if batch else []), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1800)
    if done.returncode != 0:
        raise SystemExit(f"bench-postgres: lifesignal-simulate deliveries ended with {done.returncode}: {done.stderr[-2000:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    others = {name: value for name, value in answer.items() if name not in ("claimed", "seconds", "batch")}
    return answer["claimed"] / answer["seconds"], json.dumps(others) if others else ""
