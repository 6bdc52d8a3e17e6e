"""The server under test, and the receiver of its messages to responders."""

import http.server
import json
import os
import queue
import re
import signal
import subprocess
import threading
import time

from .faults import TIMEOUT_SECONDS, fault


class Server:
    """A running lifesignal-server."""

    def __init__(self, binary, folder, *options):
        self.lines = queue.Queue()
        command = [binary, "--listen", "127.0.0.1:0", "--database", os.path.join(folder, "server.sqlite"), *options]
        self.log = open(os.path.join(folder, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        threading.Thread(target=self.read_lines, daemon=True).start()
        self.port = int(self.wait_for(r"listening on http://127\.0\.0\.1:(\d+)"))

    def read_lines(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def wait_for(self, pattern):
        """The group of the first line that matches."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while True:
            line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            if not line:
                raise SystemExit(f"check-openapi: the server ended: {self.words()}")
            if match := re.search(pattern, line):
                return match.group(1)

    def words(self):
        self.log.seek(0)
        return self.log.read().strip()

    def end(self):
        """Ends this process by its id, and returns how long that took."""
        started = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=TIMEOUT_SECONDS)
            if status != 0:
                fault(f"the server ended with {status}: {self.words()}")
        except subprocess.TimeoutExpired:
            self.process.kill()
            fault("the server did not end on SIGTERM")
        return time.monotonic() - started


class Receiver(http.server.BaseHTTPRequestHandler):
    """What a responder's webhook and ntfy topic receive."""

    seen = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        Receiver.seen.put((self.path, dict(self.headers), body))

    do_PUT = do_POST

    def log_message(self, *arguments):
        pass


class Gateway(http.server.BaseHTTPRequestHandler):
    """Takes text messages."""

    texts = queue.Queue()

    def do_POST(self):
        Gateway.texts.put(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass
