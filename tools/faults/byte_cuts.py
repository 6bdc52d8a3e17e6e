"""A connection that breaks at one byte, for every byte of the device's calls."""

import os
from concurrent.futures import ProcessPoolExecutor

from .network import shard
from .network.visits import SCENARIOS, Trial

NAMES = ("byte-cuts",)

LONG_MODES = ("reset", "close", "stall", "duplicate")
# The device's own timeout takes 20 seconds: the quick size stops earlier, as an impatient person would.
QUICK_MODES = ("reset", "close", "interrupt", "duplicate")
QUICK_TRIALS = 120
# File watchers needed for 200 stalled devices in each of two processes.
WATCHERS = 2048


def trials_of(scenario, lengths, modes):
    """Every byte of the scenario's exchanges, in every mode there."""
    for exchange, (request, answer) in zip(SCENARIOS[scenario], lengths, strict=True):
        for side, length in (("request", request), ("answer", answer)):
            for position in range(length):
                for mode in modes:
                    if mode != "interrupt" or scenario != "watch":
                        yield Trial(scenario, exchange, side, position, mode)


def visits_of(trials):
    """Pairs trials of a scenario's two parts, in order: one account serves both. Stalls are paired with stalls."""
    waiting = {}
    for trial in trials:
        key = trial.scenario, trial.mode == "stall"
        others = waiting.setdefault(key, {0: [], 1: []})[1 - trial.part]
        if others:
            yield trial.scenario, [others.pop(0), trial]
        else:
            waiting[key][trial.part].append(trial)
    for (scenario, _), parts in waiting.items():
        for trial in parts[0] + parts[1]:
            yield scenario, [trial]


def rounds_of(context, lengths):
    """All trials in three lists, run one after the other; the last may be left off.

    Every byte in one mode comes first. The worker's other modes come last, since its exchanges are those of `sync`.
    """
    modes = LONG_MODES if context.is_long else QUICK_MODES
    trials = [trial for scenario in SCENARIOS for trial in trials_of(scenario, lengths[scenario], modes)]
    context.random.shuffle(trials)

    def turn(trial):
        return 0 if modes[trial.position % len(modes)] == trial.mode else 2 if trial.scenario == "watch" else 1

    return [[trial for trial in trials if turn(trial) == number] for number in range(3)]


def warn_of_watchers(context):
    """Warns if the system has too few file watchers for all stalled devices to wait at once."""
    few = shard.watchers()
    if context.is_long and few < WATCHERS:
        print(
            f"  only {shard.stalled_at_once()} stalled connections at once, since fs.inotify.max_user_instances is {few}, and that"
            f" takes long; root makes it more: sysctl fs.inotify.max_user_instances={WATCHERS}", flush=True)


def perform(context, name, trials):
    """Runs the trials in one process per processor, and returns their results."""
    visits = list(visits_of(trials))
    count = min(context.workers, len(visits))
    with ProcessPoolExecutor(max_workers=count) as pool:
        shares = [
            pool.submit(
                shard.share, context.lifesignal, context.server, os.path.join(context.folder, f"{name}-{number}"),
                visits[number::count], context.seconds_left)
            for number in range(count)]
        return [share.result() for share in shares]


def only_of(context, lengths):
    """The trials that `--only` names or matches, whether or not this run would include them."""
    if not set(context.only) & set("*?["):
        return [[Trial.named(context.only)]]
    rounds = ([trial for trial in trials if context.is_chosen(trial)] for trials in rounds_of(context, lengths))
    return [trials for trials in rounds if trials]


def run(context):
    lengths = shard.lengths(context.lifesignal, context.server, os.path.join(context.folder, "measured"), list(SCENARIOS))
    warn_of_watchers(context)
    rounds = only_of(context, lengths) if context.only else rounds_of(context, lengths)
    if not rounds:
        return {}
    if not context.is_long:
        rounds = [rounds[0][:QUICK_TRIALS]]
    results, reached = [], set()
    for number, trials in enumerate(rounds, 1):
        if results and not context.seconds_left:
            context.count(left_off=len(trials))
            continue
        # An answer's length depends on how soon the responders were told: a byte that one trial misses, another reaches.
        trials.sort(key=lambda trial: trial.byte in reached)
        results += perform(context, f"round-{number}", trials)
        reached |= {trial.byte for result in results for trial in result.reached}
    for result in results:
        unreached = result.trials - len(result.reached)
        context.count(runs=result.visits, faults=result.trials, unreached=unreached, left_off=result.left_off)
        for case, text in result.found:
            context.violation(case, text)
    lengths = [length for pairs in lengths.values() for pair in pairs for length in pair]
    return {
        "bytes": sum(lengths), "bytes_cut": len(reached),
        "longest_wait_seconds": round(max(result.longest_wait for result in results), 1),
    }
