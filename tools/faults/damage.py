"""Damaged files of the device and the server: bytes flipped, cut, overwritten, removed."""

import glob
import os
import sqlite3

from .common import check_device, check_server, check_sound, sign_in
from .context import Violation, require
from .exchange import Exchange

NAMES = ("damage",)
PAGE = 4096
ACTIVATE = ("--json", "alert", "activate", "--yes", "--no-sync")
READERS = (("alert", "status"), ("alert", "history"), ("contacts", "list"), ("queue", "list"), ("status",), ("doctor",))


class Damage:
    """A damage to a file. `layout` says where the rows are: in the `log`, as after some commands, or in the `file`."""

    def __init__(self, layout, name, kind, amount):
        self.layout, self.name, self.kind, self.amount = layout, name, kind, amount
        # Each table and index once, whatever the size: only writes may need an index.
        self.is_first = "root" in str(amount)

    def __str__(self):
        return f"{self.layout} {self.name}: {self.kind} {self.amount}"

    def do(self, path, random):
        if self.kind == "remove":
            os.unlink(path)
            return
        with open(path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            if self.kind == "cut":
                file.truncate(min(size, self.amount))
            elif self.kind == "flip":
                for _ in range(int(str(self.amount).split("/")[0])):
                    self.change(file, random.randrange(size), 1, lambda byte: bytes([byte[0] ^ (1 << random.randrange(8))]))
            else:
                page = self.amount if isinstance(self.amount, int) else roots(path)[self.amount.removeprefix("root ")]
                filling = bytes(PAGE) if self.kind == "zero" else random.randbytes(PAGE)
                self.change(file, page * PAGE, PAGE, lambda _: filling)

    @staticmethod
    def change(file, offset, count, change):
        file.seek(offset)
        old = file.read(count)
        file.seek(offset)
        file.write(change(old))


def roots(path):
    """The first page, counted from 0, of each table and index of a store without a log. Triggers have none."""
    connection = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    try:
        return {name: page - 1 for name, page in connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")}
    finally:
        connection.close()


def damages(layout, path, is_long):
    """Every damage to the files of the store at `path`, whose rows are in its file or its log."""
    found = []
    if layout.endswith("file"):
        found += [Damage(layout, "store", "garbage", f"root {name}") for name in roots(path)]
    for suffix in ("", "-wal", "-shm"):
        if not os.path.exists(path + suffix):
            continue
        name, size = "store" + suffix, os.path.getsize(path + suffix)
        lengths = {0, 1, 31, 32, 99, 100, 512, PAGE - 1, PAGE, PAGE + 1, size - 1, size - PAGE}
        lengths |= set(range(0, size, 2063 if is_long else 9001))
        found += [Damage(layout, name, "cut", length) for length in sorted(lengths) if 0 <= length < size]
        found.append(Damage(layout, name, "remove", ""))
        for page in range(0, (size + PAGE - 1) // PAGE):
            found += [Damage(layout, name, kind, page) for kind in ("zero", "garbage")]
        for number in range(150 if is_long else 20):
            found += [Damage(layout, name, "flip", f"{bytes_}/{number}") for bytes_ in (1, 8, 64)]
    return found


def with_rows_in_file(path):
    """Checkpoints the log into the file and removes it."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def prepare(exchange, place, damage):
    store = place.device.store
    if damage.layout == "file":
        with_rows_in_file(store)
    path = store + damage.name.removeprefix("store")
    if not os.path.exists(path):
        return False
    damage.do(path, exchange.context.random_of(damage))
    exchange.context.count(faults=1)
    return True


def survive(exchange, place, figures):
    """No crash, damage is reported where it is known, and an alert can be raised at once. Returns the alert's id."""
    device = place.device
    first = device.run("alert", "history")
    require(first.status == 0, f"a damaged store cannot be used: {first}")
    words = first.err
    for command in READERS:
        answer = device.run(*command)
        require(answer.status in (0, 69), f"lifesignal {' '.join(command)}: {answer}")
        words += answer.err + answer.out * (command == ("doctor",))
    # Ends what was active, so that the next alert is written.
    for command in (("alert", "deactivate", "--yes", "--no-sync"), ACTIVATE):
        answer = device.done(*command)
        words += answer.err
    status = device.status()
    require(status["active"], f"an alert was raised and none is active: {answer}")
    require(status["alert"]["id"] == answer.json["alert"]["id"], f"another alert is active: {answer}\n{status}")
    aside = glob.glob(os.path.join(device.home, "damaged-*"))
    require(len(aside) <= 1, f"it was set aside more than once: {aside}")
    require(all(folder in words for folder in aside), f"it was set aside without a message: {aside}")
    figures["set_aside"] += bool(aside)
    # An unreadable row is repaired, and its alert offered again, when it is to be sent.
    check_sound(device.store)
    return status["alert"]["id"]


def is_of_nobody(device, place):
    """Whether queued items belong to an account that no longer exists. Nobody else may send them: signing in is refused, and the
    alert stays visible."""
    accounts = {row["id"] for row in check_server(place.server.database).rows("accounts")}
    queued = check_sound(device.store)
    rows = [row for table in ("alerts", "contacts", "pending_mutations", "pending_notifications") for row in queued.rows(table)]
    return any(row["account_id"] not in accounts | {None} for row in rows)


def resync(exchange, place, alerts):
    """The server has these alerts, and the device has what the server had."""
    device = place.device
    device.done("config", "set", "endpoint", place.server.url)
    place.server.start()
    answer = device.run("sync")
    if answer.status in (77, 69):
        # The session was lost, or queued items have changed: the message says what to do.
        words = answer.err
        require("sign-in" in words or "queue list" in words, f"it does not say how to continue: {answer}")
        if answer.status == 77:
            if is_of_nobody(device, place):
                return
            sign_in(place.server, device)
            answer = device.run("sync")
    require(answer.status in (0, 69), f"after damage: {answer}")
    tables, server = check_device(device.store), check_server(place.server.database)
    have = {row["id"]: row for row in server.rows("alerts")}
    parked = [row["entity_id"] for row in tables.rows("pending_mutations") if row["parked_at"] is not None]
    lost = [alert for alert in alerts if alert not in have and alert not in parked]
    require(not lost, f"alerts are neither on the server nor visibly parked: {lost}: {answer}")
    here = {row["id"]: row for row in tables.rows("alerts")}
    for older in exchange.older:
        require(older in here, f"the device did not get an older alert back: {answer}")
        require(here[older]["ended_at"] and have[older]["ended_at"], "an alert that had ended is active again")


def device_trial(exchange, damage, figures):
    with exchange.place() as place:
        if prepare(exchange, place, damage):
            alert = survive(exchange, place, figures)
            # One page of one table or index: the older alert is found in the others.
            resync(exchange, place, [alert, exchange.alert] if damage.is_first else [alert])


def server_trial(exchange, damage):
    """A damaged server says why it does not run, or runs; no device sees anything as accepted that is not there."""
    with exchange.place() as place:
        if damage.layout == "server file":
            with_rows_in_file(place.server.database)
        path = place.server.database + damage.name.removeprefix("store")
        if not os.path.exists(path):
            return
        damage.do(path, exchange.context.random_of(damage))
        exchange.context.count(faults=1)
        try:
            place.server.start()
        except Violation as end:
            require("ended with 73" in str(end) and "lifesignal-server:" in str(end), f"it does not say why it ends: {end}")
            return
        answer = place.device.run("sync")
        require(answer.status in (0, 69, 75, 77), f"`sync` with a damaged server: {answer}")
        status = place.server.process.poll()
        require(status is None, f"the damaged server ended with {status}")
        require(place.device.status()["active"], "the alert is not active any more")


def run(context):
    exchange = Exchange(context, older=2)
    figures = {"set_aside": 0}
    cases = []
    with exchange.place() as place:
        cases += damages("log", place.device.store, context.is_long)
        with_rows_in_file(place.device.store)
        cases += damages("file", place.device.store, context.is_long)
        cases += damages("server log", place.server.database, False)
        with_rows_in_file(place.server.database)
        cases += damages("server file", place.server.database, False)

    def perform(damage):
        if damage.layout.startswith("server"):
            server_trial(exchange, damage)
        else:
            device_trial(exchange, damage, figures)

    context.each(cases, perform)
    return figures
