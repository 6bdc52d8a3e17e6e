"""System calls that fail, or at which the process is killed: at every call of raising an alert (test 4)."""

import os

from . import strace
from .common import Device, check_device
from .context import require

NAMES = ("calls",)

ACTIVATE = ("alert", "activate", "--yes", "--no-sync", "--message", "fell on the ridge")


class Activation:
    """Raising an alert on a device that never had a store, or one that has been used before."""

    def __init__(self, context, name, prepared):
        self.context, self.name, self.prepared = context, name, prepared
        counted = self.device("counted")
        self.faults = strace.faults_in(lambda before: counted.done(*ACTIVATE, before=before), context.folder, ("/etc/localtime",))

    def device(self, name):
        home = os.path.join(self.context.scratch(f"{self.name} {name}"), "home")
        return self.prepared.copy(home) if self.prepared else Device(self.context, home)

    def cases(self):
        return [Case(self, fault) for fault in self.faults]


class Case:
    def __init__(self, activation, fault):
        self.activation, self.fault = activation, fault

    def __str__(self):
        return f"{self.activation.name}: {self.fault}"

    def perform(self):
        device = self.activation.device(str(self.fault))
        answer = strace.run_with(self.activation.context, self.fault, device, *ACTIVATE)
        if answer.status == 0 or "SAVED on this device" in answer.out:
            check_saved(device, answer)
        else:
            check_failure(device, answer, self.fault)
        return answer


def check_saved(device, answer):
    """I1: what was said to be saved is there when anybody looks."""
    status = device.status()
    require(status["active"], f"said to be saved and not active: {answer}\nafterwards: {status}")
    alerts = check_device(device.store).rows("alerts", ended_at=None)
    require(len(alerts) == 1, f"one alert was raised and there are {len(alerts)}: {answer}")
    require(alerts[0]["message"] == "fell on the ridge", f"the alert is not the one that was raised: {alerts}")


def check_failure(device, answer, fault):
    """A failure was told, or nothing was: raising it again works, and there is one."""
    if fault.kind != "KILL":
        require(answer.status == 73, f"a failure of the disk has the status 73: {answer}")
        require("NOT saved" in answer.err, f"it does not say that the alert is not saved: {answer}")
    again = device.done(*ACTIVATE)
    check_saved(device, again)


def run(context):
    strace.require_strace()
    used = Device(context, os.path.join(context.scratch("prepared"), "home"))
    used.done(*ACTIVATE)
    used.done("alert", "deactivate", "--yes", "--no-sync")
    context.each(Activation(context, "new", None).cases() + Activation(context, "used", used).cases(), Case.perform)
    return {}
