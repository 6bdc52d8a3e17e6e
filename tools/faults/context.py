"""What a part of tools/torture works with, and where it reports its findings."""

import fnmatch
import os
import random
import subprocess
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

# The time limit of a part; the remaining cases are counted, not run. In the long size it only matters on an overloaded machine:
# a part with a list ends in a fraction of it, and one without an end sets a shorter limit.
QUICK_SECONDS = 20
LONG_SECONDS = 45 * 60


class NotRun(Exception):
    """The part cannot run here. The reason is reported; it is not a failure."""


class Violation(Exception):
    """A broken promise. Raised by `require` and the checks of `common`."""


def require(holds, text):
    """A promise: raises `Violation` with the text if it is broken."""
    if not holds:
        raise Violation(text)


class Context:
    """One part's run: programs, a folder, random numbers, and findings.

    - `part`, `size` ("quick" or "long"), `is_long`, `seed`
    - `lifesignal`, `server`: the programs' paths; `program(name)` for others
    - `folder`: scratch space, removed afterwards, in memory if possible
    - `random`: seeded by the seed and the part; `random_of(case)` for one case, whatever the order of the cases
    """

    def __init__(self, root, part, size, seed, binaries, folder, only=None):
        self.root, self.part, self.size, self.seed = root, part, size, seed
        self.is_long = size == "long"
        self.binaries, self.folder, self.only = binaries, folder, only
        self.lifesignal = os.path.join(binaries, "lifesignal")
        self.server = os.path.join(binaries, "lifesignal-server")
        self.random = self.random_of("")
        self.workers = os.cpu_count() or 1
        self.runs = 0
        self.faults = 0
        self.left_off = 0
        self.unreached = 0
        self.found = []
        self._lock = threading.Lock()
        self._is_stopped = False
        self._started = time.monotonic()
        self._deadline = self._started + (LONG_SECONDS if self.is_long else QUICK_SECONDS) * 0.9

    def is_chosen(self, case):
        """Whether `--only` names or matches (* and ?) the case, or is not given."""
        return self.only is None or fnmatch.fnmatchcase(str(case), self.only)

    def random_of(self, case):
        return random.Random(f"{self.seed} {self.part} {case}")

    def program(self, name):
        """The path of a built program. Raises `NotRun` if it is missing."""
        path = os.path.join(self.binaries, name)
        if not os.access(path, os.X_OK):
            raise NotRun(f"{name} is missing in {self.binaries}")
        return path

    @property
    def seconds_left(self):
        """Whether there is time left. Parts that use `each` need not ask."""
        return max(0.0, self._deadline - time.monotonic())

    def begin(self, long_seconds=LONG_SECONDS, quick_seconds=QUICK_SECONDS):
        """Starts the part's time here: what came before was building. Sets the time of each size."""
        self._deadline = time.monotonic() + (long_seconds if self.is_long else quick_seconds) * 0.9

    def stop(self):
        """Ends the part's time now."""
        self._deadline = 0

    def count(self, runs=0, faults=0, unreached=0, left_off=0):
        """Adds to the figures, from any thread. `each` counts runs and left-off cases by itself. Unreached faults were planned for
        a place that the run did not reach."""
        with self._lock:
            self.runs += runs
            self.faults += faults
            self.unreached += unreached
            self.left_off += left_off

    def add(self, totals, figures):
        """Adds figures to the totals of the same names, from any thread."""
        with self._lock:
            for name, figure in figures.items():
                totals[name] += figure

    def violation(self, case, text):
        """Records a broken promise, from any thread. `case` is what `--only` takes."""
        with self._lock:
            self.found.append({"case": case, "text": text})

    def scratch(self, name):
        """A new empty folder in `folder`."""
        path = os.path.join(self.folder, name)
        os.makedirs(path)
        return path

    def each(self, cases, perform, workers=None, is_endless=False):
        """Runs `perform(case)` for every case, on all processors, until the time is over.

        The remaining cases are counted, unless their list is endless. The text of a case is its name for `--only`. A
        `Violation`, or anything else that `perform` raises, is recorded with it. Cases run in random order, since the time may
        not suffice; those with `is_first` go first.
        """
        cases = [case for case in cases if self.is_chosen(case)]
        self.random.shuffle(cases)
        cases.sort(key=lambda case: not getattr(case, "is_first", False))
        with ThreadPoolExecutor(max_workers=workers or self.workers) as pool:
            try:
                list(pool.map(lambda case: self._perform(case, perform, is_endless), cases))
            except BaseException:
                # Running cases end and clean up; no others start.
                self._is_stopped = True
                raise

    def _perform(self, case, perform, is_endless):
        if self._is_stopped or not self.seconds_left and not self.only:
            self.count(left_off=0 if is_endless else 1)
            return
        self.count(runs=1)
        try:
            perform(case)
        except Violation as broken:
            self.violation(str(case), str(broken))
        except subprocess.TimeoutExpired as late:
            self.violation(str(case), f"hangs: {late}")
        except NotRun:
            raise
        except Exception:
            self.violation(str(case), traceback.format_exc())

    def report(self):
        report = {
            "runs": self.runs, "faults": self.faults, "violations": len(self.found),
            "left_off": self.left_off, "seconds": round(time.monotonic() - self._started, 1), "found": self.found,
        }
        if self.unreached:
            report["unreached"] = self.unreached
        return report
