"""Backups that are killed, and restores that are killed: no half copy, no empty server, and no alert that a device knows is lost."""

import os
import signal
import subprocess

from . import common
from .common import Device, Server, Tables, check_device, check_server, sign_in
from .context import require

NAMES = ("backups",)
CASES = {"quick": 4, "long": 300}
# Of each case.
KILLS = 6
# A backup and a restore of a small database take about this long.
TYPICAL_SECONDS = 0.03


class Course:
    """One server: a backup, an alert after it, and the way back."""

    def __init__(self, context, number):
        self.context, self.number = context, number
        self.random = context.random_of(self)

    def __str__(self):
        return f"course {self.number}"

    def perform(self):
        folder = self.context.scratch(str(self))
        self.copy = os.path.join(folder, "copy.sqlite")
        self.server = Server(self.context, folder)
        self.device = Device(self.context, os.path.join(folder, "home"))
        with self.server.start():
            sign_in(self.server, self.device)
            self.before = self.raise_and_end()
            self.back_up()
            self.after = self.raise_and_end()
            self.restore()
            self.bring_back()

    def raise_and_end(self):
        """The id of an alert that the server has accepted."""
        alert = self.device.done("--json", "alert", "activate", "--yes").json["alert"]["id"]
        self.device.done("alert", "deactivate", "--yes")
        self.device.done("sync")
        require(alert in self.device.accepted(), f"alert {alert} was not accepted")
        return alert

    def admin(self, *words):
        return [self.context.server, "admin", *words, "--database", self.server.database]

    def killed(self, *words):
        """Whether the command was killed before its end; it must not fail."""
        child = subprocess.Popen(self.admin(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = child.communicate(timeout=self.random.uniform(0, TYPICAL_SECONDS))
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
        require(child.returncode in (0, -signal.SIGKILL), f"admin {words[0]}: exit status {child.returncode}: {err or out}")
        self.context.count(faults=1)
        return child.returncode != 0

    def back_up(self):
        """While the server runs. What has the copy's name is whole."""
        for _ in range(KILLS):
            if not self.killed("backup", self.copy):
                break
            if os.path.exists(self.copy):
                break
        else:
            done = common.run(self.admin("backup", self.copy))
            require(done.status == 0, f"admin backup: {done}")
        require({row["id"] for row in check_server(self.copy).rows("alerts")} == {self.before}, "the copy lacks the alert before it")
        left = [name for name in os.listdir(os.path.dirname(self.copy)) if name.startswith(".lifesignal-")]
        require(len(left) <= 1, f"killed backups leave more than the last: {left}")

    def restore(self):
        """While no server runs. After each kill a server finds the former database or the copy, or refuses to start."""
        refused = common.run(self.admin("restore", self.copy))
        require(refused.status == 69, f"a restore beneath a server that runs: {refused}")
        self.server.end()
        for _ in range(KILLS):
            if not self.killed("restore", self.copy):
                return
            self.check_state()
        done = common.run(self.admin("restore", self.copy))
        require(done.status == 0, f"admin restore: {done}")

    def check_state(self):
        """Neither an empty database nor half of one."""
        database = self.server.database
        if os.path.exists(database):
            alerts = {row["id"] for row in check_server(database).rows("alerts")}
            require(self.before in alerts, f"the database after a killed restore has the alerts {alerts}")
            return
        started = common.run([self.context.server, "--listen", "127.0.0.1:0", "--database", database], timeout=20)
        require(started.status == 73, f"a server without its database: {started}")

    def bring_back(self):
        """The device notices that the server is older, and sends again what it lacks."""
        alerts = {row["id"] for row in Tables(self.server.database).rows("alerts")}
        require(alerts == {self.before}, f"the restored database has the alerts {alerts}")
        self.server.start()
        self.device.done("sync")
        self.device.done("sync")
        self.server.end()
        alerts = {row["id"]: row for row in check_server(self.server.database).rows("alerts")}
        require(set(alerts) == {self.before, self.after}, f"after a sync the server has the alerts {set(alerts)}")
        require(all(row["ended_at"] is not None for row in alerts.values()), "an ended alert is active again")
        check_device(self.device.store)


def run(context):
    context.each([Course(context, number) for number in range(CASES[context.size])], Course.perform)
    return {}
