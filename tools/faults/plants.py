"""Planted bugs, one at a time, and whether the simulator finds each; and commits without syncs.

Runs in the long size of tools/torture only, since it builds the simulator once more, with the bugs. To try some bugs with other
seeds:

    cd tools && python3 -m faults.plants [--seeds A..B] [--until C] [--bin FOLDER] [BUG…]
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from . import disks
from .context import NotRun, require

NAMES = ("plants",)
SEEDS = (1, 60)
# A bug that none of them finds is tried with later seeds, up to this one.
UNTIL = 300
# Seeds per process.
STRIDE = 10
LONG_SECONDS = 2 * 60 * 60
PRODUCTS = ("lifesignal-phone", "lifesignal-simulate")  # nobody signs in without the first
SOURCE = os.path.join("Sources", "Proof", "PlantedBugs", "PlantedBug.swift")
BROKEN = re.compile(r"^SEED (\d+) BROKE A PROMISE")
FINDING = re.compile(r"^  (I\d+) at \S+: (.*)$")


def build(root):
    """Builds the simulator as a release with the hooks, in a build of its own; returns its folder."""
    environment = dict(os.environ, LIFESIGNAL_PLANTED_BUGS="1")
    command = ["swift", "build", "-c", "release", "--scratch-path", os.path.join(root, ".build", "planted")]
    for product in PRODUCTS:
        subprocess.run([*command, "--product", product], cwd=root, env=environment, check=True, stdout=sys.stderr)
    answer = subprocess.run([*command, "--show-bin-path"], cwd=root, env=environment, check=True, capture_output=True, text=True)
    return answer.stdout.splitlines()[-1]


def described(root):
    """Each bug by name: the mistake, who made it, and the promise that it breaks, from the comments in the source."""
    bugs, comment = {}, []
    with open(os.path.join(root, SOURCE), encoding="utf-8") as file:
        for line in file:
            text = line.strip()
            case = re.match(r'case \w+ = "([a-z0-9-]+)"', text)
            if case and len(comment) >= 2:
                promise = re.search(r"I\d+", comment[-1])
                bugs[case.group(1)] = {
                    "what": comment[0], "who": " ".join(comment[1:-1]), "breaks": promise.group(0) if promise else None}
            comment = comment + [text[4:]] if text.startswith("/// ") else []
    return bugs


def findings(program, bug, first, last):
    """The findings in each of these seeds, as (promise, text), by seed."""
    command = [program, "--seeds", f"{first}..{last}"] + (["--plant", bug] if bug else [])
    answer = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=3600)
    found, seed = {}, None
    for line in answer.stdout.splitlines():
        if match := BROKEN.match(line):
            seed = int(match.group(1))
            found[seed] = []
        elif seed is not None and (match := FINDING.match(line)):
            found[seed].append((match.group(1), match.group(2)))
    if answer.returncode not in (0, 1):
        raise NotRun(f"{' '.join(command)}: exit status {answer.returncode}: {answer.stderr[-500:]}")
    return found


def measure(program, bugs, first, last, workers, tell=lambda row: None, until=UNTIL):
    """One row per bug. Seeds that break a promise without any bug are excluded, and returned first."""
    judged = {}  # what a seed finds without any bug

    def found_without(seed):
        if seed not in judged:
            judged[seed] = findings(program, None, seed, seed).get(seed)
        return judged[seed]

    with ThreadPoolExecutor(max_workers=workers) as pool:
        def found_with(bug, first, last):
            starts = range(first, last + 1, STRIDE)
            parts = pool.map(lambda start: findings(program, bug, start, min(start + STRIDE - 1, last)), starts)
            found = {seed: what for part in parts for seed, what in part.items()}
            sound = pool.map(lambda seed: not found_without(seed), found)
            return {seed: what for (seed, what), is_sound in zip(found.items(), sound) if is_sound}

        rows = []
        for bug in bugs:
            tried, found = last, found_with(bug, first, last)
            while not found and tried < until:
                start, tried = tried + 1, min(tried + STRIDE * workers, until)
                found = found_with(bug, start, tried)
            rows.append(row(bug, bugs[bug], found, tried - first + 1))
            tell(rows[-1])
    return {seed: what for seed, what in judged.items() if what}, rows


def row(bug, description, found, tried):
    """The report line of a bug that these seeds found."""
    promises = {}
    for what in found.values():
        for promise in {promise for promise, _ in what}:
            promises[promise] = promises.get(promise, 0) + 1
    seed = min(found, default=None)
    example = found[seed][0][1] if seed is not None and found[seed] else None
    return {
        "bug": bug, **description, "found": len(found), "of": tried, "first_seed": seed,
        "promises": dict(sorted(promises.items())), "example": example}


def control(program, store):
    """The trials of the part `disks` without syncs, so that a power cut loses commits: how many of those they find."""
    command = [program, "disks", "--control", "--store", store]
    answer = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=3600)
    require(answer.returncode == 0, f"{' '.join(command)}: exit status {answer.returncode}: {answer.stderr[-500:]}{answer.stdout[-500:]}")
    return json.loads(answer.stdout)


def run(context):
    if not context.is_long:
        raise NotRun("long size only: it builds the simulator with the bugs")
    program = os.path.join(build(context.root), "lifesignal-simulate")
    context.begin(LONG_SECONDS)
    bugs = {name: text for name, text in described(context.root).items() if context.is_chosen(name)}

    def tell(row):
        context.count(runs=row["of"])
        if not row["found"]:
            context.violation(row["bug"], f"no seed from {SEEDS[0]} to {UNTIL} finds it: {row['what']}")

    broken, rows = measure(program, bugs, *SEEDS, context.workers, tell)
    for seed, what in broken.items():
        context.violation(f"seed {seed}", f"a promise is broken without any planted bug: {what[0]}")
    figures = {
        "bugs_found": sum(1 for row in rows if row["found"]), "bugs": len(rows), "lost_commits_without_syncs": 0,
        "seeds": list(SEEDS), "until": UNTIL, "rows": rows}

    def find_lost_commits(case):
        told = control(program, case.split()[-1])
        context.count(runs=told["trials"] - 1, faults=told["power_cuts"])
        context.add(figures, {"lost_commits_without_syncs": told["lost_commits"]})

    context.each([f"disks without syncs, {store}" for store in disks.STORES], find_lost_commits)
    require(rows or context.runs, "there is no planted bug of that name")
    return figures


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default=f"{SEEDS[0]}..{SEEDS[1]}", help="as in 1..60")
    parser.add_argument("--until", type=int, default=UNTIL, help="the last seed for a bug that none of these finds")
    parser.add_argument("--bin", help="the built programs; without it they are built")
    parser.add_argument("bugs", nargs="*", metavar="BUG", help="without any: all")
    arguments = parser.parse_args()
    first, last = (int(number) for number in arguments.seeds.split(".."))
    known = described(root)
    for name in arguments.bugs:
        if name not in known:
            parser.error(f"there is no planted bug {name}: {', '.join(known)}")
    bugs = {name: known[name] for name in arguments.bugs or known}
    program = os.path.join(arguments.bin or build(root), "lifesignal-simulate")

    def tell(row):
        print(f"{row['bug']:<28}{row['found']:>4} of {row['of']}  first {row['first_seed']}  {row['promises']}", flush=True)

    broken, rows = measure(program, bugs, first, last, os.cpu_count() or 1, tell, arguments.until)
    for seed, what in sorted(broken.items()):
        print(f"without any bug, seed {seed}: {what[0] if what else ''}")
    missing = [row["bug"] for row in rows if not row["found"]]
    if missing:
        print(f"not found: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
