"""PostgreSQL servers of our own, and standbys that follow them."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from .common import run as run_command
from .context import NotRun, require
from .processes import children_of

PROGRAMS = "/usr/lib/postgresql/15/bin"
START_SECONDS = 60
# With segments of 1 MB, a small disk fills soon.
SEGMENT_MEGABYTES = 1
OPTIONS = ("-c listen_addresses=", "-c max_connections=200", "-c max_wal_size=8MB", "-c min_wal_size=2MB")


def send(number, processes):
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Cluster:
    """A PostgreSQL server of its own, in memory, reached by a socket in its folder."""

    def __init__(self):
        if not os.access(f"{PROGRAMS}/postgres", os.X_OK):
            raise NotRun("there is no PostgreSQL 15: tools/setup --tests installs it")
        # It refuses to run as root.
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        self.folder = tempfile.mkdtemp(prefix="lifesignal-postgres.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.own(self.folder)
        self.data = os.path.join(self.folder, "data")

    def own(self, path):
        """Gives a file or folder to the user under which PostgreSQL runs."""
        if self.user:
            owner = pwd.getpwnam("postgres")
            os.chown(path, owner.pw_uid, owner.pw_gid)

    def call(self, program, *arguments):
        """Runs one of PostgreSQL's programs and returns its exit status."""
        # The server inherits the standard streams: a pipe would stay open.
        return subprocess.run(
            [*self.user, f"{PROGRAMS}/{program}", *arguments], cwd=self.folder, timeout=2 * START_SECONDS, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def done(self, program, *arguments):
        status = self.call(program, *arguments)
        require(status == 0, f"{program} {' '.join(arguments)} ended with {status}: {self.log}")

    def make(self):
        """Makes an empty database folder."""
        self.done(
            "initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C",
            f"--wal-segsize={SEGMENT_MEGABYTES}")

    def follow(self, primary):
        """Becomes a standby of `primary`, in a new database folder, and starts."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.done(
            "pg_basebackup", "-D", self.data, "-R", "-h", primary.folder, "-U", "postgres", "-c", "fast", "--no-sync")
        self.start()

    def start(self):
        self.done("pg_ctl", *self.place, "-w", "-t", str(START_SECONDS), "-l", f"{self.folder}/log", "start", "-o",
                  " ".join((f"-k {self.folder}", *OPTIONS)))

    def stop(self, mode="immediate"):
        self.done("pg_ctl", *self.place, "-m", mode, "stop")

    def promote(self):
        """Makes a standby a primary, and returns once it takes writes."""
        self.done("pg_ctl", *self.place, "-w", "promote")

    @property
    def place(self):
        return "-D", self.data

    @property
    def is_running(self):
        return self.call("pg_ctl", *self.place, "status") == 0

    @property
    def log(self):
        """The end of its log."""
        with contextlib.suppress(OSError), open(f"{self.folder}/log", encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    @property
    def processes(self):
        """Process ids, the parent's first; empty if it does not run."""
        try:
            with open(f"{self.data}/postmaster.pid", encoding="ascii") as file:
                parent = int(file.readline())
            # A file that was left behind may name another program's process.
            is_ours = os.readlink(f"/proc/{parent}/cwd") == os.path.realpath(self.data)
        except (OSError, ValueError):
            return []
        return [parent, *children_of(parent)] if is_ours else []

    def freeze(self):
        """Stops all its processes; connections stay open and nobody answers."""
        send(signal.SIGSTOP, self.processes[:1])
        send(signal.SIGSTOP, self.processes[1:])

    def kill(self):
        """Ends it without a farewell, frozen or not. Returns once all its processes are gone."""
        processes = self.processes
        send(signal.SIGKILL, processes[1:])
        # The parent removes its shared memory.
        for number in (signal.SIGQUIT, signal.SIGCONT):
            send(number, processes[:1])
        deadline = time.monotonic() + START_SECONDS
        while any(os.path.exists(f"/proc/{pid}/exe") for pid in processes):
            require(time.monotonic() < deadline, f"PostgreSQL does not end: {processes}")
            time.sleep(0.01)

    def query(self, statement, database="postgres"):
        """The rows, as psql prints them."""
        answer = self.ask(statement, database)
        require(answer.status == 0, f"{statement}: {answer}")
        return answer.out.split("\n")[:-1]

    def ask(self, statement, database="postgres"):
        """The same where it may fail: returns psql's `Answer`."""
        return run_command(["psql", "-h", self.folder, "-U", "postgres", "-d", database, "-qAtc", statement])

    def __enter__(self):
        try:
            self.make()
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        try:
            self.kill()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
