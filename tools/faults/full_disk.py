"""A full disk at every fill level, without a network and with one: a small disk in memory, mounted for the test."""

import contextlib
import errno
import os
import shutil
import subprocess

from .common import Device, check_device, check_server, sign_in
from .context import NotRun, require
from .exchange import Exchange

NAMES = ("full-disk",)
PAGE = 4096
DISK_PAGES = 512
ACTIVATE = ("alert", "activate", "--yes", "--no-sync", "--message", "fell on the ridge")
# The valid exit statuses of other commands on a full disk. Reading must work.
OTHERS = {
    ("alert", "status"): (0,), ("alert", "history"): (0,), ("contacts", "list"): (0,), ("queue", "list"): (0,), ("status",): (0,),
    ("contacts", "add", "+12025550143", "--name", "Ana"): (0, 73),
    ("config", "set", "endpoint", "http://127.0.0.1:9"): (0, 73), ("doctor",): (0, 69), ("sync",): (73, 75, 77),
}
WRITERS = [command for command, statuses in OTHERS.items() if 73 in statuses and command != ("sync",)]


class Disk:
    """A mounted disk in memory of this size, with this many files at most (0: unlimited)."""

    def __init__(self, folder, files=0, pages=DISK_PAGES):
        self.folder = folder
        options = f"size={pages * PAGE},mode=0700" + (f",nr_inodes={files}" if files else "")
        os.makedirs(folder, exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True)
        if mounted.returncode != 0:
            raise NotRun(f"no disk can be mounted here (it takes root): {mounted.stderr.strip()}")

    @property
    def filler(self):
        return os.path.join(self.folder, "filler")

    def fill(self, free_pages):
        """Leaves this many free pages, or fewer if there are fewer."""
        descriptor = os.open(self.filler, os.O_CREAT | os.O_WRONLY)
        state = os.statvfs(self.folder)
        room = state.f_bavail * state.f_bsize // PAGE - free_pages
        try:
            if room > 0:
                os.posix_fallocate(descriptor, 0, room * PAGE)
        finally:
            os.close(descriptor)

    def empty(self):
        os.unlink(self.filler)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.folder], check=True)


def raise_alert(device):
    """Raises an alert, and checks I1 and the message on failure. Returns what was reported."""
    answer = device.run(*ACTIVATE)
    require(answer.status in (0, 73), f"an alert on a full disk: {answer}")
    if answer.status == 0:
        status = device.run("--json", "alert", "status")
        require(status.status == 0 and status.json["active"], f"saved, and not there: {answer}\n{status}")
    else:
        require("NOT saved" in answer.err and names_the_fault(answer), f"it does not say that the disk is full: {answer}")
    return answer


def names_the_fault(answer):
    # SQLite reports no more than that about a file that cannot be created.
    return any(words in answer.err for words in ("full", os.strerror(errno.ENOSPC), "unable to open database file"))


def others(device, is_used):
    """Every other command reports what is wrong, or works. Without room for a store, none can be read either."""
    for command, statuses in OTHERS.items():
        answer = device.run(*command)
        require(answer.status in (statuses if is_used else (*statuses, 73)), f"on a full disk: lifesignal {command}: {answer}")
        if answer.status == 73:
            require(names_the_fault(answer), f"it does not say that the disk is full: lifesignal {command}: {answer}")
            told = "NOT saved" in answer.err or command not in WRITERS
            require(told, f"it does not say that it is not saved: lifesignal {command}: {answer}")


def device_trial(context, case, prepared, figures):
    folder = context.scratch(case.replace(": ", " "))
    kind, _, amount = case.rpartition(" ")
    with Disk(folder, files=int(amount) if "files" in kind else 0) as disk:
        try:
            home = os.path.join(folder, "home")
            device = prepared.copy(home) if "used" in kind else Device(context, home)
        except OSError:
            return  # There is no room for as much as was there before.
        if "files" not in kind:
            disk.fill(int(amount))
        context.count(faults=1)
        saved = raise_alert(device).status == 0
        figures["saved" if saved else "refused"] += 1
        again = raise_alert(device)
        is_told = again.status == 0 or "cannot make sure that it stays" in again.err
        require(is_told or not saved, f"an alert that is active could not be told of any more: {again}")
        others(device, "used" in kind)
        if "files" not in kind:
            disk.empty()
            end_well(device, saved or again.status == 0)


def end_well(device, saved):
    """With room again, one alert can be raised and is there; then everything else works too."""
    before = device.status()
    require(before["active"] or not saved, f"the alert that was saved is not active: {before}")
    device.done(*ACTIVATE)
    alerts = check_device(device.store).rows("alerts", ended_at=None)
    require(len(alerts) == 1, f"there are {len(alerts)} active alerts")
    for command in (("contacts", "add", "+12025550143", "--name", "Bo"), ("alert", "deactivate", "--yes", "--no-sync")):
        device.done(*command)
    require(not device.status()["active"], "the alert was not ended")


def online_trial(context, case, exchange):
    """Signed in, with the server up: help is called for twice, and ended. The server receives each call, and the device reports
    the truth, whatever could be saved; also after another device ended the first call in between."""
    with exchange.place() as place:
        place.server.start()
        place.device.done("alert", "deactivate", "--yes")
        other = None
        if "elsewhere" in case:
            other = Device(context, os.path.join(place.folder, "other"))
            sign_in(place.server, other)
        folder = os.path.join(place.folder, "disk")
        environment = {**os.environ, "XDG_RUNTIME_DIR": os.path.join(place.folder, "runtime")}
        os.mkdir(environment["XDG_RUNTIME_DIR"], 0o700)
        with Disk(folder) as disk:
            device = place.device.copy(os.path.join(folder, "home"))
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(device.home, "reserve"))
            disk.fill(int(case.rpartition(" ")[2]))
            context.count(faults=1)
            for words in ("on the ridge", "in the hut"):
                raised = device.run("alert", "activate", "--yes", "--message", words, env=environment)
                require(is_told(raised, "SENT."), f"it does not say that the server has the call: {raised}")
                newest = {alert["update_message"] or alert["message"] for alert in active_on(place.server)}
                require(words in newest, f"the newest words on the server are {newest}: {raised}")
                status = device.done("--json", "alert", "status", env=environment).json
                require(status["active"], f"it is not shown as active: {raised}\n{status}")
                if other:
                    other.done("sync")
                    other.done("alert", "deactivate", "--yes")
                    require(not active_on(place.server), "the other device has not ended it")
                    other = None
            ended = device.run("alert", "deactivate", "--yes", env=environment)
            require(is_told(ended, "ENDED."), f"it does not say that the server has the end: {ended}")
            require(not active_on(place.server), f"the server has an active alert: {ended}")
            disk.empty()
            device.done("sync", env=environment)
            status = device.done("--json", "alert", "status", env=environment).json
            require(not status["active"], f"it is shown as active after a sync: {status}")
            require(not active_on(place.server), "the server has an active alert after a sync")


def is_told(answer, words):
    """Sent and saved, or sent and reported as not saved."""
    if answer.status == 0:
        return "RECEIVED by the server" in answer.out and "NOT SENT" not in answer.out
    return answer.status == 73 and words in answer.out and "NOT saved" in answer.err


def active_on(server):
    return check_server(server.database).rows("alerts", ended_at=None)


def server_trial(context, case, exchange):
    """The server's disk is full: it keeps what it accepts, and with room again it accepts the rest."""
    with exchange.place() as place:
        folder = os.path.join(place.folder, "disk")
        with Disk(folder) as disk:
            where, place.server.database = place.server.database, os.path.join(folder, "server.sqlite")
            try:
                for suffix in ("", "-wal", "-lock"):
                    if os.path.exists(where + suffix):
                        subprocess.run(["cp", where + suffix, place.server.database + suffix], check=True)
                place.server.start()
                disk.fill(int(case.rpartition(" ")[2]))
                context.count(faults=1)
                answer = place.device.run("sync")
                require(answer.status in (0, 75), f"`sync` with a server whose disk is full: {answer}")
                place.server.kill()
                if answer.status == 0:
                    exchange.check_received(place)
                disk.empty()
                place.server.start()
                place.device.done("sync")
                exchange.check_sent(place)
                place.server.kill()
            finally:
                place.server.database = where


def run(context):
    if os.geteuid() != 0 or shutil.which("mount") is None:
        raise NotRun("a disk of its own can only be mounted by root")
    with Disk(os.path.join(context.folder, "trial")):
        pass
    exchange = Exchange(context)
    # Signed in, with something to send, and the server down.
    prepared = exchange.device.copy(os.path.join(context.scratch("prepared"), "home"))
    prepared.done("alert", "deactivate", "--yes", "--no-sync")
    step = 1 if context.is_long else 2
    # Without room for a store there may be room for a spool file, and none for a second one.
    cases = [f"new: free pages {pages}" for pages in sorted({*range(4), *range(0, 70, step)})]
    cases += [f"used: free pages {pages}" for pages in range(0, 40, step)]
    cases += [f"new: files {files}" for files in range(2, 16)] + [f"used: files {files}" for files in range(2, 16)]
    for kind in ("online", "online, ended elsewhere"):
        cases += [f"{kind}: free pages {pages}" for pages in range(0, 60, 1 if context.is_long else 6)]
    cases += [f"server: free pages {pages}" for pages in range(0, 60, 2 * step)]

    figures = {"saved": 0, "refused": 0}

    def perform(case):
        if case.startswith("server"):
            server_trial(context, case, exchange)
        elif case.startswith("online"):
            online_trial(context, case, exchange)
        else:
            device_trial(context, case, prepared, figures)

    context.each(cases, perform)
    require(context.only or all(figures.values()), f"it was never tried both with and without room: {figures}")
    return figures
