"""What the parts share: commands, a server, a responder's receiver, and reading stores."""

import http.server
import json
import os
import queue
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time

from .context import Violation, require
from .processes import children_of

# No command takes longer, whatever is wrong: the longest wait of one is ten seconds, for a lock.
TIMEOUT_SECONDS = 40
PHONE = "+12025550123"


class Answer:
    """How a command ended. `status` is negative if a signal ended it."""

    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    @property
    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return f"exit status {self.status} after {self.seconds:.2f} s\nstandard output: {self.out}standard error: {self.err}"


# What the figures of a long run depend on; other changes do not make them old.
SOURCES = ("Sources", "Schema", "Package.swift")


def commit_of(root):
    """The checked out commit, with `-dirty` if sources differ from it; None outside of a repository."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True).stdout.strip()

    commit = git("rev-parse", "HEAD")
    return f"{commit}-dirty" if commit and git("status", "--porcelain", "--", *SOURCES) else commit or None


def run(command, timeout=TIMEOUT_SECONDS, **options):
    """Runs a command to its end. Raises `subprocess.TimeoutExpired` after killing the command."""
    started = time.monotonic()
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, **options)
    return Answer(done.returncode, done.stdout, done.stderr, time.monotonic() - started)


class Device:
    """The home of one device, and its command line."""

    def __init__(self, context, home):
        self.context, self.home = context, home

    @property
    def store(self):
        return os.path.join(self.home, "store.sqlite")

    def command(self, *arguments):
        return [self.context.lifesignal, "--home", self.home, *arguments]

    def run(self, *arguments, before=(), **options):
        """Runs a command. `before` is the program that runs it, such as strace."""
        return run([*before, *self.command(*arguments)], **options)

    def done(self, *arguments, **options):
        """The same for a command that must succeed."""
        answer = self.run(*arguments, **options)
        require(answer.status == 0, f"lifesignal {' '.join(arguments)}: {answer}")
        return answer

    def status(self):
        return self.done("--json", "alert", "status").json

    def accepted(self, limit=1000, is_active=False):
        """Of the newest alerts, or of those that are active, the time of the server's acceptance by id; those that were not accepted are
        left out."""
        lines = self.done("--json", "alert", "history", "--limit", str(limit)).out.splitlines()
        alerts = [json.loads(line) for line in lines]
        return {alert["id"]: alert["accepted_at"] for alert in alerts if alert["accepted_at"] and not (is_active and alert["ended_at"])}

    def copy(self, home):
        """A copy of the device in another folder; no process may be using the original."""
        shutil.copytree(self.home, home)
        return Device(self.context, home)


class Server:
    """A lifesignal-server on its own port, which it keeps over restarts. Ended by its process id."""

    def __init__(self, context, folder, *options):
        self.context, self.options = context, options
        self.database = os.path.join(folder, "server.sqlite")
        self.process, self.port = None, 0

    @property
    def url(self):
        return f"{'https' if '--tls-certificate' in self.options else 'http'}://127.0.0.1:{self.port}"

    @property
    def command(self):
        return [
            self.context.server, "--listen", f"127.0.0.1:{self.port}", "--database", self.database, "--sms", "console",
            "--allow-private-channels", "--alert-burst", "1000000", *self.options,
        ]

    def start(self, before=(), timeout=TIMEOUT_SECONDS):
        """Returns once it listens. Raises `Violation` after killing the process if it does not."""
        self.launch([*before, *self.command])
        try:
            self.port = int(self.wait_for(r"listening on https?://127\.0\.0\.1:(\d+)", timeout))
        except Violation:
            self.kill()
            raise
        return self

    def launch(self, command):
        """Runs `command` as the server's process; `wait_for` reads its output."""
        self.lines = queue.Queue()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def wait_for(self, pattern, timeout=TIMEOUT_SECONDS):
        """The group of the first new line that matches."""
        said = ""
        deadline = time.monotonic() + timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise Violation(f"the server did not say “{pattern}” but: {said}") from None
            if line is None:
                self.lines.put(None)
                raise Violation(f"the server ended with {self.process.wait()}: {said}")
            if match := re.search(pattern, line):
                return match.group(1)
            said += line

    @property
    def said(self):
        """The last lines that it wrote and that nobody waited for."""
        return "".join(line for line in list(self.lines.queue)[-12:] if line)

    @property
    def pid(self):
        """The server's own process id, if another program runs it."""
        below = children_of(self.process.pid)
        return below[0] if below else self.process.pid

    def end(self, number=signal.SIGTERM):
        """Ends it and returns its exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass
        try:
            return self.process.wait(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Violation(f"the server did not end on signal {number}") from None

    def kill(self):
        return self.end(signal.SIGKILL)

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, *_):
        self.kill()


def sign_in(server, device, phone=PHONE):
    """Signs the device in with the code that the server prints."""
    device.done("config", "set", "endpoint", server.url)
    child = subprocess.Popen(
        device.command("sign-in", phone), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        out, _ = child.communicate(server.wait_for(r"code for \S+: (\d{6})") + "\n", timeout=TIMEOUT_SECONDS)
    finally:
        if child.poll() is None:
            child.kill()
    require(child.returncode == 0, f"sign-in: exit status {child.returncode}: {out}")


class Message:
    """One arrival of a message at a responder: `at` in seconds since 1970, `id` of the message, and what it says."""

    def __init__(self, body, at):
        data = body["data"]
        self.at, self.kind, self.id = at, body["type"], data["delivery_id"]
        self.alert, self.contact, self.name = data["alert"]["id"], data["contact"]["id"], data["contact"]["name"]
        self.page = data["page_url"]

    def __repr__(self):
        return f"{self.kind} {self.id} of alert {self.alert} to {self.name} at {self.at:.3f}"


class Receiver:
    """A responder's webhook: puts every `Message` that arrives into a queue, and answers after `wait()` seconds."""

    def __init__(self, address="127.0.0.1", messages=None, wait=None):
        messages = self.messages = messages or queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                messages.put(Message(json.loads(body), time.time()))
                if wait:
                    time.sleep(wait())
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.listener = http.server.ThreadingHTTPServer((address, 0), Handler)
        # A server that ends resets its connections.
        self.listener.handle_error = lambda *_: None
        self.url = f"http://{address}:{self.listener.server_port}/hook"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown()
        self.listener.server_close()


class Tables:
    """The contents of a store's file and log, read from a copy: opening the original would change it."""

    def __init__(self, path):
        with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.dirname(path))) as folder:
            copy = os.path.join(folder, "copy.sqlite")
            for suffix in ("", "-wal"):
                if os.path.exists(path + suffix):
                    shutil.copyfile(path + suffix, copy + suffix)
            connection = sqlite3.connect(copy)
            # The damage may be in a comment of the schema.
            connection.text_factory = lambda text: text.decode(errors="replace")
            try:
                self.faults = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
                self.version = connection.execute("PRAGMA user_version").fetchone()[0]
                schema = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
                self.schema = sorted(schema, key=repr)  # one bit makes bytes of a text
                names = [name for kind, name, _ in self.schema if kind == "table"]
                # SQLite ignores the case of names, and one bit of it may be damaged.
                self._rows = {name.lower(): self._read(connection, name) for name in names}
            finally:
                connection.close()

    @staticmethod
    def _read(connection, name):
        cursor = connection.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row)) for row in cursor]

    def rows(self, table, **values):
        """The rows with these values; none if there is no such table."""
        return [row for row in self._rows.get(table, []) if all(row[key] == value for key, value in values.items())]


def raising_allowed(alert):
    """How many queued mutations may raise this alert: exactly one until the server has it, and none after its answer.

    If the server has listed the alert, one may still wait for its own answer: on a device that was killed before the answer
    arrived, or whose other process requested the list at that moment. It is sent again and answered as a duplicate.
    """
    if alert["accepted_at"] is None and alert["discarded_at"] is None:
        return (1,)
    return (0,) if alert["server_epoch"] is None else (0, 1)


def check_sound(path):
    """Checks the file's integrity; returns the `Tables`."""
    tables = Tables(path)
    require(not tables.faults, f"integrity_check: {tables.faults}")
    return tables


def check_device(path):
    """Checks I2 and the file's integrity; returns the `Tables`. `raising_allowed` judges the queue; whether it becomes empty is
    for the caller to check."""
    tables = check_sound(path)
    for alert in tables.rows("alerts"):
        queued = len(tables.rows("pending_mutations", entity_id=alert["id"], kind="alert.activate"))
        allowed = raising_allowed(alert)
        require(queued in allowed, f"alert {alert['id']} has {queued} mutations that raise it, not one of {allowed}: {alert}")
        requests = len(tables.rows("pending_notifications", alert_id=alert["id"], kind="activated"))
        require(min(allowed) <= requests <= 1, f"alert {alert['id']} has {requests} requests to tell of it: {alert}")
    known = {alert["id"] for alert in tables.rows("alerts")}
    for mutation in tables.rows("pending_mutations", lane="emergency", parked_at=None):
        require(mutation["entity_id"] in known, f"a queued mutation is of no alert that there is: {mutation}")
    return tables


def check_server(path):
    """Checks the file's integrity and that each id has one row (I3); returns the `Tables`."""
    tables = check_sound(path)
    for table in ("alerts", "contacts", "deliveries"):
        ids = [row["id"] for row in tables.rows(table)]
        require(len(ids) == len(set(ids)), f"the server has an id twice in {table}: {ids}")
    places = [tuple(row[key] for key in ("alert_id", "contact_id", "channel_url", "notice")) for row in tables.rows("deliveries")]
    require(len(places) == len(set(places)), f"the server has one message twice: {places}")
    return tables
