"""The stores on a disk that fails, loses and tears writes."""

import json

from .common import run as run_command
from .context import require

NAMES = ("disks",)
STORES = ("device", "server")
# The trials of each store in the long size, and in one process: the whole sweep, and this many of the others.
CUTS, COMPOUND = 26_000, 5_500
TRIALS_A_PROCESS = {"quick": 60, "long": 1_000}
TIMEOUT_SECONDS = 900
SUMS = ("power_cuts", "compound_faults", "io_faults", "kills", "syncs", "writes_lost", "writes_torn")
TEXT_LIMIT = 8_000


class Trials:
    """Trials of one store and kind. `fault` is the sweep in which every operation fails in every way; `cut` and `compound` are
    random."""

    def __init__(self, store, kind, first, last, is_first):
        self.store, self.kind, self.first, self.last, self.is_first = store, kind, first, last, is_first

    def __str__(self):
        return f"{self.store} {self.kind} {self.first}..{self.last}"


def disks(context, store, numbers):
    """Runs the trials with these numbers and returns the figures."""
    program = context.program("lifesignal-simulate")
    command = [program, "disks", "--seed", str(context.seed), "--store", store, "--only", numbers]
    answer = run_command(command, timeout=TIMEOUT_SECONDS)
    require(answer.status == 0, f"exit status {answer.status}: {answer.err[:TEXT_LIMIT]}{answer.out[:TEXT_LIMIT]}")
    return json.loads(answer.out)


def trials_of(store, kind, count, size):
    """`count` trials over as many processes as they need; the first ones are never left off."""
    stride = TRIALS_A_PROCESS[size]
    return [
        Trials(store, kind, first, min(first + stride, count) - 1, is_first=first == 0) for first in range(0, count, stride)]


def run(context):
    totals = {name: 0 for name in ("sweep_operations", *SUMS)}
    cases = []
    for store in STORES:
        sweep = disks(context, store, "cut:0")["sweep"]
        for kind, count in (("fault", sweep), ("cut", CUTS), ("compound", COMPOUND)):
            cases += trials_of(store, kind, count, context.size)

    def perform(trials):
        told = disks(context, trials.store, f"{trials.kind}:{trials.first}..{trials.last}")
        context.count(runs=told["trials"] - 1, faults=told["power_cuts"] + told["kills"] + told["io_faults"])
        context.add(totals, {name: told[name] for name in SUMS})
        context.add(totals, {"sweep_operations": told["trials"] if trials.kind == "fault" else 0})

    context.each(cases, perform, is_endless=not context.is_long)
    return totals
