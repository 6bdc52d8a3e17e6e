"""What the measurements need: a server, signed-in devices, a receiver, and processes that end with their block."""

import contextlib
import http.server
import os
import queue
import re
import subprocess
import threading
import time


class Bench:
    """The folders and programs of one run."""

    def __init__(self, folder, binaries, timings, limits):
        self.folder = folder
        self.lifesignal = os.path.join(binaries, "lifesignal")
        self.server_program = os.path.join(binaries, "lifesignal-server")
        self.timings = timings
        self.limits = limits

    def path(self, name):
        return os.path.join(self.folder, name)

    def home(self, name):
        """The home of a device that has been used before, with a store."""
        home = self.path(name)
        self.run(home, "alert", "status")
        return home

    def run(self, home, *arguments, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        return subprocess.run([self.lifesignal, "--home", home, *arguments], check=True, text=True, **options)

    @contextlib.contextmanager
    def server(self):
        """A server on a free port; returns a `Server`."""
        command = [
            self.server_program, "--listen", "127.0.0.1:0", "--database", self.path("server.sqlite"), "--sms", "console",
            "--allow-private-channels", "--alert-burst", "1000000",
        ]
        with process(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
            yield Server(self, child)


class Server:
    def __init__(self, bench, child):
        self.bench = bench
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(child.stdout,), daemon=True).start()
        self.url = self.await_line(r"listening on (http://\S+)")

    def _read(self, stream):
        for line in stream:
            self.lines.put(line)

    def await_line(self, pattern):
        while True:
            found = re.search(pattern, self.lines.get(timeout=30))
            if found:
                return found.group(1)

    def sign_in(self, home, phone):
        self.bench.run(home, "config", "set", "endpoint", self.url)
        command = [self.bench.lifesignal, "--home", home, "sign-in", phone]
        quiet = subprocess.DEVNULL
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, text=True)
        child.communicate(self.await_line(r"code for \S+: (\d{6})") + "\n", timeout=30)
        if child.returncode != 0:
            raise RuntimeError("sign-in failed")


@contextlib.contextmanager
def process(command, **options):
    """Runs `command` for the length of the block; ended by its process id."""
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        child.terminate()
        child.wait(timeout=10)


@contextlib.contextmanager
def receiver():
    """A responder's webhook; returns its URL and a queue of arrivals: the time (seconds, monotonic), and the body."""
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

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", arrivals
    finally:
        server.shutdown()
