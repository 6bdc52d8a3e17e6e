"""Four commands and the background worker on one store, and the server, killed at random moments."""

import json
import os
import subprocess
import threading
import time

from .common import TIMEOUT_SECONDS, Answer, check_device, check_server
from .context import Violation, require
from .exchange import Exchange

NAMES = ("storm",)
ROUNDS = 10
# It never ends by itself.
LONG_SECONDS = 4 * 60
ACTIVATE = ("--json", "alert", "activate", "--yes", "--no-sync")
COMMANDS = (
    ACTIVATE,
    ACTIVATE,
    ("--json", "alert", "activate", "--yes"),
    ("--json", "alert", "deactivate", "--yes", "--no-sync"),
    ("--json", "alert", "deactivate", "--yes"),
    ("--json", "contacts", "add", "+12025550199", "--name", "Storm"),
    ("--json", "alert", "status"),
    ("--json", "sync"),
)
TEMPORARY_FAILURE = 75


def restart_limit_seconds():
    """Two seconds, and more if there are more programs than processors."""
    return 2 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


def is_valid(command, answer):
    """Of a command that was not killed. The server may be down: then `sync` has not sent all, and an end that finds no active
    alert on the device has to say that it could not ask about those of other devices."""
    if answer.status != TEMPORARY_FAILURE:
        return answer.status == 0
    if "deactivate" in command and "--no-sync" not in command:
        return answer.json == {"active_unknown": True, "alert": None, "ended": 0}
    return "sync" in command


class Promises:
    """What commands reported as saved."""

    def __init__(self):
        self.alerts, self.ended, self.contacts = set(), set(), set()

    def take(self, command, out):
        """Also of a killed command, if its answer had been written in full."""
        try:
            told = json.loads(out.splitlines()[0])
        except (ValueError, IndexError):
            return
        if "activate" in command:
            self.alerts.add(told["alert"]["id"])
        if "deactivate" in command and told["alert"]:
            self.ended.add(told["alert"]["id"])
        if "contacts" in command:
            self.contacts.add(told["id"])

    def check(self, tables, who):
        alerts = {row["id"]: row for row in tables.rows("alerts")}
        require(self.alerts <= alerts.keys(), f"{who} lost alerts that were saved: {self.alerts - alerts.keys()}")
        again = [id for id in self.ended if alerts[id]["ended_at"] is None]
        require(not again, f"{who} has alerts active again that were ended: {again}")
        contacts = {row["id"] for row in tables.rows("contacts")}
        require(self.contacts <= contacts, f"{who} lost contacts that were saved: {self.contacts - contacts}")


class Killed(threading.Thread):
    """A command that is killed after this many seconds unless it has ended; never if None."""

    def __init__(self, device, command, seconds):
        super().__init__(daemon=True)
        self.command, self.seconds, self.was_killed = command, seconds, False
        self.process = subprocess.Popen(
            device.command(*command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.answer, self.hangs = None, False
        self.start()

    def run(self):
        started = time.monotonic()
        try:
            out, err = self.process.communicate(timeout=TIMEOUT_SECONDS if self.seconds is None else self.seconds)
        except subprocess.TimeoutExpired:
            self.was_killed, self.hangs = True, self.seconds is None
            self.process.kill()
            out, err = self.process.communicate()
        self.answer = Answer(self.process.returncode, out, err, time.monotonic() - started)

    def finish(self):
        self.join()
        require(not self.hangs, f"{' '.join(self.command)} hangs: {self.answer}")
        return self.answer


class Episode:
    def __init__(self, exchange, number):
        self.exchange, self.number = exchange, number
        self.slowest = 0.0

    def __str__(self):
        return f"episode {self.number}"

    def perform(self):
        self.random = self.exchange.context.random_of(self)
        with self.exchange.place() as self.place:
            self.device, self.promises = self.place.device, Promises()
            self.promises.alerts.add(self.exchange.alert)
            for _ in range(ROUNDS):
                self.round()
            self.heal()

    def round(self):
        if self.place.server.process.poll() is not None:
            self.place.server.start()
        commands = [self.started(command) for command in self.random.choices(COMMANDS, k=4)]
        commands.append(Killed(self.device, ("--json", "sync", "--watch"), self.random.uniform(0, 0.15)))
        if self.random.random() < 0.3:
            time.sleep(self.random.uniform(0, 0.08))
            self.place.server.kill()
            self.exchange.context.count(faults=1)
        for command in commands:
            self.take(command, command.finish())
        self.restart()

    def started(self, command):
        # A command that talks to the server waits for the result.
        timeout = self.random.choice((0.01, 0.03, None if "--no-sync" in command else 0.1))
        return Killed(self.device, command, timeout and self.random.uniform(0, timeout))

    def take(self, command, answer):
        self.exchange.context.count(faults=command.was_killed)
        self.promises.take(command.command, answer.out)
        if not command.was_killed:
            require(is_valid(command.command, answer), f"lifesignal {' '.join(command.command)}: {answer}")

    def restart(self):
        """Everything is dead: the next process finds everything reported as saved, and quickly."""
        answer = self.device.done("--json", "alert", "status")
        self.slowest = max(self.slowest, answer.seconds)
        require(answer.seconds < restart_limit_seconds(), f"the first look takes too long: {answer}")
        self.promises.check(check_device(self.device.store), "the device")

    def heal(self):
        """With everything working again, both sides have the same, once."""
        if self.place.server.process.poll() is not None:
            self.place.server.start()
        self.device.done("sync")
        device, server = check_device(self.device.store), check_server(self.place.server.database)
        for table in ("pending_mutations", "pending_notifications"):
            require(not device.rows(table), f"still queued: {device.rows(table)}")
        self.promises.check(device, "the device")
        self.promises.check(server, "the server")
        for table, keys in (("alerts", ("id", "started_at", "ended_at")), ("contacts", ("id", "name", "phone"))):
            sides = [sorted([row[key] for key in keys] for row in tables.rows(table)) for tables in (device, server)]
            require(sides[0] == sides[1], f"{table} differ: {sides[0]} on the device, {sides[1]} on the server")


def run(context):
    exchange = Exchange(context)
    context.begin(LONG_SECONDS)
    slowest = []

    def perform(episode):
        episode.perform()
        slowest.append(episode.slowest)

    context.each([Episode(exchange, number) for number in range(1, 5000)], perform, is_endless=True)
    if not slowest:
        raise Violation("no episode came to its end")
    return {"rounds": ROUNDS * len(slowest), "slowest_restart_seconds": round(max(slowest), 3)}
