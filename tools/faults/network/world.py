"""A real server with any number of accounts, and a device of each: copies of one that really signed in."""

import asyncio
import base64
import hashlib
import os
import re
import signal
import sqlite3
import time

from ..context import Violation, require
from . import messages
from .device import Device
from .receiver import Receiver

TEMPLATE_PHONE = "+12025550123"
TEMPLATE_MARK = "account-00000000"


class Account:
    """A number, and its values in place of the template's."""

    def __init__(self, number, account_id):
        self.number = number
        self.name = f"{number:08d}"
        self.id = account_id[:-8] + f"{number:08x}"
        self.phone = f"+1201{2_000_000 + number}"
        self.session = self.id[:-12] + "5e55" + self.id[-8:]

    def secret(self, kind):
        return hashlib.blake2b(f"{kind} {self.number}".encode(), digest_size=32).digest()

    def token(self, kind):
        return kind + base64.urlsafe_b64encode(self.secret(kind)).decode().rstrip("=")


KEYS = {"lsa_": "access token", "lsr_": "refresh token", "lsk_": "alert key"}
STATE = {"lsa_": "access_token", "lsr_": "refresh_token", "lsk_": "alert_key"}


class World:
    """The server, the responders and the accounts of one process of the check."""

    def __init__(self, lifesignal, server, folder):
        self.lifesignal, self.binary, self.folder = lifesignal, server, folder
        self.database = os.path.join(folder, "server.sqlite")
        self.environment = {"PATH": os.environ.get("PATH", ""), "TZ": "UTC", "LIFESIGNAL_BACKGROUND": "off",
                            "LIFESIGNAL_POWER_SUPPLY": "/none"}
        self.images = {}
        self.server = None

    async def make(self, numbers):
        """Starts everything. The accounts are those of `numbers`."""
        os.makedirs(os.path.join(self.folder, "homes"), mode=0o700)
        self.receiver = await Receiver().start()
        await self.start_server()
        await self.make_images()
        await self.end_server()
        self.insert([Account(number, self.values["account_id"]) for number in numbers])
        await self.start_server()
        return self

    async def start_server(self):
        self.log = os.path.join(self.folder, "server.log")
        with open(self.log, "ab") as log:
            self.server = await asyncio.create_subprocess_exec(
                self.binary, "--listen", "127.0.0.1:0", "--database", self.database, "--sms", "console",
                "--allow-private-channels", "--alert-burst", "1000000", stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment)
        self.log_start = getattr(self, "log_end", 0)
        self.port = int(await self.logged(r"listening on http://127\.0\.0\.1:(\d+)"))

    async def logged(self, pattern, seconds=20):
        """The group of the newest line of this server's log that matches."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                file.seek(self.log_start)
                if found := re.findall(pattern, file.read()):
                    return found[-1]
            await asyncio.sleep(0.01)
        raise Violation(f"the server did not say “{pattern}”")

    async def end_server(self):
        """Ends it by its id; it has to be alive until then, and to end well."""
        require(self.server.returncode is None, f"the server ended by itself: {self.server.returncode}")
        self.server.send_signal(signal.SIGTERM)
        status = await asyncio.wait_for(self.server.wait(), 20)
        self.log_end = os.path.getsize(self.log)
        require(status == 0, f"the server ended with {status}")

    async def kill(self):
        """Where it was not ended."""
        if self.server and self.server.returncode is None:
            self.server.kill()
            await self.server.wait()

    async def code(self, phone):
        return await self.logged(rf"code for {re.escape(phone)}: (\d{{6}})")

    # What the devices are made of

    async def make_images(self):
        """A device signs in, raises an alert with two responders, and is kept at each step."""
        template = Device(self, Account(0, "0" * 36), {}, self.port)
        await template.run("sign-in", TEMPLATE_PHONE)
        await template.done("sign-in", TEMPLATE_PHONE, "--code", await self.code(TEMPLATE_PHONE))
        self.values = dict(template.rows("SELECT key, value FROM sync_state"))
        self.images["idle"] = image(template)
        responder = f"127.0.0.1:{self.receiver.port}/{TEMPLATE_MARK}"
        await template.done(
            "contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", f"http://{responder}",
            "--channel", f"ntfy+http://{responder}")
        await template.done("alert", "activate", "--yes", "--no-sync", "--message", "Fell on the north ridge")
        self.images["raised"] = image(template)
        self.change(template, "UPDATE sync_state SET value = ? WHERE key = ?", "1600000000000", "access_expires_at")
        self.images["expired"] = image(template)
        template.remove()
        stranger = Device(self, Account(0, "0" * 36), {}, self.port)
        await stranger.done("alert", "activate", "--yes", "--no-sync", "--message", "Fell on the north ridge")
        self.images["stranger"] = image(stranger)
        stranger.remove()

    @staticmethod
    def change(device, statement, *values):
        with sqlite3.connect(os.path.join(device.home, "store.sqlite")) as connection:
            connection.execute(statement, values)
        connection.close()

    def device(self, number, name, port):
        """A copy of the image in which everything of the template's account belongs to this one."""
        account = Account(number, self.values["account_id"])
        data = self.images[name]
        pairs = [
            (self.values["account_id"], account.id), (self.values["phone"], account.phone),
            (TEMPLATE_MARK, "account-" + account.name)]
        pairs += [(self.values[STATE[kind]], account.token(kind)) for kind in KEYS]
        for old, new in pairs:
            data = data.replace(old.encode(), new.encode())
        return Device(self, account, {"store.sqlite": data}, port)

    # What the server is to know of them

    def connect(self):
        connection = sqlite3.connect(self.database, timeout=20)
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        return connection

    def insert(self, accounts):
        """Writes the accounts into the server's store, as a sign-in would. No process may be using it."""
        connection = self.connect()
        secret = connection.execute("SELECT value FROM server_state WHERE key = 'secret'").fetchone()[0]
        keys = {kind: keyed(f"authentication: {use}".encode(), secret) for kind, use in KEYS.items()}
        # The hash is as the server makes it: the template's own token shows it.
        shown = base64.urlsafe_b64decode(self.values["access_token"][4:] + "=")
        row = connection.execute("SELECT * FROM tokens WHERE access_hash = ?", [keyed(shown, keys["lsa_"])]).fetchone()
        require(row, "the server makes its hashes in another way than this check knows")
        # Thousands sign in from one address here, and the limit on that is not under test.
        for event in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TRIGGER uncounted_{event} AFTER {event} ON rate_counts BEGIN DELETE FROM rate_counts; END")
        now = int(time.time() * 1000)
        for account in accounts:
            hashes = {kind: keyed(account.secret(kind), keys[kind]) for kind in KEYS}
            connection.execute("INSERT INTO accounts (id, phone, epoch, created_at) VALUES (?, ?, ?, ?)", (account.id, account.phone, account.name, now))
            connection.execute(
                "INSERT INTO sessions (id, account_id, device_name, alert_key_hash, created_at) VALUES (?, ?, 'copy', ?, ?)",
                (account.session, account.id, hashes["lsk_"], now))
            connection.execute(
                "INSERT INTO tokens (session_id, generation, access_hash, refresh_hash, salt, access_expires_at,"
                " refresh_expires_at) VALUES (?, 1, ?, ?, ?, ?, ?)",
                (account.session, hashes["lsa_"], hashes["lsr_"], bytes(32), now + 3_600_000, now + 86_400_000))
        connection.commit()
        connection.close()

    def expire(self, number):
        """Invalidates the account's access token."""
        account = Account(number, self.values["account_id"])
        self.write("UPDATE tokens SET access_expires_at = 1600000000000 WHERE session_id = ?", account.session)

    def write(self, statement, *values):
        connection = self.connect()
        with connection:
            connection.execute(statement, values)
        connection.close()


def keyed(message, key):
    return hashlib.blake2b(message, key=bytes(key), digest_size=32).digest()


def image(device):
    """The store's file including its log."""
    path = os.path.join(device.home, "store.sqlite")
    connection = sqlite3.connect(path)
    require(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, "the template's store is in use")
    connection.close()
    with open(path, "rb") as file:
        return file.read()


async def call(port, method, path, token=None, body=b""):
    """One call as a program would make it; gives the answer's `Message`, None where there was none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"{method} {path} HTTP/1.1", "Host: server", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        return await messages.read(reader)
    finally:
        writer.close()
