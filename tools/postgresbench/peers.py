"""Two queues from PyPI on the same cluster, with jobs that do nothing: procrastinate and pgqueuer.

They run as their own documentation advises for throughput. Of several numbers of processes, workers and batch sizes the best counts.
"""

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile

from .figures import per_second

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = (
    "procrastinate==3.10.0", "pgqueuer[asyncpg]==1.6.0", "psycopg[binary,pool]==3.3.9", "asyncpg==0.32.0", "uvloop==0.23.0")
TIMEOUT_SECONDS = 1800
PROCESSES = (1, 2)
# A worker of procrastinate claims one job at a time, whatever its concurrency.
PROCRASTINATE = [{"workers": workers, "concurrency": concurrency} for workers, concurrency in ((1, 10), (5, 10), (20, 10))]
# With a batch of one, pgqueuer also records completions one by one. A worker has one connection.
SINGLES = [{"workers": workers, "batch": 1} for workers in (1, 5, 20)]
BATCHES = [{"workers": workers, "batch": batch} for batch in (100, 1000) for workers in (1, 5)]


@contextlib.contextmanager
def environment(folder=None):
    """The Python of a virtual environment with both packages. Without `folder` it is removed afterwards."""
    with contextlib.ExitStack() as stack:
        folder = folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="lifesignal-peers."))
        python = os.path.join(folder, "bin", "python")
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
        yield python


def figures(context, python):
    """Lines, and the best rates: (lines, one by one, in batches)."""
    lines, singles, batches = [], [], []
    plan = [("procrastinate", settings, singles) for settings in PROCRASTINATE]
    plan += [("pgqueuer", settings, singles) for settings in SINGLES]
    plan += [("pgqueuer", settings, batches) for settings in BATCHES]
    for number, ((peer, settings, rates), processes) in enumerate(itertools.product(plan, PROCESSES)):
        rate = measured(context, python, peer, f"peer_{number}", processes, settings)
        rates.append(rate)
        how = ", ".join(f"{name} {value}" for name, value in {"processes": processes, **settings}.items())
        lines.append((f"queue: {peer}, {how}", per_second(rate), ""))
    return lines, max(singles), max(batches)


def measured(context, python, peer, database, processes, settings):
    """Jobs completed a second."""
    url = context.cluster.new_database(database)

    def step(name, count=1):
        """The answers of so many processes that do this at once."""
        request = json.dumps({"step": name, "url": url, "count": context.count, **settings})
        command = [python, os.path.join(HERE, f"peer_{peer}.py"), request]
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(count)
        ]
        ended = [process.communicate(timeout=TIMEOUT_SECONDS) for process in running]
        for process, (_, errors) in zip(running, ended):
            if process.returncode != 0:
                raise SystemExit(f"bench-postgres: {peer} ended with {process.returncode}: {errors[-2000:]}")
        return [json.loads(line) for out, _ in ended for line in out.splitlines()]

    step("fill")
    context.cluster.checkpoint()
    answers = step("work", processes) or step("span")
    context.cluster.query(f"DROP DATABASE {database} WITH (FORCE)")
    completed = sum(answer["completed"] for answer in answers)
    if completed < context.count:
        raise SystemExit(f"bench-postgres: {peer} completed {completed} of {context.count} jobs")
    return completed / (max(answer["ended"] for answer in answers) - min(answer["begun"] for answer in answers))
