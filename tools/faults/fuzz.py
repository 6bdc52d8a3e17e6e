"""Every parser of foreign bytes, fed by libFuzzer under the address sanitizer.

The targets are in `Sources/Proof/FuzzTargets` and start from their corpus, `Tests/Proof/Corpus/TARGET`. A crash, a failed
property, a run of ten seconds, and 2 GiB of memory are findings; the input is kept in `.build/fuzz/found`. After the fix it
goes into the corpus as `crash-…`, with a test of its own next to the fixed code.

To shrink a corpus, or to add the findings of a run: `Fuzz TARGET -merge=1 NEW_FOLDER FOLDERS…`.
"""

import os
import re
import shutil
import subprocess

from .context import NotRun, Violation

NAMES = ("fuzz",)
LONGEST_SECONDS = 45
LIMITS = ("-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1")
# The crash file is enough: Swift's own backtrace would take a minute.
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0:handle_abort=1", "SWIFT_BACKTRACE": "enable=no"}
BUILD = (
    "swift", "build", "-c", "release", "--product", "Fuzz", "-Xcc", "-fsanitize=address", "-Xcc", "-fsanitize=fuzzer-no-link",
    "--scratch-path",
)


def built(root):
    """The fuzzing program, fully instrumented, in a build of its own."""
    command = (*BUILD, os.path.join(root, ".build", "fuzz"))
    environment = {**os.environ, "LIFESIGNAL_FUZZ": "1"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Violation(f"the fuzzer cannot be built: {' '.join(command)}\n{(done.stdout + done.stderr)[-4000:]}")
    place = subprocess.run((*command, "--show-bin-path"), cwd=root, env=environment, check=True, capture_output=True, text=True)
    return os.path.join(place.stdout.strip(), "Fuzz")


class Fuzzer:
    """The program, and the totals over all targets."""

    def __init__(self, context):
        self.context = context
        self.program = built(context.root)
        self.found = os.path.join(context.root, ".build", "fuzz", "found")
        self.targets = subprocess.run([self.program], check=True, capture_output=True, text=True).stdout.split()
        self.executions, self.edges, self.seconds = 0, 0, LONGEST_SECONDS

    def run(self, target):
        """Starts from the corpus; new inputs stay in a folder of this run."""
        new = self.context.scratch(target)
        found = os.path.join(self.found, target)
        os.makedirs(found, exist_ok=True)
        subprocess.run([self.program, "seeds", target, new], check=True)
        corpus = os.path.join(self.context.root, "Tests", "Proof", "Corpus", target)
        command = [
            self.program, target, *LIMITS, f"-max_total_time={self.seconds}", f"-seed={self.context.seed}",
            f"-artifact_prefix={found}/", new, corpus,
        ]
        environment = {**os.environ, **ENVIRONMENT, "TMPDIR": self.context.folder}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=self.seconds + 120)
        self.take(target, done.stderr.decode(errors="replace"), done.returncode)

    def take(self, target, text, status):
        figures = self.figures(text)
        self.executions += figures["executions"]
        self.edges += figures["edges"]
        self.context.count(runs=max(0, figures["executions"] - 1))
        print(f"  {target:<18}{figures['executions']:>9} executions {figures['edges']:>6} edges", flush=True)
        if status == 0:
            return
        path = re.search(r"Test unit written to (\S+)", text)
        again = f"{self.program} {target} {path.group(1)}" if path else "no input was kept"
        said = [line for line in text.splitlines() if re.search(r"does not hold|ERROR|SUMMARY|Fatal|^ {4}#\d+ ", line)]
        raise Violation("\n".join([f"exit status {status}; {again}", *said[:24]]))

    @staticmethod
    def figures(text):
        executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
        progress = re.findall(r"^#(\d+)\s.*?cov: (\d+)", text, re.M)
        last = progress[-1] if progress else (0, 0)
        return {"executions": int(executions.group(1) if executions else last[0]), "edges": int(last[1])}


def run(context):
    if not context.is_long:
        raise NotRun("the tests run the corpus; the long size fuzzes")
    if not shutil.which("swift"):
        raise NotRun("there is no Swift to build the fuzzer with")
    fuzzer = Fuzzer(context)
    targets = [target for target in fuzzer.targets if context.is_chosen(target)]
    if not targets:
        raise NotRun(f"there is no such target: {', '.join(fuzzer.targets)}")
    # Building does not count.
    context.begin()
    fuzzer.seconds = int(min(LONGEST_SECONDS, context.seconds_left * context.workers / len(targets) - 3))
    context.each(targets, fuzzer.run)
    return {"executions": fuzzer.executions, "edges": fuzzer.edges, "targets": len(targets)}
