"""System calls that fail, or that kill the process: at every call of raising and of ending an alert."""

import os

from . import strace
from .common import Device, check_device
from .context import require

NAMES = ("calls",)
MESSAGE = "fell on the ridge"
ACTIVATE = ("alert", "activate", "--yes", "--no-sync", "--message", MESSAGE)
DEACTIVATE = ("alert", "deactivate", "--yes", "--no-sync")


class Raising:
    """Raises an alert on a device without a store, or with a used one."""

    command, word = ACTIVATE, "SAVED on this device"

    def __init__(self, context, name, prepared=None):
        self.context, self.name, self.prepared = context, name, prepared
        counted = self.device("counted")
        self.faults = strace.faults_in(
            lambda before: counted.done(*self.command, before=before), context.folder, ("/etc/localtime", "store.lock"))

    def device(self, name):
        home = os.path.join(self.context.scratch(f"{self.name} {name}"), "home")
        return self.prepared.copy(home) if self.prepared else Device(self.context, home)

    @staticmethod
    def check(device, answer):
        """I1: an alert reported as saved is found by the next process."""
        status = device.status()
        require(status["active"], f"reported as saved and not active: {answer}\nafterwards: {status}")
        alerts = check_device(device.store).rows("alerts", ended_at=None)
        require(len(alerts) == 1, f"one alert was raised and there are {len(alerts)}: {answer}")
        require(alerts[0]["message"] == MESSAGE, f"the alert is not the one that was raised: {alerts}")


class Ending(Raising):
    """Ends an active alert."""

    command, word = DEACTIVATE, "ENDED on this device"

    @staticmethod
    def check(device, answer):
        """I6: an end reported as saved is there, and is queued once."""
        status = device.status()
        require(not status["active"], f"reported as ended and still active: {answer}\nafterwards: {status}")
        tables = check_device(device.store)
        ended = [row for row in tables.rows("alerts") if row["ended_at"] is not None]
        require(len(ended) == len(tables.rows("alerts")) == 1, f"the alerts are {tables.rows('alerts')}")
        for table in ("pending_mutations", "pending_notifications"):
            kinds = [row["kind"].removeprefix("alert.") for row in tables.rows(table)]
            require(len(kinds) == 2 and kinds[1].startswith("deactivate"), f"{table} holds {kinds}")


class Case:
    def __init__(self, work, fault):
        self.work, self.fault = work, fault

    def __str__(self):
        return f"{self.work.name}: {self.fault}"

    def perform(self):
        device = self.work.device(str(self.fault))
        answer = strace.run_with(self.work.context, self.fault, device, *self.work.command)
        if answer.status != 0 and self.work.word not in answer.out:
            # Calls are numbered by thread: the number of one that another thread makes is also one of the loader's.
            is_of_loader = answer.status == 127 and "error while loading shared libraries" in answer.err
            if self.fault.kind != "KILL" and not is_of_loader:
                require(answer.status == 73, f"a failure of the disk has the status 73: {answer}")
                require("NOT saved" in answer.err, f"it does not say that it is not saved: {answer}")
            # A failure was reported, or nothing at all: a retry works, and there is one alert.
            answer = device.done(*self.work.command)
        self.work.check(device, answer)


def run(context):
    strace.require_strace()
    used, active = (Device(context, os.path.join(context.scratch(name), "home")) for name in ("prepared", "prepared active"))
    for device in (used, active):
        device.done(*ACTIVATE)
    used.done(*DEACTIVATE)
    works = [Raising(context, "new"), Raising(context, "used", used), Ending(context, "end", active)]
    context.each([Case(work, fault) for work in works for fault in work.faults], Case.perform)
    return {}
