"""A connection that breaks at one byte, at every byte of the device's calls (test 14)."""

import os
from concurrent.futures import ProcessPoolExecutor

from .network import shard
from .network.visits import SCENARIOS, Trial

NAMES = ("byte-cuts",)

LONG_MODES = ("reset", "close", "stall", "duplicate")
# To wait for the device's own time-out takes 20 seconds: in the quick size a person does not wait that long.
QUICK_MODES = ("reset", "close", "interrupt", "duplicate")
QUICK_TRIALS = 120


def trials_of(scenario, lengths, modes):
    """Every byte of the scenario's exchanges, and every mode there."""
    for exchange, (request, answer) in zip(SCENARIOS[scenario], lengths, strict=True):
        for side, length in (("request", request), ("answer", answer)):
            for position in range(length):
                for mode in modes:
                    if mode != "interrupt" or scenario != "watch":
                        yield Trial(scenario, exchange, side, position, mode)


def visits_of(trials):
    """Joins trials of one scenario's two parts: one account serves both. Stalls go with stalls."""
    waiting = {}
    for trial in trials:
        key = trial.scenario, trial.mode == "stall"
        others = waiting.setdefault(key, {0: [], 1: []})[1 - trial.part]
        if others:
            yield trial.scenario, [others.pop(), trial]
        else:
            waiting[key][trial.part].append(trial)
    for (scenario, _), parts in waiting.items():
        for trial in parts[0] + parts[1]:
            yield scenario, [trial]


def cases_of(context, lengths):
    """All trials in the order in which they are to be run; what comes last may be left off.

    The worker does in its exchanges what `sync` does in its own: every byte in one mode comes first, the other modes last.
    """
    modes = LONG_MODES if context.is_long else QUICK_MODES
    first, last = [], []
    for scenario in SCENARIOS:
        for trial in trials_of(scenario, lengths[scenario], modes):
            is_turn = modes[trial.position % len(modes)] == trial.mode
            (first if scenario != "watch" or is_turn else last).append(trial)
    context.random.shuffle(first)
    context.random.shuffle(last)
    return first + last if context.is_long else first[:QUICK_TRIALS]


def run(context):
    lengths = shard.lengths(context.lifesignal, context.server, os.path.join(context.folder, "measured"), list(SCENARIOS))
    trials = [Trial.named(context.only)] if context.only else cases_of(context, lengths)
    visits = list(visits_of(trials))
    count = min(context.workers, len(visits))
    with ProcessPoolExecutor(max_workers=count) as pool:
        shares = [
            pool.submit(
                shard.share, context.lifesignal, context.server, os.path.join(context.folder, f"share-{number}"),
                visits[number::count], context.seconds_left)
            for number in range(count)]
        results = [share.result() for share in shares]
    for result in results:
        context.count(runs=result.visits, faults=result.trials)
        for case, text in result.found:
            context.violation(case, text)
    exchanges = [pair for pairs in lengths.values() for pair in pairs]
    return {
        "requests' bytes": sum(request for request, _ in exchanges), "answers' bytes": sum(answer for _, answer in exchanges),
        "left off": sum(result.left_off for result in results), "not reached": sum(result.unreached for result in results),
        "longest wait s": round(max(result.longest_wait for result in results), 1),
    }
