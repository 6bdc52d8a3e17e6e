"""The whole system on a simulated network, disk and clock, seed by seed, on all processors (tests 10 and 11)."""

import json

from .common import run
from .context import require

NAMES = ("simulate",)
# Seeds that one process goes through: few enough that none is late.
SEEDS_A_PROCESS = 20
SEEDS = {"quick": 2_000, "long": 12_000}


class Seeds:
    def __init__(self, first):
        self.first, self.last = first, first + SEEDS_A_PROCESS - 1

    def __str__(self):
        return f"{self.first}..{self.last}"


def figures(text):
    """The last line of what the simulator says, where that is an object."""
    lines = text.strip().splitlines()
    try:
        value = json.loads(lines[-1]) if lines else {}
    except ValueError:
        value = {}
    return value if isinstance(value, dict) else {}


def run_seeds(context, program, seeds, totals):
    answer = run([program, "--seeds", str(seeds)], timeout=300)
    require(answer.status == 0, f"lifesignal-simulate --seeds {seeds}: {answer}")
    told = figures(answer.out)
    for name, value in told.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            totals[name] = totals.get(name, 0) + value
    context.count(runs=told.get("seeds", SEEDS_A_PROCESS) - 1, faults=told.get("faults", 0))


def run(context):
    program = context.program("lifesignal-simulate")
    totals = {}
    first = (context.seed - 1) * SEEDS["long"] + 1
    cases = [Seeds(first + at) for at in range(0, SEEDS[context.size], SEEDS_A_PROCESS)]
    context.each(cases, lambda seeds: run_seeds(context, program, seeds, totals))
    return {"simulator": totals} if totals else {}
