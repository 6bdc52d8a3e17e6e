"""Two servers on one PostgreSQL database, killed at random moments, a thousand times, while alerts are raised, told and answered.

Whatever a device shows as accepted is in the database and was told to each responder. Each answer that a responder's page confirmed is
stored and reaches the device. A message is sent again only where the server that had leased it was killed before it recorded the outcome.
"""

import contextlib
import os
import socket
import time

from .beside import Beside
from .clusters import Cluster
from .common import TIMEOUT_SECONDS, Device, Receiver, Server, Tables, sign_in
from .context import Violation, require
from .leases import Leases
from .postgres import RECOVERY_SECONDS
from .responders import Responders
from .told import Told

NAMES = ("database-kills",)
LONG_SECONDS, QUICK_SECONDS = 40 * 60, 90
# In a short episode: leases that dead servers left make no room for other messages until a server has lived for fifteen seconds.
EPISODES = {"quick": 1, "long": 40}
KILLS = 25
WORKERS = 2
CHECKED_KILLS = 10

# Outside of those that the system gives to connections: while a server is dead, none may take its port.
PORTS = (20_000, 32_000)
# A server is killed so long at most after it listens, or after its start if it may not listen yet; some are killed together.
LIFE_SECONDS = 0.3
START_SECONDS = 0.15
START_SHARE = 0.3
TOGETHER_SHARE = 0.1

PHONES = ("+12025550123", "+12025550124", "+12025550125")
RESPONDERS = {"Ana": "+12025550188", "Ben": "+12025550199"}
# Between an alert and its end, and until the next.
PAUSE_SECONDS = (0.05, 0.5)
# How many alerts are raised by a command that follows their delivery, and how many are ended by one that sends at once.
FOLLOWED_SHARE, SENT_END_SHARE = 0.2, 0.5
# The channel answers after up to so long: a server is often killed meanwhile.
ANSWER_SECONDS = 0.2
# `sync` says so if something could not be sent.
TEMPORARY_FAILURE = 75
# What dead servers had leased is sent within a minute and a few seconds, without any other server; otherwise within twenty seconds.
TOLD_SECONDS = 90


def free_port(random):
    while True:
        port = random.randrange(*PORTS)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class KilledServer(Server):
    """A server each run of which has a name, under which it connects to the database."""

    def __init__(self, context, folder, cluster, database, number, port):
        super().__init__(context, folder)
        self.port = port
        self.place = f"postgresql://postgres@/{database}?host={cluster.folder}"
        self.number, self.runs, self.is_ready = number, 0, False

    @property
    def run(self):
        return f"{self.number}.{self.runs}"

    def begin(self):
        """Starts it without waiting."""
        self.runs += 1
        self.is_ready = False
        self.database = f"{self.place}&application_name={self.run}"
        self.launch(self.command)

    def become_ready(self):
        if not self.is_ready:
            self.wait_for(r"(listening) on ")
            self.is_ready = True
        return self

    def strike(self, killed):
        """Kills it, and notes when."""
        status = self.process.poll()
        require(status is None, f"the server ended by itself with {status}: {self.said}")
        killed[self.run] = time.time()
        self.kill()


class Person(Beside):
    """A device whose alerts are raised and ended one after the other, on a thread of its own."""

    def __init__(self, episode, device, random):
        super().__init__()
        self.episode, self.device, self.random = episode, device, random
        self.alerts, self.accepted = set(), set()

    def live(self):
        """The last alert stays active."""
        self.raise_alert()
        while not self.is_over.wait(self.random.uniform(*PAUSE_SECONDS)):
            self.end_alert()
            time.sleep(self.random.uniform(*PAUSE_SECONDS))
            self.raise_alert()

    def raise_alert(self):
        self.move()
        is_followed = self.random.random() < FOLLOWED_SHARE
        options = () if is_followed else ("--no-sync",)
        activate = ("--json", "alert", "activate", "--yes", "--message", "fell on the ridge", *options)
        self.alert = self.device.done(*activate, timeout=2 * TIMEOUT_SECONDS).json["alert"]["id"]
        self.alerts.add(self.alert)
        if not is_followed:
            self.send()
        self.look()

    def end_alert(self):
        self.device.done("--json", "alert", "deactivate", "--yes", "--no-sync")
        if self.random.random() < SENT_END_SHARE:
            self.send()
        self.look()

    def move(self):
        self.device.done("config", "set", "endpoint", self.random.choice(self.episode.servers).url)

    def send(self):
        """One try: what fails meets the next fault."""
        answer = self.device.run("--json", "sync")
        require(answer.status in (0, TEMPORARY_FAILURE), f"sync: {answer}")
        return answer

    def look(self):
        # A new set: the episode reads it meanwhile.
        self.accepted = self.accepted | self.device.accepted(limit=50).keys()

    def recover(self):
        """With everything working again, everything is accepted."""
        self.move()
        deadline = time.monotonic() + RECOVERY_SECONDS
        while (answer := self.send()).status != 0:
            require(time.monotonic() < deadline, f"without a fault: {answer}")
            time.sleep(0.1)
        self.look()
        waiting = self.alerts - self.accepted
        require(not waiting, f"not accepted, with everything working again: {waiting}")

    def check_shown(self, coming):
        """The status of the alert that is active shows who comes."""
        self.recover()
        status = self.device.status()
        require(status["active"] and status["alert"]["id"] == self.alert, f"not the active alert {self.alert}: {status}")
        shown = {(receipt["contact_id"], receipt["state"]) for receipt in status["delivery"]["responders"]}
        for alert, contact in coming:
            if alert == self.alert:
                require((contact, "acknowledged") in shown, f"{contact} is coming, and the device shows {shown}")

    def check_receipts(self, coming):
        """The device knows of all its alerts who came."""
        receipts = Tables(self.device.store).rows("receipts", state="acknowledged", notice="activated")
        known = {(receipt["alert_id"], receipt["contact_id"]) for receipt in receipts}
        missing = {key for key in coming if key[0] in self.alerts} - known
        require(not missing, f"somebody was coming, and the device does not know: {missing}")


class Episode:
    """Three people and two responders each, and two servers that are killed."""

    def __init__(self, context, cluster, number, figures):
        self.context, self.cluster, self.number, self.figures = context, cluster, number, figures
        # When each run of a server was killed.
        self.killed = {}
        self.steps = []
        self.last = None

    def __str__(self):
        return f"episode {self.number}"

    def perform(self):
        self.random = self.context.random_of(self)
        self.database = f"kills_{self.number}"
        self.cluster.query(f"CREATE DATABASE {self.database}")
        folder = self.context.scratch(self.database)
        with contextlib.ExitStack() as stack:
            self.servers = [
                KilledServer(self.context, folder, self.cluster, self.database, number, free_port(self.random)) for number in range(2)]
            for server in self.servers:
                server.begin()
                stack.enter_context(server).become_ready()
            self.leases = Leases(self.cluster, self.database)
            self.leases.watch()
            self.people = [self.person(stack, folder, number) for number in range(len(PHONES))]
            self.told = Told(self.receiver)
            self.responders = Responders(self.told, self.servers, self.context.random_of(f"{self} responders"))
            workers = (*self.people, self.responders)
            for worker in workers:
                stack.callback(worker.thread.join)
                stack.callback(worker.is_over.set)
            try:
                for worker in workers:
                    worker.thread.start()
                self.trial()
            except Violation as broken:
                raise Violation(f"{broken}\n{self.evidence}") from None

    def person(self, stack, folder, number):
        """Each has a receiver at an address of its own: those that dead servers were sending to have room for others after a while only."""
        random = self.context.random_of(f"{self} person {number}")
        device = Device(self.context, os.path.join(folder, f"home{number}"))
        sign_in(self.servers[0], device, PHONES[number])
        for place, (name, phone) in enumerate(RESPONDERS.items()):
            address = f"127.0.{1 + number}.{1 + place}"
            messages = self.receiver.messages if number or place else None
            self.receiver = stack.enter_context(Receiver(address, messages, lambda: random.uniform(0, ANSWER_SECONDS)))
            device.done("contacts", "add", phone, "--name", name, "--responder", "--channel", self.receiver.url)
        device.done("sync")
        return Person(self, device, random)

    def trial(self):
        while len(self.killed) < KILLS:
            before = len(self.killed)
            self.strike()
            if before // CHECKED_KILLS < len(self.killed) // CHECKED_KILLS:
                self.check_kept()
        self.heal()

    def strike(self):
        """Kills a server at a random moment of its start or its life, or both at once, and starts them again."""
        if self.last and self.random.random() < START_SHARE:
            victims = [self.last]
            time.sleep(self.random.uniform(0, START_SECONDS))
        else:
            is_together = self.random.random() < TOGETHER_SHARE
            victims = self.servers if is_together else [self.random.choice(self.servers)]
            for server in victims:
                server.become_ready()
            time.sleep(self.random.uniform(0, LIFE_SECONDS))
        for server in victims:
            server.strike(self.killed)
        for server in victims:
            self.note(f"{server.run} killed, {'ready' if server.is_ready else 'starting'}")
            server.begin()
        self.last = victims[-1]
        self.context.count(faults=len(victims))
        for worker in (*self.people, self.responders):
            if worker.failure:
                raise worker.failure

    # Promises

    def check_kept(self):
        """The database has what the devices have shown as accepted."""
        accepted = set().union(*(person.accepted for person in self.people))
        lost = accepted - set(self.cluster.query("SELECT id FROM alerts", self.database))
        require(not lost, f"accepted, and not in the database: {lost}")

    def heal(self):
        self.note("heal")
        for server in self.servers:
            server.become_ready()
        for person in self.people:
            person.stop()
            person.recover()
        self.check_kept()
        self.wait_until_told({person.alert for person in self.people})
        self.responders.stop()
        for person in self.people:
            person.check_shown(self.responders.check(self.cluster, self.database))
            person.end_alert()
            person.recover()
        # What was raised and ended while no server took it waits while another alert of the person is active.
        self.wait_until_told(set().union(*(person.alerts for person in self.people)))
        self.told.settle(self.cluster, self.database)
        self.check_at_end()

    def wait_until_told(self, alerts):
        """Until each responder has a message of each alert. Those on the thread read and answer meanwhile, or else this reads."""
        started = time.monotonic()
        while missing := self.told.missing(alerts, RESPONDERS):
            late = time.monotonic() - started
            require(
                late < TOLD_SECONDS,
                f"after {late:.0f} s without a fault not each responder was told of {missing}: {self.described(missing)}")
            if self.responders.failure:
                raise self.responders.failure
            if self.responders.thread.is_alive():
                time.sleep(0.1)
            else:
                self.told.read(0.1)
        self.figures["seconds_until_told"] = max(self.figures["seconds_until_told"], round(time.monotonic() - started, 1))

    def check_at_end(self):
        self.check_kept()
        coming = self.responders.check(self.cluster, self.database)
        for person in self.people:
            person.recover()
            person.check_receipts(coming)
        self.check_order()
        self.leases.check(self.told.arrivals, self.killed)
        self.context.add(self.figures, {
            "alerts": sum(len(person.alerts) for person in self.people), "messages": len(self.told.arrivals),
            "leases_left": self.leases.left, "given_back": self.leases.given_back, "sent_again": self.told.repeats,
            "answers": self.responders.confirmed, "coming": len(coming)})

    def check_order(self):
        """A call for help never follows the end of its alert."""
        ends = {}
        for message in sorted((one for arrivals in self.told.arrivals.values() for one in arrivals), key=lambda one: one.at):
            key = (message.alert, message.contact)
            if message.kind == "alert.deactivated":
                ends.setdefault(key, message)
            elif message.kind == "alert.activated":
                require(key not in ends, f"{message} follows {ends.get(key)}")

    # Evidence

    def described(self, alerts):
        """The alerts, their messages and the leases of these."""
        listed = ", ".join(f"'{alert}'" for alert in alerts)
        questions = (
            f"SELECT id, received_at, ended_at, end_received_at, notified_at, asking_phase FROM alerts WHERE id IN ({listed})",
            f"SELECT alert_id, id, contact_name, notice, role, state, state_at, created_at, attempts, is_leased, due_at, told_end, reason,"
            f" holder FROM deliveries WHERE alert_id IN ({listed})",
            f"SELECT * FROM lease_events WHERE message IN (SELECT id FROM deliveries WHERE alert_id IN ({listed})) ORDER BY number")
        rows = "\n".join(str(self.cluster.ask(question, self.database)) for question in questions)
        arrivals = [arrivals for arrivals in self.told.arrivals.values() if arrivals[0].alert in alerts]
        return f"{rows}\narrived: {arrivals}"

    def note(self, text):
        """For a violation's text."""
        self.steps.append(f"{time.time():.3f} {text}")

    @property
    def evidence(self):
        repeats = [arrivals for arrivals in self.told.arrivals.values() if len(arrivals) > 1]
        servers = "".join(f"{server.url}, {server.run}:\n{server.said}" for server in self.servers)
        return f"steps: {self.steps[-40:]}\nsent again: {repeats[-10:]}\n{servers}"


def run(context):
    figures = dict.fromkeys(
        ("alerts", "messages", "leases_left", "given_back", "sent_again", "answers", "coming", "seconds_until_told"), 0)
    with Cluster() as cluster:
        context.begin(LONG_SECONDS, QUICK_SECONDS)
        # Each has a database of its own.
        episodes = [Episode(context, cluster, number, figures) for number in range(1, EPISODES[context.size] + 1)]
        context.each(episodes, Episode.perform, workers=WORKERS)
    figures["sent_again_per_1000"] = round(1000 * figures["sent_again"] / max(1, figures["messages"]), 1)
    return figures
