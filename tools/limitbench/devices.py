"""Devices, their server, a responder's webhook, and processes that end with their block."""

import contextlib
import http.server
import os
import queue
import re
import subprocess
import threading
import time

WAIT_SECONDS = 60


class Device:
    """A home that has been used before, with a store."""

    def __init__(self, context, name):
        self.context, self.home = context, context.path(name)
        self.run("alert", "status")

    @property
    def store(self):
        return os.path.join(self.home, "store.sqlite")

    def command(self, *arguments):
        return [self.context.programs["lifesignal"], "--home", self.home, *arguments]

    def run(self, *arguments, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        return subprocess.run(self.command(*arguments), check=True, text=True, **options)

    def add_responder(self, channel=None, phone="+12025550143"):
        """Ana, told at `channel` or in her inbox alone."""
        self.run("contacts", "add", phone, "--name", "Ana", "--responder", *(["--channel", channel] if channel else []))

    @contextlib.contextmanager
    def worker(self):
        """The process that `sync --watch` is."""
        with process(self.command("sync", "--watch"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            yield child


class Server:
    """A `lifesignal-server` on a free port, with an SQLite file."""

    def __init__(self, child, database):
        self.child, self.database = child, database
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(child.stdout,), daemon=True).start()
        self.url = self.await_line(r"listening on (https?://\S+)")

    @property
    def port(self):
        return int(self.url.rsplit(":", 1)[1])

    def _read(self, stream):
        for line in stream:
            self.lines.put(line)

    def await_line(self, pattern):
        while True:
            found = re.search(pattern, self.lines.get(timeout=WAIT_SECONDS))
            if found:
                return found.group(1)

    def sign_in(self, device, phone, url=None):
        """`url` is another way to this server."""
        device.run("config", "set", "endpoint", url or self.url)
        quiet = subprocess.DEVNULL
        child = subprocess.Popen(device.command("sign-in", phone), stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, text=True)
        child.communicate(self.await_line(r"code for \S+: (\d{6})") + "\n", timeout=WAIT_SECONDS)
        if child.returncode != 0:
            raise RuntimeError("sign-in failed")


@contextlib.contextmanager
def server(context, *options, like=None):
    """A server; with `like` on the port and the database of one that has ended."""
    database, port = (like.database, like.port) if like else (context.path("server.sqlite"), 0)
    command = [
        context.programs["lifesignal-server"], "--listen", f"127.0.0.1:{port}", "--database", database, "--sms", "console",
        "--allow-private-channels", "--alert-burst", "1000000", *options
    ]
    with process(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        yield Server(child, database)


@contextlib.contextmanager
def process(command, **options):
    """Runs `command` for the length of the block; ended by its process id."""
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(timeout=WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextlib.contextmanager
def line_server(context, kind, rows=1):
    """The port of the limit program that stands in for a server."""
    command = [context.limits["line-server"], context.path("lines.sqlite"), kind, str(rows)]
    with process(command, stdout=subprocess.PIPE, text=True) as child:
        yield int(child.stdout.readline())


@contextlib.contextmanager
def receiver():
    """A responder's webhook; its URL, and a queue of arrivals: the time (seconds, monotonic), and the body."""
    arrivals = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            arrived = time.monotonic()
            arrivals.put((arrived, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.server_port}/hook", arrivals
    finally:
        listener.shutdown()
        listener.server_close()
