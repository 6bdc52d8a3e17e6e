"""Migrations that are killed, or fail on the disk, at every step from every old schema; and newer schemas."""

import glob
import os
import sqlite3

from . import strace
from .common import Device, Server, Tables, check_device, check_server, sign_in
from .context import Violation, require

NAMES = ("migrations",)
CALLS = (
    "openat", "pwrite64", "fdatasync", "fsync", "ftruncate", "fallocate", "unlink", "rename", "mkdir", "flock", "fchmod", "fcntl",
    "pread64", "utimensat",
)
KINDS = {call: strace.KINDS[call] for call in CALLS}
# Byte for byte as `Migrator` writes it: a program that finds the schema damaged writes its own text.
OWN_TABLE = """CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY NOT NULL,
  name TEXT NOT NULL UNIQUE,
  checksum TEXT NOT NULL
) STRICT"""


def checksum(text):
    """The same as `Migration.checksum`: 64-bit FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    return f"{value:016x}"


def make_old_store(root, side, path, count):
    """A store as left by a program that knew the first `count` migrations."""
    if count == 0:
        return
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(OWN_TABLE)
    for version, name in enumerate(sorted(glob.glob(os.path.join(root, "Schema", side, "*.sql")))[:count], 1):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        connection.executescript(text)
        row = (version, os.path.basename(name).removesuffix(".sql"), checksum(text))
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?)", row)
    connection.execute(f"PRAGMA user_version = {count}")
    if side == "server":
        account = ("0193f6a0-0000-7000-8000-000000000001", "+12025550188", "epoch", 0)
        connection.execute("INSERT INTO accounts (id, phone, epoch, created_at) VALUES (?, ?, ?, ?)", account)
    connection.commit()
    connection.close()


class Old:
    """Opening a store with the first `count` migrations, and the expected result."""

    def __init__(self, context, count):
        self.context, self.count = context, count
        self.folder = context.scratch(f"{self.side} {count}")
        self.pattern = self.place("pattern")
        self.faults = strace.faults_in(
            lambda before: self.open(self.pattern, before), self.folder, (self.beginning,), KINDS)
        tables = Tables(self.path(self.pattern))
        self.schema, self.version = tables.schema, tables.version

    def cases(self):
        return [Case(self, fault) for fault in self.faults]

    def check(self, place):
        tables = self.check_tables(self.path(place))
        require(tables.version == self.version, f"the schema has the version {tables.version}, not {self.version}")
        require(tables.schema == self.schema, f"the schema differs: {set(tables.schema) ^ set(self.schema)}")
        require(len(tables.rows("schema_migrations")) == self.version, "the list of migrations differs")
        return tables


class OldDevice(Old):
    side, beginning = "client", "store.lock"
    check_tables = staticmethod(check_device)

    def place(self, name):
        device = Device(self.context, os.path.join(self.folder, name, "home"))
        if self.count:
            os.makedirs(device.home, mode=0o700)
            make_old_store(self.context.root, self.side, device.store, self.count)
        else:
            os.makedirs(os.path.dirname(device.home))
        return device

    @staticmethod
    def path(device):
        return device.store

    @staticmethod
    def open(device, before=()):
        answer = device.run("alert", "status", before=before)
        require(answer.status in (0, 73, -9), f"opening a store: {answer}")
        require(answer.status != 73 or answer.err.strip(), "it fails without a message")

    def use(self, device):
        device.done("alert", "status")
        require(not device.status()["active"], "an alert is active that nobody raised")
        tables = self.check(device)
        ids = [row["value"] for row in tables.rows("sync_state", key="device_id")]
        require(len(ids) == 1, f"the device's ids are {ids}")
        device.done("alert", "activate", "--yes", "--no-sync")

    @staticmethod
    def is_set_aside(device):
        return bool(glob.glob(os.path.join(device.home, "damaged-*")))


class OldServer(Old):
    side, beginning = "server", "server.sqlite"
    check_tables = staticmethod(check_server)

    def place(self, name):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        server = Server(self.context, folder)
        make_old_store(self.context.root, self.side, server.database, self.count)
        return server

    @staticmethod
    def path(server):
        return server.database

    @staticmethod
    def open(server, before=()):
        try:
            server.start(before)
        except Violation as end:
            require("ended with -9" in str(end) or "lifesignal-server:" in str(end), f"it does not say why it ends: {end}")
            require("did not say" not in str(end), f"it neither listens nor ends: {end}")
        server.end()

    def use(self, server):
        with server.start():
            sign_in(server, Device(self.context, os.path.join(os.path.dirname(server.database), "home")))
        tables = self.check(server)
        require(bool(tables.rows("accounts", phone="+12025550188")) == bool(self.count), "the account has disappeared")

    @staticmethod
    def is_set_aside(_):
        return False


class Case:
    def __init__(self, old, fault):
        self.old, self.fault = old, fault
        self.is_first = fault.kind == "KILL"

    def __str__(self):
        return f"{self.old.side} from {self.old.count}: {self.fault}"

    def perform(self):
        place = self.old.place(str(self.fault))
        trace = os.path.join(os.path.dirname(self.old.path(place)), "..", f"trace of {self.fault}")
        self.old.open(place, strace.before(os.path.abspath(trace), *self.fault.options))
        injected = strace.Trace(os.path.abspath(trace)).injected
        self.old.context.count(faults=injected, unreached=not injected)
        self.old.use(place)
        # An unreadable file cannot be told from a damaged one.
        is_readable = (self.fault.call, self.fault.kind) != ("pread64", "EIO+")
        require(not is_readable or not self.old.is_set_aside(place), "a store that was never whole was set aside as damaged")


def set_version(path, change):
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()


def schema_count(context, side):
    """The number of migrations in this program."""
    return len(glob.glob(os.path.join(context.root, "Schema", side, "*.sql")))


def newer_device(context):
    """A newer program's store is rejected with a message, and an alert goes to the spool all the same."""
    device = Device(context, os.path.join(context.scratch("newer device"), "home"))
    device.done("contacts", "add", "+12025550143", "--name", "Ana")
    set_version(device.store, "PRAGMA user_version = 99")
    answer = device.run("contacts", "list")
    require(answer.status == 73 and "newer" in answer.err, f"a store of a newer program: {answer}")
    raised = device.done("alert", "activate", "--yes", "--no-sync")
    require("NOT SENT" in raised.err and "newer" in raised.err, f"it does not say that the alert cannot be sent: {raised}")
    require(device.status()["active"], "the alert in the spool is not active")
    set_version(device.store, f"PRAGMA user_version = {schema_count(context, 'client')}")
    require(device.status()["active"], "the alert of the spool is not active in the store")
    require(not glob.glob(os.path.join(device.home, "spool", "*.json")), "the alert was not taken into the store")
    check_device(device.store)


def newer_server(context):
    server = Server(context, context.scratch("newer server"))
    server.start().end()
    for change in ("PRAGMA user_version = 99", "UPDATE schema_migrations SET checksum = '0' WHERE version = 1"):
        set_version(server.database, f"PRAGMA user_version = {schema_count(context, 'server')}")
        set_version(server.database, change)
        try:
            server.start().kill()
        except Violation as end:
            require("ended with 73" in str(end) and "this program knows" in str(end), f"a server's store of a newer program: {end}")
        else:
            raise Violation(f"the server opened a store that it does not know: {change}")


def run(context):
    strace.require_strace()
    newer = {"a newer device": newer_device, "a newer server": newer_server}
    context.each(newer, lambda case: newer[case](context))
    olds = [OldDevice(context, number) for number in range(schema_count(context, "client"))]
    olds += [OldServer(context, number) for number in range(schema_count(context, "server"))]
    context.each([case for old in olds for case in old.cases()], Case.perform)
    return {"old_schemas": len(olds)}
