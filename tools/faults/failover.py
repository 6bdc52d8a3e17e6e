"""Two servers on a PostgreSQL primary that is killed or frozen while its synchronous standby is promoted.

Alerts are raised all the time. Whatever was accepted is in the promoted database, every alert reaches its responder, a message is sent
again only if a fault hit while it was on its way, and soon after each promotion alerts are accepted again.
"""

import contextlib
import datetime
import os
import threading
import time

from .clusters import Cluster
from .common import TIMEOUT_SECONDS, Device, Receiver, Server, sign_in
from .context import Violation, require
from .postgres import RECOVERY_SECONDS, SETTLE_SECONDS
from .told import Told

NAMES = ("failover",)
LONG_SECONDS = 20 * 60
QUICK_SECONDS = 40
PHONES = ("+12025550123", "+12025550124")
DATABASE = "lifesignal"
# From the order to promote the standby until a server accepts an alert.
ACCEPTED_SECONDS = 60
STANDBY_SECONDS = 30
# From the primary's end to the promotion: answers that are on their way arrive.
PAUSE_SECONDS = (0.5, 3)
# The primary's checkpointer reads its settings somewhat later than its sessions, and has commits wait from then on.
SETTING_SECONDS = 2


def now():
    """As the server's log writes it."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Raiser:
    """A device whose alerts are raised and ended one after the other, on a thread of its own."""

    def __init__(self, episode, device, random):
        self.episode, self.device, self.random = episode, device, random
        self.alerts = set()
        # Every alert that was ever shown as accepted.
        self.accepted = set()
        self.failure = None
        self.is_stopped = False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        try:
            while not self.is_stopped:
                self.raise_and_end()
                time.sleep(self.random.uniform(0.1, 0.6))
        except Exception as failure:
            self.failure = failure

    def raise_and_end(self):
        self.device.done("config", "set", "endpoint", self.random.choice(self.episode.servers).url)
        answer = self.device.done("--json", "alert", "activate", "--yes", timeout=2 * TIMEOUT_SECONDS)
        self.alerts.add(answer.json["alert"]["id"])
        self.look()
        self.device.done("--json", "alert", "deactivate", "--yes", "--no-sync")

    def look(self):
        """Returns every alert that was ever shown as accepted."""
        if self.failure:
            raise self.failure
        self.accepted |= self.device.accepted(limit=50).keys()
        return self.accepted

    def stop(self):
        self.is_stopped = True
        if self.thread.ident:
            self.thread.join()

    def finish(self):
        """Everything works: the server accepts what waits."""
        self.stop()
        if self.failure:
            raise self.failure
        deadline = time.monotonic() + RECOVERY_SECONDS
        while (answer := self.device.run("--json", "sync")).status != 0:
            require(time.monotonic() < deadline, f"without a fault: {answer}")
            time.sleep(0.1)
        self.accepted |= self.device.accepted().keys()
        waiting = self.alerts - self.accepted
        require(not waiting, f"not accepted, with everything working again: {waiting}")


class Episode:
    """Two devices, two servers and two places for a database; each round promotes the other place."""

    def __init__(self, context, number, figures):
        self.context, self.number, self.figures = context, number, figures
        # From when until when each fault lasted.
        self.faults = []
        self.steps = []

    def __str__(self):
        return f"episode {self.number}"

    def perform(self):
        self.random = self.context.random_of(self)
        folder = self.context.scratch(f"failover_{self.number}")
        with contextlib.ExitStack() as stack:
            self.primary = stack.enter_context(Cluster())
            self.standby = Cluster()
            stack.callback(self.standby.remove)
            self.primary.query(f"CREATE DATABASE {DATABASE}")
            self.attach()
            self.servers = [stack.enter_context(self.server(folder)) for _ in range(2)]
            self.told = Told(stack.enter_context(Receiver()))
            self.raisers = [self.raiser(folder, phone) for phone in PHONES]
            for raiser in self.raisers:
                stack.callback(raiser.stop)
            try:
                self.trial()
            except Violation as broken:
                raise Violation(f"{broken}\n{self.evidence}") from None

    def server(self, folder):
        server = Server(self.context, folder)
        hosts = ",".join((self.primary.folder, self.standby.folder))
        server.database = f"postgresql://postgres@/{DATABASE}?host={hosts}&target_session_attrs=read-write"
        return server.start()

    def raiser(self, folder, phone):
        device = Device(self.context, os.path.join(folder, f"home{phone}"))
        sign_in(self.servers[0], device, phone)
        device.done("contacts", "add", "+12025550188", "--name", "Ana", "--responder", "--channel", self.told.receiver.url)
        device.done("sync")
        return Raiser(self, device, self.context.random_of(f"{self} {phone}"))

    def trial(self):
        for raiser in self.raisers:
            raiser.thread.start()
        for fault in self.deck():
            time.sleep(self.random.uniform(0.5, 3))
            self.round(fault)
        self.heal()

    def deck(self):
        faults = [self.kill, self.freeze]
        if self.context.is_long:
            faults = [*faults, *faults, self.freeze_and_fence, self.lose_standby]
        self.random.shuffle(faults)
        return faults

    def round(self, fault):
        self.note(fault.__name__)
        self.context.count(faults=1)
        begun = time.time()
        fault()
        self.wait_for_acceptance()
        # Where it was only frozen: it must never go on beside the new one.
        self.primary.kill()
        self.primary, self.standby = self.standby, self.primary
        self.check_kept(self.look(), self.primary)
        self.faults.append((begun, time.time()))
        self.note("new standby")
        self.attach()

    def attach(self):
        """Makes a new standby, for which the primary's commits wait from then on."""
        self.standby.follow(self.primary)
        self.primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.query("SELECT pg_reload_conf()")
        deadline = time.monotonic() + STANDBY_SECONDS
        while self.primary.query("SELECT sync_state FROM pg_stat_replication") != ["sync"]:
            require(time.monotonic() < deadline, f"the standby does not follow: {self.standby.log}")
            time.sleep(0.1)
        time.sleep(SETTING_SECONDS)

    # Faults

    def kill(self):
        self.primary.kill()
        time.sleep(self.random.uniform(*PAUSE_SECONDS))
        self.promote()

    def freeze(self):
        """Its connections stay open, and new ones wait without an end."""
        self.primary.freeze()
        time.sleep(self.random.uniform(*PAUSE_SECONDS))
        self.promote()

    def freeze_and_fence(self):
        self.primary.freeze()
        time.sleep(self.random.uniform(0, 20))
        self.primary.kill()
        self.promote()

    def lose_standby(self):
        """Without a standby, commits wait; then the primary ends too, and the standby never gets them."""
        self.standby.kill()
        time.sleep(self.random.uniform(1, 20))
        self.primary.kill()
        self.standby.start()
        self.promote()

    def promote(self):
        """Nothing is accepted between the old primary's end and this. Later, a device may send again what is missing."""
        self.accepted = self.look()
        self.promoted_at = time.monotonic()
        self.standby.promote()
        self.note("promoted")
        self.check_kept(self.accepted, self.standby)

    # Promises

    def look(self):
        """Every alert that a device has shown as accepted."""
        return set().union(*(raiser.look() for raiser in self.raisers))

    @staticmethod
    def check_kept(accepted, cluster):
        lost = accepted - set(cluster.query("SELECT id FROM alerts", DATABASE))
        require(not lost, f"accepted, and not in the promoted database: {lost}")

    def wait_for_acceptance(self):
        while self.look() <= self.accepted:
            late = time.monotonic() - self.promoted_at
            require(late < ACCEPTED_SECONDS, f"no alert was accepted for {late:.0f} s after the promotion")
            time.sleep(0.1)
        seconds = round(time.monotonic() - self.promoted_at, 1)
        self.note(f"accepted after {seconds} s")
        self.figures["seconds_to_accept"] = max(self.figures["seconds_to_accept"], seconds)

    def heal(self):
        for raiser in self.raisers:
            raiser.finish()
        self.note("healed")
        self.check_kept(self.look(), self.primary)
        alerts = set().union(*(raiser.alerts for raiser in self.raisers))
        self.figures["alerts"] += len(alerts)
        all_told = self.told.has(alerts, time.monotonic() + SETTLE_SECONDS)
        require(all_told, f"nobody was told of {self.told.missing(alerts)}")
        self.told.settle(self.primary, DATABASE)
        self.told.check_repeats(self.primary, DATABASE, self.faults)
        self.context.add(self.figures, {"messages": len(self.told.arrivals), "sent_again": self.told.repeats})

    def note(self, text):
        """For a violation's text."""
        self.steps.append(f"{now()} {text}")

    @property
    def evidence(self):
        return "\n".join((*self.steps[-8:], *(f"{server.url}:\n{server.said}" for server in self.servers)))


def run(context):
    figures = {"alerts": 0, "messages": 0, "sent_again": 0, "seconds_to_accept": 0}
    context.begin(LONG_SECONDS, QUICK_SECONDS)
    # One at a time: it measures times.
    episodes = [Episode(context, number, figures) for number in range(1, 1000 if context.is_long else 2)]
    context.each(episodes, Episode.perform, workers=1, is_endless=True)
    require(context.runs > 0, "no episode ran")
    return figures
