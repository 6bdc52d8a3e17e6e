"""Two servers on one PostgreSQL database: killed, standing still, cut off from it, and the database restarted.

Nothing that was accepted may be missing, every alert reaches its responder, and no message more often than faults explain.
"""

import os
import pwd
import queue
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter

from .common import TIMEOUT_SECONDS, Device, Receiver, Server, sign_in
from .common import run as run_command
from .context import NotRun, Violation, require

NAMES = ("database",)
PROGRAMS = "/usr/lib/postgresql/15/bin"
ROUNDS = {"quick": 4, "long": 12}
LONG_SECONDS = 20 * 60
QUICK_SECONDS = 40
# After the last fault: a dead process is noticed after fifteen seconds, and its messages are tried again.
SETTLE_SECONDS = 90


class Cluster:
    """A PostgreSQL server of its own, in memory, reached by a socket in its folder."""

    def __init__(self):
        if not os.access(f"{PROGRAMS}/postgres", os.X_OK):
            raise NotRun("there is no PostgreSQL 15: tools/setup --tests installs it")
        self.folder = tempfile.mkdtemp(prefix="lifesignal-postgres.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        # It refuses to run as root.
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        if self.user:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self.call("initdb", "-D", f"{self.folder}/data", "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")

    def call(self, program, *arguments):
        # The server keeps what it inherits: a pipe would never end.
        answer = subprocess.run(
            [*self.user, f"{PROGRAMS}/{program}", *arguments], cwd=self.folder, timeout=60, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        require(answer.returncode == 0, f"{program} ended with {answer.returncode}")

    def start(self):
        options = f"-k {self.folder} -c listen_addresses= -c max_connections=100"
        self.call("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "start", "-o", options)

    def stop(self, mode="immediate"):
        self.call("pg_ctl", "-D", f"{self.folder}/data", "-m", mode, "stop")

    def query(self, statement, database="postgres"):
        command = ["psql", "-h", self.folder, "-U", "postgres", "-d", database, "-qAtc", statement]
        answer = run_command(command)
        require(answer.status == 0, f"{statement}: {answer}")
        return answer.out.split("\n")[:-1]

    def url(self, database):
        return f"postgresql:///{database}?host={self.folder}&user=postgres"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


class Episode:
    def __init__(self, context, cluster, number):
        self.context, self.cluster, self.number = context, cluster, number
        self.faults = 0

    def __str__(self):
        return f"episode {self.number}"

    def perform(self):
        self.random = self.context.random_of(self)
        self.database = f"episode_{self.number}"
        self.cluster.query(f"CREATE DATABASE {self.database}")
        folder = self.context.scratch(self.database)
        self.servers = [Server(self.context, folder), Server(self.context, folder)]
        try:
            for server in self.servers:
                server.database = self.cluster.url(self.database)
                server.start()
            with Receiver() as self.receiver:
                self.trial(folder)
        finally:
            for server in self.servers:
                server.kill()

    def trial(self, folder):
        self.device = Device(self.context, os.path.join(folder, "home"))
        sign_in(self.servers[0], self.device)
        self.device.done("contacts", "add", "+12025550188", "--name", "Ana", "--responder", "--channel", self.receiver.url)
        self.device.done("sync")
        self.alerts = []
        for _ in range(ROUNDS[self.context.size]):
            self.round()
        self.heal()

    def round(self):
        self.move()
        answer = self.device.run("--json", "alert", "activate", "--yes", timeout=2 * TIMEOUT_SECONDS)
        require(answer.status in (0, 75), f"lifesignal alert activate: {answer}")
        self.alerts.append(answer.json["alert"]["id"])
        self.hurt()
        self.device.run("--json", "sync")
        self.device.done("--json", "alert", "deactivate", "--yes", "--no-sync")

    def move(self):
        """The device goes to any of the servers that run."""
        server = self.random.choice(self.servers)
        self.device.done("config", "set", "endpoint", server.url)

    def hurt(self):
        fault = self.random.choice((self.kill, self.stand_still, self.end_connections, self.restart_database))
        time.sleep(self.random.uniform(0, 0.05))
        fault()
        self.faults += 1
        self.context.count(faults=1)

    def kill(self):
        server = self.random.choice(self.servers)
        server.kill()
        server.start()

    def stand_still(self):
        server = self.random.choice(self.servers)
        os.kill(server.pid, signal.SIGSTOP)
        time.sleep(self.random.uniform(0, 0.5))
        os.kill(server.pid, signal.SIGCONT)

    def end_connections(self):
        self.cluster.query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.database}'")

    def restart_database(self):
        self.cluster.stop(self.random.choice(("immediate", "fast")))
        time.sleep(self.random.uniform(0, 0.3))
        self.cluster.start()

    def heal(self):
        """With everything working again, all is accepted, and told."""
        self.move()
        self.device.done("sync")
        accepted = set(self.cluster.query("SELECT id FROM alerts", self.database))
        require(set(self.alerts) <= accepted, f"the database lacks alerts: {set(self.alerts) - accepted}")
        told, deadline = Counter(), time.monotonic() + SETTLE_SECONDS
        while not {("alert.activated", alert) for alert in self.alerts} <= told.keys():
            try:
                body = self.receiver.bodies.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                missing = [alert for alert in self.alerts if ("alert.activated", alert) not in told]
                states = self.cluster.query("SELECT alert_id, notice, role, state, attempts, due_at FROM deliveries", self.database)
                raise Violation(f"nobody was told of {missing}; deliveries: {states}") from None
            told[(body["type"], body["data"]["alert"]["id"])] += 1
        often = {key: count for key, count in told.items() if count > self.faults + 1}
        require(not often, f"told more often than {self.faults} faults explain: {often}")


def run(context):
    with Cluster() as cluster:
        context.begin(LONG_SECONDS, QUICK_SECONDS)
        # One at a time: a restart of the database hurts all episodes on it.
        episodes = [Episode(context, cluster, number) for number in range(1, 1000 if context.is_long else 2)]
        context.each(episodes, Episode.perform, workers=1, is_endless=True)
        require(context.runs > 0, "no episode ran")
    return {"rounds": ROUNDS[context.size] * context.runs}
