"""The tests under the thread sanitizer: values that two threads reach without a lock, and locks taken in opposite orders.

The sanitizer's build is separate. Its locks are `pthread_mutex_t`, because the sanitizer does not see a `Mutex`, and the programs
that the tests start are instrumented too. `races.suppressions` names the reports that are about uninstrumented libraries and not
about us, each with its reason. The first case plants mistakes that the sanitizer must report.
"""

import os
import re
import shutil
import subprocess
import tempfile

from .context import NotRun, Violation, require

NAMES = ("races",)
# Its build takes ten minutes: the quick size runs it only if it is named.
IS_LONG = True
SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "races.suppressions")
PROGRAMS = ("lifesignal", "lifesignal-server", "lifesignal-screen", "lifesignal-simulate")
# The mistakes of PlantedRaceTests: what the report must say and name.
PLANTED = (
    (r"(data|Swift access) race", "two threads write one value without a lock"),
    (r"(data|Swift access) race", "tasks write one value without a lock"),
    (r"lock-order-inversion", "two threads take two locks in opposite orders"),
)
# Swift's sanitizer ignores by default what libc functions do with memory and locks. That is right where an uninstrumented library
# calls them, which the default of `ignore_noninstrumented_modules` still says, but would hide locks of ours in opposite orders.
# Crashes are left to the programs: a test has one handle its own.
OPTIONS = "ignore_interceptors_accesses=0 second_deadlock_stack=1 history_size=4 halt_on_error=0 handle_segv=0 handle_sigbus=0"
# Test targets of the quick size: those in which threads meet, and whose tests take milliseconds.
QUICK = (
    "SystemKitTests", "SQLiteKitTests", "CurlTransportTests", "DeviceCoreTests", "DependenciesTests", "ComposableTests", "LifeSignalTests",
    "ServerHTTPTests",
)
QUICK_SECONDS = 3 * 60
# For one target.
TARGET_SECONDS = 30 * 60
LONG_SECONDS = 90 * 60
REPORT = re.compile(r"^WARNING: ThreadSanitizer:.*?^={18}$", re.M | re.S)
# Where a report goes on from what happened to where the threads and the memory came from.
ORIGINS = re.compile(r"\n\n  (?:Location|Thread) ")
FRAME = re.compile(r"^ +#\d+ (.*?) \(", re.M)
RUN = re.compile(r"Test run with (\d+) tests?")
FAILED = re.compile(r"^✘ .*$", re.M)


def command(root, *arguments):
    return ("swift", *arguments, "--sanitize=thread", "--scratch-path", os.path.join(root, ".build", "races"))


def environment(**more):
    return {**os.environ, "LIFESIGNAL_PTHREAD_LOCKS": "1", **more}


def build(root):
    """Builds the tests and the programs; returns their folder."""
    arguments = command(root, "build", "--build-tests")
    done = subprocess.run(arguments, cwd=root, env=environment(), capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise Violation(f"the tests cannot be built for the thread sanitizer:\n{(done.stdout + done.stderr)[-4000:]}")
    place = subprocess.run((*arguments, "--show-bin-path"), cwd=root, env=environment(), check=True, capture_output=True, text=True)
    return place.stdout.splitlines()[-1]


def targets(root):
    """The test targets, by their folders."""
    rooms = os.path.join(root, "Tests")
    return sorted(
        name for room in os.listdir(rooms) if os.path.isdir(os.path.join(rooms, room))
        for name in os.listdir(os.path.join(rooms, room)) if name.endswith("Tests"))


def demangled(text):
    """The text with Swift's names as in the source."""
    command = ("swift", "demangle", "--simplified")
    done = subprocess.run(command, input=text, check=True, capture_output=True, text=True, errors="replace")
    # A name in backticks has other spaces.
    return done.stdout.replace("\u00a0", " ")


class Planted:
    """The case in which the sanitizer must report."""

    is_first = True

    def __str__(self):
        return "planted races"


class Sanitizer:
    """Runs test targets, and prints every report once."""

    def __init__(self, context, binaries):
        self.context, self.binaries = context, binaries
        # By its path: some programs are started without a PATH, and no suppression matches a function without a name.
        beside_swift = os.path.dirname(os.path.realpath(shutil.which("swift")))
        self.symbolizer = shutil.which("llvm-symbolizer", path=os.pathsep.join((beside_swift, os.environ["PATH"])))
        if not self.symbolizer:
            raise NotRun("there is no llvm-symbolizer to name functions in the reports")
        self.tests, self.planted = 0, 0
        self.reports = set()

    def run(self, case):
        if isinstance(case, Planted):
            self.find_planted()
            return
        done, reports = self.test(case, rf"^{case}\.")
        count = sum(int(count) for count in RUN.findall(done.stdout))
        self.tests += count
        new = [report for report in reports if self.is_new(report)]
        require(not reports, f"{len(reports)} reports, {len(new)} of them for the first time\n" + "\n".join(new))
        if done.returncode != 0:
            failed = FAILED.findall(done.stdout) or [(done.stdout + done.stderr)[-2000:]]
            raise Violation(f"exit status {done.returncode}\n" + "\n".join(failed))
        require(count > 0, f"no test ran:\n{(done.stdout + done.stderr)[-2000:]}")

    def test(self, name, tests, **more):
        """The end of a test run, and what the sanitizer reported in the tests and in the programs that they started."""
        with tempfile.TemporaryDirectory(prefix=f"lifesignal-races.{name}.") as folder:
            # Tests start programs as other users too. The sanitizer ends a program that cannot reach the folder of its reports.
            os.chmod(folder, 0o777)
            options = f"{OPTIONS} external_symbolizer_path={self.symbolizer} suppressions={SUPPRESSIONS} log_path={folder}/report"
            done = subprocess.run(
                command(self.context.root, "test", "--skip-build", "--filter", tests), cwd=self.context.root,
                env=environment(TSAN_OPTIONS=options, **more), capture_output=True, text=True, errors="replace", timeout=TARGET_SECONDS)
            return done, self.read(folder)

    @staticmethod
    def read(folder):
        reports = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                text = demangled(file.read())
            reports += REPORT.findall(text)
            # A fatal error of the sanitizer itself, for example.
            if rest := REPORT.sub("", text).replace("=" * 18, "").strip():
                reports.append(rest)
        return reports

    def is_new(self, report):
        key = tuple(FRAME.findall(ORIGINS.split(report)[0])) or report
        is_new = key not in self.reports
        self.reports.add(key)
        return is_new

    def find_planted(self):
        """Proves that the sanitizer is in the tests and in every program, and reports."""
        for name in PROGRAMS:
            program = os.path.join(self.binaries, name)
            help = subprocess.run(
                (program, "--version"), env={**os.environ, "TSAN_OPTIONS": "help=1"}, capture_output=True, text=True, errors="replace")
            require("ThreadSanitizer" in help.stdout + help.stderr, f"{name} is built without the sanitizer")
        _, reports = self.test("planted", r"^SystemKitTests\.PlantedRaceTests", LIFESIGNAL_PLANTED_RACES="1")
        for kind, test in PLANTED:
            found = [report for report in reports if re.search(f"ThreadSanitizer: {kind}", report) and test in report]
            require(found, f"the sanitizer does not report “{test}” as {kind}, but:\n" + "\n".join(reports))
            self.planted += 1
        self.context.count(faults=len(PLANTED))


def run(context):
    if not shutil.which("swift"):
        raise NotRun("there is no Swift to build the tests with")
    sanitizer = Sanitizer(context, build(context.root))
    # The time of the build does not count.
    context.begin(LONG_SECONDS, QUICK_SECONDS)
    # One at a time: each target runs its tests on all processors.
    cases = targets(context.root) if context.is_long else QUICK
    context.each([Planted(), *cases], sanitizer.run, workers=1)
    return {"tests": sanitizer.tests, "planted_found": sanitizer.planted, "reports": len(sanitizer.reports)}
