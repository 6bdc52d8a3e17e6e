"""Two servers on one PostgreSQL database: killed, standing still, cut off from it, and the database restarted.

Nothing that was accepted may be missing, every alert reaches its responder, and a message is sent again only if a fault hit while it
was on its way.
"""

import contextlib
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

from .clusters import Cluster
from .common import TIMEOUT_SECONDS, Device, Receiver, Server, sign_in
from .context import Violation, require
from .relay import Relay
from .told import Told

NAMES = ("database",)
LONG_SECONDS = 20 * 60
QUICK_SECONDS = 40
# A process that writes nothing for this time is taken for dead.
SILENCE_SECONDS = 15
# The longest time until another process has sent what a dead one had leased: it looks every five seconds.
TAKE_OVER_SECONDS = 35
# A server gives up a database that does not answer after fifteen seconds.
LONG_FREEZE_SECONDS = 18
# The time from the last fault until a server accepts alerts again, and until all alerts are told.
RECOVERY_SECONDS = 30
SETTLE_SECONDS = 90
# A connection is cut after some of the bytes of an alert.
CUT_BYTES = 12_000
CUT_SECONDS = 3


class Process(Server):
    """A server that reaches the database through a relay of its own."""

    def __init__(self, context, folder, cluster, database):
        super().__init__(context, folder)
        self.relay = Relay(f"{cluster.folder}/.s.PGSQL.5432")
        self.database = f"postgresql://postgres@127.0.0.1:{self.relay.port}/{database}"

    @contextlib.contextmanager
    def stopped(self):
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def __exit__(self, *arguments):
        self.kill()
        self.relay.__exit__(*arguments)


class Episode:
    """A device, two servers and a database, hurt in every way in random order."""

    message = "fell on the ridge"
    # How often a fault hits while an alert is being raised, how much later than that it may begin, and how late the channel answers.
    overlap = 0.5
    delay_seconds = 0.05
    answer_seconds = 0

    def __init__(self, context, cluster, number, figures):
        self.context, self.cluster, self.number, self.figures = context, cluster, number, figures
        self.steps = []
        # From when until when each fault lasted.
        self.faults = []
        self.alerts = set()
        # What the device has shown as accepted so far.
        self.accepted = set()

    def __str__(self):
        return f"episode {self.number}"

    def perform(self):
        self.random = self.context.random_of(self)
        self.database = f"episode_{self.number}"
        self.cluster.query(f"CREATE DATABASE {self.database}")
        folder = self.context.scratch(self.database)
        with contextlib.ExitStack() as stack:
            self.servers = [
                stack.enter_context(Process(self.context, folder, self.cluster, self.database).start()) for _ in range(2)]
            self.told = Told(stack.enter_context(Receiver(wait=lambda: self.answer_seconds)))
            try:
                self.trial(folder)
            except Violation as broken:
                raise Violation(f"{broken}\n{self.evidence}") from None

    def trial(self, folder):
        self.device = Device(self.context, os.path.join(folder, "home"))
        sign_in(self.servers[0], self.device)
        channel = self.told.receiver.url
        self.device.done("contacts", "add", "+12025550188", "--name", "Ana", "--responder", "--channel", channel)
        self.device.done("sync")
        for fault in self.deck():
            self.round(fault)
        self.heal()

    def deck(self):
        """The faults of this episode, each at least once."""
        faults = [
            self.kill, self.stand_still, self.end_connections, self.restart_database, self.freeze, self.cut, self.refuse]
        if self.context.is_long:
            # Each cut is at another byte.
            faults = 2 * faults + 24 * [self.cut] + [self.stand_still_long, self.freeze_long]
        self.random.shuffle(faults)
        return faults

    def round(self, fault):
        self.move()
        self.note(fault.__name__)
        if self.random.random() >= self.overlap:
            self.raise_alert()
            self.hurt(fault)
        else:
            with ThreadPoolExecutor(max_workers=1) as pool:
                hurting = pool.submit(self.hurt, fault)
                self.raise_alert()
                hurting.result()
        self.check_kept()
        # Otherwise what waits on the device meets the next fault.
        if self.random.random() < 0.5:
            self.recover()
        self.device.done("--json", "alert", "deactivate", "--yes", "--no-sync")

    def move(self):
        """The device goes to any of the servers."""
        self.server = self.random.choice(self.servers)
        self.device.done("config", "set", "endpoint", self.server.url)

    def raise_alert(self):
        activate = ("--json", "alert", "activate", "--yes", "--message", self.message)
        answer = self.device.done(*activate, timeout=2 * TIMEOUT_SECONDS)
        self.alerts.add(answer.json["alert"]["id"])

    def hurt(self, fault):
        time.sleep(self.random.uniform(0, self.delay_seconds))
        self.context.count(faults=1)
        begun = time.time()
        fault()
        self.faults.append((begun, time.time()))

    # Faults

    def kill(self):
        server = self.random.choice(self.servers)
        server.kill()
        server.start()

    def stand_still(self):
        with self.random.choice(self.servers).stopped():
            time.sleep(self.random.uniform(0, 0.5))

    def server_to_stop(self):
        return self.random.choice(self.servers)

    def stand_still_long(self):
        """Until the other server has taken over the leases: then every active alert that was accepted was told."""
        with self.server_to_stop().stopped():
            started = time.monotonic()
            time.sleep(SILENCE_SECONDS + self.random.uniform(1, 5))
            # What was raised and ended while no server took it waits while another alert is active.
            active = self.device.accepted(is_active=True)
            in_time = self.told.has(active, started + TAKE_OVER_SECONDS)
            require(in_time, f"nobody was told while a server stood still, of {self.told.missing(active)}")
            self.most("seconds_to_take_over", time.monotonic() - started)

    def end_connections(self):
        self.cluster.query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.database}'")

    def restart_database(self):
        self.cluster.stop(self.random.choice(("immediate", "fast")))
        time.sleep(self.random.uniform(0, 0.3))
        self.cluster.start()

    def freeze(self):
        """The network swallows everything, for one of the servers."""
        with self.random.choice(self.servers).relay.frozen():
            time.sleep(self.random.uniform(0.1, 3))

    def freeze_long(self):
        with self.random.choice(self.servers).relay.frozen():
            time.sleep(LONG_FREEZE_SECONDS)

    def cut(self):
        """All connections of one of the servers break, within a message."""
        relay = self.random.choice(self.servers).relay
        relay.cut_after(self.random.randrange(CUT_BYTES))
        deadline = time.monotonic() + CUT_SECONDS
        while not relay.is_cut and time.monotonic() < deadline:
            time.sleep(0.01)
        self.figures["cuts"] += 1
        if not relay.is_cut:
            relay.cut_after(0)

    def refuse(self):
        with self.random.choice(self.servers).relay.refusing():
            time.sleep(self.random.uniform(0.1, 3))

    # Promises

    def check_kept(self):
        """The database has what the device shows as accepted."""
        self.accepted |= self.device.accepted().keys()
        kept = set(self.cluster.query("SELECT id FROM alerts", self.database))
        require(self.accepted <= kept, f"accepted, and not in the database: {self.accepted - kept}")

    def recover(self):
        """With everything working again, a server accepts soon what waits on the device."""
        started = time.monotonic()
        while (answer := self.device.run("--json", "sync")).status != 0:
            late = time.monotonic() - started
            require(late < RECOVERY_SECONDS, f"after {late:.0f} s without a fault: {answer}")
            time.sleep(0.1)
        self.most("seconds_to_recover", time.monotonic() - started)
        waiting = self.alerts - self.device.accepted().keys()
        require(not waiting, f"not accepted, with everything working again: {waiting}")

    def heal(self):
        """With everything working again, everything is accepted, and told."""
        self.note("heal")
        self.move()
        self.recover()
        self.check_kept()
        all_told = self.told.has(self.alerts, time.monotonic() + SETTLE_SECONDS)
        require(all_told, f"nobody was told of {self.told.missing(self.alerts)}")
        self.told.settle(self.cluster, self.database)
        self.told.check_repeats(self.cluster, self.database, self.faults)
        self.context.add(self.figures, {"messages": len(self.told.arrivals), "sent_again": self.told.repeats})

    # Figures and evidence

    def most(self, figure, seconds):
        self.figures[figure] = max(self.figures[figure], round(seconds, 1))

    def note(self, text):
        """For a violation's text."""
        self.steps.append(f"{time.strftime('%H:%M:%S')} {text}")

    @property
    def evidence(self):
        told = [arrivals for arrivals in self.told.arrivals.values() if len(arrivals) > 1]
        columns = "alert_id, notice, role, state, attempts, is_leased, due_at, reason, told_end"
        messages = self.cluster.ask(f"SELECT {columns} FROM deliveries ORDER BY id DESC LIMIT 40", self.database)
        servers = "".join(f"{server.url}:\n{server.said}" for server in self.servers)
        return f"rounds: {self.steps[-8:]}\nsent again: {told}\nmessages: {messages}\n{servers}"


def run(context):
    figures = {"cuts": 0, "messages": 0, "sent_again": 0, "seconds_to_recover": 0, "seconds_to_take_over": 0}
    with Cluster() as cluster:
        context.begin(LONG_SECONDS, QUICK_SECONDS)
        # One at a time: a restart of the database hurts all episodes on it.
        episodes = [Episode(context, cluster, number, figures) for number in range(1, 1000 if context.is_long else 2)]
        context.each(episodes, Episode.perform, workers=1, is_endless=True)
        require(context.runs > 0, "no episode ran")
    return figures
