"""The whole system on a simulated network, disk and clock, seed by seed, on all processors."""

import json

from .common import run as run_command
from .context import require

NAMES = ("simulate",)
# Some runs of the usual size and many small ones: most mistakes need few devices and a few minutes. Short exchanges follow one another as
# those of a long queue do.
SEEDS = {
    "quick": {"usual": 1_000, "small": 1_000, "short exchanges": 1_000},
    "long": {"usual": 2_000, "small": 8_000, "short exchanges": 2_000},
}
SMALL = ["--devices", "2..3", "--minutes", "2"]
SHAPES = {"usual": [], "small": SMALL, "short exchanges": [*SMALL, "--exchange-items", "2"]}
# Seeds per process: few enough that no process finishes late.
SEEDS_A_PROCESS = {"quick": 4, "long": 100}
LONG_SECONDS = 2 * 60 * 60
# For one process on a busy machine: only a seed that never ends takes longer.
PROCESS_SECONDS = 60 * 60
# In every so many processes one seed is run twice more, with identical traces.
REPEATED = 20
TEXT_LIMIT = 8_000


class Seeds:
    """The seeds of one process; `is_first` if one of them is repeated."""

    def __init__(self, shape, first, last, is_first):
        self.shape, self.first, self.last, self.is_first = shape, first, last, is_first

    def __str__(self):
        return f"{self.shape} {self.first}..{self.last}"


def simulate(program, *arguments):
    answer = run_command([program, *arguments], timeout=PROCESS_SECONDS)
    told = f"lifesignal-simulate {' '.join(arguments)}: exit status {answer.status}: {answer.out[:TEXT_LIMIT]}{answer.err}"
    require(answer.status == 0, told)
    lines = answer.out.splitlines()
    require(lines, f"it says nothing: {told}")
    return lines


def repeat(program, seeds):
    """The hash of the whole trace is the same in another process."""
    traces = {simulate(program, "--seed", str(seeds.first), *SHAPES[seeds.shape])[-2] for _ in range(2)}
    require(len(traces) == 1, f"seed {seeds.first} ({seeds.shape}) runs differ: {traces}")


def processes(context, shape):
    """The seeds of each process, of one size."""
    count = SEEDS_A_PROCESS[context.size]
    first = (context.seed - 1) * SEEDS["long"][shape] + 1
    starts = range(first, first + SEEDS[context.size][shape], count)
    return [Seeds(shape, start, start + count - 1, number % REPEATED == 0) for number, start in enumerate(starts)]


def run(context):
    program = context.program("lifesignal-simulate")
    totals = {"device_minutes": 0, "messages": 0, "seeds_run_twice": 0}
    context.begin(LONG_SECONDS)

    def perform(seeds):
        told = json.loads(simulate(program, "--seeds", f"{seeds.first}..{seeds.last}", *SHAPES[seeds.shape])[-1])
        context.count(runs=told["runs"] - 1, faults=told["faults"])
        context.add(totals, {name: told[name] for name in ("device_minutes", "messages")})
        if seeds.is_first:
            repeat(program, seeds)
            context.add(totals, {"seeds_run_twice": 1})

    context.each(
        [seeds for shape in SHAPES for seeds in processes(context, shape)], perform, is_endless=not context.is_long)
    return totals
