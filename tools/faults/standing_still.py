"""Processes that freeze with a lock, a lease or a connection, and continue later.

They are stopped by a signal, as from a terminal or with a frozen container, or blocked by an output that nobody reads.
"""

import contextlib
import fcntl
import os
import signal
import sqlite3
import subprocess
import threading
import time

from .common import Device, Server, check_device, check_server, sign_in
from .context import require

NAMES = ("standing-still",)
# Three seconds for the lease holder, and an allowance for the exchange and a busy machine.
ACCEPTED_SECONDS = 8
# Two seconds for a locked store, and an allowance for a busy machine.
SAVED_SECONDS = 4
F_SETPIPE_SZ = 1031
MESSAGES = ["first", "second", "third"]


class World:
    """A server, and a device that is signed in to it."""

    def __init__(self, context, case):
        folder = context.scratch(str(case).replace(" ", "-"))
        self.context = context
        self.server = Server(context, folder).start()
        self.device = Device(context, os.path.join(folder, "home"))

    def __enter__(self):
        self.processes = []
        sign_in(self.server, self.device)
        self.device.done("sync")
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        self.server.end(signal.SIGKILL)

    def run(self, *arguments, output=subprocess.DEVNULL):
        """Starts a command in the background; it is killed at the end."""
        process = subprocess.Popen(
            self.device.command(*arguments), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def worker(self, output=subprocess.DEVNULL):
        """The background worker, once it works."""
        process = self.run("--json", "sync", "--watch", output=output)
        wait_until(lambda: self.device.done("--json", "status").json["worker_running"], "the worker runs")
        return process

    def activate(self, *arguments):
        """Raises an alert; the answer, and the seconds until the server had it (None if not before the command's end)."""
        answer = self.device.done("alert", "activate", "--yes", *arguments)
        return answer, answer.seconds if self.is_accepted() else None

    def is_accepted(self):
        return self.device.status()["delivery"]["stage"] == "accepted"

    def check(self, alerts=1):
        """One effect for each id, and the expected number of alerts."""
        tables = check_server(self.server.database)
        require(len(tables.rows("alerts")) == alerts, f"the server has {len(tables.rows('alerts'))} alerts, not {alerts}")
        check_device(self.device.store)


def wait_until(holds, what, seconds=20):
    deadline = time.monotonic() + seconds
    while not holds():
        require(time.monotonic() < deadline, f"after {seconds} s this is still not true: {what}")
        time.sleep(0.05)


@contextlib.contextmanager
def stopped(process, device=None):
    """Freezes the process; a device's process not while it holds the store's lock."""
    os.kill(process.pid, signal.SIGSTOP)
    while device and is_locked(device):
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(0.02)
        os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def is_locked(device):
    time.sleep(0.02)
    with open(os.path.join(device.home, "store.lock"), "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def locked(device):
    """A process that freezes in the middle of a write transaction."""
    with open(os.path.join(device.home, "store.lock"), "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        connection = sqlite3.connect(device.store, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
            connection.close()


def count_of(process):
    """Its threads and its open files."""
    folder = f"/proc/{process.pid}"
    return len(os.listdir(f"{folder}/task")), len(os.listdir(f"{folder}/fd"))


def accepted_in_time(figures, name, answer, seconds):
    require(seconds is not None, f"the server has no alert when the command ends: {answer}")
    require(seconds < ACCEPTED_SECONDS, f"accepted after {seconds:.1f} s: {answer}")
    figures[name] = max(figures[name], round(seconds, 2))


# MARK: Who stands still


def worker_stopped(world, figures):
    worker = world.worker()
    with stopped(worker, world.device):
        answer, seconds = world.activate()
        accepted_in_time(figures, "worker_stopped_seconds", answer, seconds)
        words = f"sync process (pid {worker.pid}) has not moved for"
        require(words in answer.out, f"the frozen worker is not reported: {answer}")
        require("keeps trying" not in answer.out, f"it does not keep trying: {answer}")
        for command in ("status", "doctor"):
            told = world.device.run(command)
            require(words in told.out, f"`{command}` does not report it: {told}")
        ended = world.device.done("alert", "deactivate", "--yes")
        require("RECEIVED by" in ended.out, f"the end is not sent: {ended}")
    wait_until(lambda: world.device.done("--json", "status").json["worker_running"], "the worker goes on")
    world.device.done("sync")
    world.check()


def command_stopped(world, figures):
    """A command that is sending holds the lease, and is stopped."""
    world.device.done("alert", "activate", "--yes", "--no-sync")
    with stopped(world.server.process):
        command = world.run("sync")
        wait_until(lambda: world.device.done("--json", "status").json["worker_running"], "the command has the lease")
        os.kill(command.pid, signal.SIGSTOP)
    answer, seconds = world.activate("--message", "again")
    accepted_in_time(figures, "command_stopped_seconds", answer, seconds)
    os.kill(command.pid, signal.SIGCONT)
    command.wait()
    world.check()


def output_blocked(world, figures):
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
    try:
        worker = world.worker(writer)
        # Each prints a line, until the pipe is full and beyond.
        for _ in range(300):
            os.kill(worker.pid, signal.SIGHUP)
            time.sleep(0.003)
        answer, seconds = world.activate()
        accepted_in_time(figures, "output_blocked_seconds", answer, seconds)
        require("has not moved" not in answer.out, f"a worker whose output is blocked counts as frozen: {answer}")
        os.kill(worker.pid, signal.SIGTERM)
        require(worker.wait(timeout=10) == 0, f"the worker ends with {worker.returncode}")
    finally:
        os.close(reader)
        os.close(writer)
    world.check()


def store_locked(world, figures):
    worker = world.worker()
    world.device.done("contacts", "list")
    slowest, counts = 0, []
    with locked(world.device):
        for message in MESSAGES:
            answer = world.device.done("alert", "activate", "--yes", "--no-sync", "--message", message)
            slowest = max(slowest, answer.seconds)
            require(answer.seconds < SAVED_SECONDS, f"an activation takes {answer.seconds:.1f} s: {answer}")
            require("SAVED" in answer.out or "ACTIVE" in answer.out, f"the person is not told that it is saved: {answer}")
            counts.append(count_of(worker))
        end = time.monotonic() + (60 if world.context.is_long else 3)
        while time.monotonic() < end:
            os.utime(os.path.join(world.device.home, "wake"))
            time.sleep(0.3)
            counts.append(count_of(worker))
    figures["locked_store_slowest_activation_seconds"] = max(
        figures["locked_store_slowest_activation_seconds"], round(slowest, 2))
    most = [max(count) for count in zip(*counts[3:])]
    grown = max(later - first for later, first in zip(most, counts[2]))
    figures["locked_store_grown_threads_and_files"] = max(figures["locked_store_grown_threads_and_files"], grown)
    require(grown <= 2, f"threads and open files grow while the store is locked: {counts}")
    wait_until(world.is_accepted, "the alert is accepted")
    history = [line for line in world.device.done("--json", "alert", "history").out.splitlines() if line]
    figures["alerts_of_three_presses"] = max(figures["alerts_of_three_presses"], len(history))
    require(len(history) == 1, f"three presses became {len(history)} alerts: {history}")


def server_stopped(world, figures):
    with stopped(world.server.process):
        answer = world.device.done("alert", "activate", "--yes")
        require("SAVED" in answer.out and "RECEIVED by" not in answer.out, f"the report is not true: {answer}")
    world.device.done("sync")
    require(world.is_accepted(), "the alert is not accepted after the server continued")
    world.check()


def storm(world, figures):
    """Workers, commands and the server are stopped and continued at random."""
    random = world.context.random_of("storm")
    processes = [world.worker(), world.run("sync", "--watch"), world.server.process]
    is_over = threading.Event()

    def stop_and_go(process, seed):
        chance = world.context.random_of(seed)
        while not is_over.wait(chance.uniform(0, 1.5)):
            with contextlib.suppress(ProcessLookupError), stopped(process):
                is_over.wait(chance.uniform(0, 6))

    threads = [
        threading.Thread(target=stop_and_go, args=(process, f"storm {number}")) for number, process in enumerate(processes)]
    for thread in threads:
        thread.start()
    try:
        for number in range(20 if world.context.is_long else 3):
            world.device.done("alert", "activate", "--yes", *(["--no-sync"] if random.random() < 0.5 else []))
            world.device.done("alert", "deactivate", "--yes", "--no-sync")
            world.context.count(faults=1)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    wait_until(lambda: world.device.status()["sync"]["pending"] == 0, "all is sent", seconds=40)
    world.check(alerts=20 if world.context.is_long else 3)


CASES = {
    "worker stopped": worker_stopped,
    "command stopped": command_stopped,
    "output blocked": output_blocked,
    "store locked": store_locked,
    "server stopped": server_stopped,
    "storm": storm,
}


def run(context):
    figures = {
        "worker_stopped_seconds": 0, "command_stopped_seconds": 0, "output_blocked_seconds": 0,
        "locked_store_slowest_activation_seconds": 0, "locked_store_grown_threads_and_files": 0, "alerts_of_three_presses": 0,
    }

    def perform(case):
        with World(context, case) as world:
            CASES[case](world, figures)
        context.count(faults=1)

    # Mostly they wait.
    context.each(list(CASES), perform, workers=len(CASES))
    return figures
