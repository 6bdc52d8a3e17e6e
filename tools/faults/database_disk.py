"""The disk of two servers' PostgreSQL database runs full while alerts are raised, and has room again.

What was not stored is not shown as accepted, nothing that was accepted is missing, and with room again all is accepted, and told.
"""

import contextlib
import hashlib
import http.client
import os
import shutil
import time

from .clusters import Cluster
from .context import NotRun, require
from .full_disk import Disk
from .postgres import RECOVERY_SECONDS, Episode

NAMES = ("database-disk",)
LONG_SECONDS = 20 * 60
QUICK_SECONDS = 40
ROUNDS = {"quick": 2, "long": 6}
ALERTS = {"quick": 2, "long": 6}
# With less, its log of changes goes on in files that it has, and its tables lack room.
LOG_MEGABYTES = 10
PAGES = 64 * 256
# Another allocation may come between the look and the filling.
FILLINGS = 20
LIVE_SECONDS = 5
READY_SECONDS = 25


class SmallCluster(Cluster):
    """A PostgreSQL server with its data and its log of changes on a small disk of its own."""

    def __init__(self):
        super().__init__()
        self.data = os.path.join(self.folder, "disk", "data")

    def make(self):
        self.disk = Disk(os.path.dirname(self.data), pages=PAGES)
        self.own(self.disk.folder)
        super().make()

    def fill(self, free_pages):
        for _ in range(FILLINGS):
            with contextlib.suppress(OSError):
                return self.disk.fill(free_pages)
        raise NotRun("the small disk cannot be filled")

    def write_log(self, megabytes):
        """Makes its log of changes longer, as far as there is room. It may end for that."""
        for _ in range(megabytes):
            self.ask("SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000))")

    def revive(self):
        """With room again: works, started again if it ended."""
        started = time.monotonic()
        while self.ask("SELECT 1").status != 0:
            late = time.monotonic() - started
            require(late < RECOVERY_SECONDS, f"PostgreSQL does not work after {late:.0f} s with room again: {self.log}")
            if not self.is_running:
                self.start()
            time.sleep(0.1)

    def remove(self):
        try:
            self.kill()
        finally:
            if disk := getattr(self, "disk", None):
                disk.__exit__()
            shutil.rmtree(self.folder, ignore_errors=True)


class DiskEpisode(Episode):
    # A few alerts need another page of the table.
    message = " ".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(24))

    def __init__(self, context, number, figures):
        super().__init__(context, None, number, figures)

    def perform(self):
        with SmallCluster() as self.cluster:
            super().perform()

    def deck(self):
        return [self.fill] * ROUNDS[self.context.size]

    def fill(self):
        before = len(self.device.accepted())
        self.cluster.fill(self.random.choice((0, self.random.randrange(16), self.random.randrange(600))))
        self.cluster.write_log(self.random.choice((0, self.random.randrange(LOG_MEGABYTES))))
        for _ in range(self.random.randint(1, ALERTS[self.context.size])):
            self.probe()
            self.device.done("--json", "alert", "deactivate", "--yes", "--no-sync")
            self.move()
            self.raise_alert()
        if len(self.device.accepted()) < len(self.alerts):
            self.figures["refused"] += 1
        self.figures["accepted_while_full"] += len(self.device.accepted()) - before
        ended = not self.cluster.is_running
        self.figures["database_ended"] += ended
        self.cluster.disk.empty()
        self.cluster.revive()
        self.check_kept()
        self.become_ready()

    def probe(self):
        """The servers answer, and at once where no database is needed."""
        for server in self.servers:
            require(self.status(server, "/health", LIVE_SECONDS) == 200, "a server whose database has no room does not answer")
            ready = self.status(server, "/ready", READY_SECONDS)
            require(ready in (200, 503), f"/ready of a server whose database has no room: {ready}")

    def become_ready(self):
        started = time.monotonic()
        while not all(self.status(server, "/ready", READY_SECONDS) == 200 for server in self.servers):
            late = time.monotonic() - started
            require(late < RECOVERY_SECONDS, f"a server is not ready {late:.0f} s after its database has room again")
            time.sleep(0.1)
        self.most("seconds_until_ready", time.monotonic() - started)

    @staticmethod
    def status(server, path, seconds):
        """The status of an answer; None if there is none in time."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=seconds)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", path)
            return connection.getresponse().status


def run(context):
    if os.geteuid() != 0 or shutil.which("mount") is None:
        raise NotRun("a disk of its own can only be mounted by root")
    figures = {
        "accepted_while_full": 0, "refused": 0, "database_ended": 0, "messages": 0, "sent_again": 0, "seconds_until_ready": 0,
        "seconds_to_recover": 0}
    context.begin(LONG_SECONDS, QUICK_SECONDS)
    episodes = [DiskEpisode(context, number, figures) for number in range(1, 1000 if context.is_long else 2)]
    context.each(episodes, DiskEpisode.perform, workers=1, is_endless=True)
    require(context.runs > 0, "no episode ran")
    return figures
