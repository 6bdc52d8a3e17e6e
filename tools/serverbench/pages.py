"""The pages of responders: how soon a press is known, and what an open page costs."""

import contextlib
import http.client
import http.server
import json
import queue
import socket
import threading
import time
import urllib.parse

from . import load
from .load import milliseconds
from .server import Account


def pages(server):
    """A responder presses on their page, beside 1,000 open pages: until the person's device knows, and what a page costs."""
    with messages() as (url, links):
        people = [Account(server) for _ in range(8)]
        for person in people:
            person.add_responder(url, 16)
            person.raise_alert()
        paths = [links.get(timeout=60) for _ in range(len(people) * 16)]
        before = server.memory_kibibytes()
        streams = [open_stream(server, path + "/events") for path in paths for _ in range(8)][:1000]
        taken = server.memory_kibibytes() - before
        person = Account(server)
        person.add_responder(url)
        person.raise_alert()
        path = links.get(timeout=60)
        taps, loads = [], []
        device = open_stream(server, "/v1/events", person.token)
        page = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        settle(person)
        for number in range(300):
            taps.append(tap(person, device, page, path, f"{number}"))
            begun = time.perf_counter()
            page.request("GET", path)
            page.getresponse().read()
            loads.append((time.perf_counter() - begun) * 1000)
        for stream in streams + [device]:
            stream.close()
    return [
        ("pages: a press is known to the device after, p50", milliseconds(load.percentile(taps, 0.5))),
        ("pages: a press is known to the device after, p99", milliseconds(load.percentile(taps, 0.99))),
        ("pages: a page is loaded in, p50", milliseconds(load.percentile(loads, 0.5))),
        ("pages: memory of an open page", f"{taken / len(streams):.1f} KiB"),
    ]


@contextlib.contextmanager
def messages():
    """A receiver's URL, and a queue of the paths of the pages in its messages."""
    links = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            url = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["data"]["page_url"]
            if url:
                links.put(urllib.parse.urlsplit(url).path)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{receiver.server_port}", links
    finally:
        receiver.shutdown()


def open_stream(server, path, token=None):
    """A socket on which an event stream has begun."""
    stream = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    credential = f"Authorization: Bearer {token}\r\n" if token else ""
    stream.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{credential}\r\n".encode())
    read_until(stream, b": heartbeat")
    return stream


def read_until(stream, mark):
    read = b""
    while mark not in read:
        part = stream.recv(4096)
        if not part:
            raise SystemExit(f"bench-server: a stream ended: {read[-200:]!r}")
        read += part


def settle(account):
    """Waits until the first message is recorded as sent."""
    sent = False
    while not sent:
        changes = account.sync()["changes"]
        sent = any(change["entity"] == "receipt" and change["receipt"]["state"] == "sent" for change in changes)


def tap(person, device, page, path, text):
    """Milliseconds from a press until a sync after the event has its receipt, or an answer that changes no receipt its event."""
    body = urllib.parse.urlencode({"answer": "on_my_way", "text": text, "script": "1"})
    begun = time.perf_counter()
    page.request("POST", path + "/acknowledgements", body, {"Content-Type": "application/x-www-form-urlencoded"})
    read_until(device, b"event: change")
    person.sync()
    taken = (time.perf_counter() - begun) * 1000
    if page.getresponse().read() and person.status == 200:
        return taken
    raise SystemExit("bench-server: the press was not taken")
