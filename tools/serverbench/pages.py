"""The pages of responders: how soon a press is known, and what an open page costs."""

import contextlib
import http.client
import http.server
import json
import resource
import socket
import threading
import time
import urllib.parse

from . import load
from .load import milliseconds
from .server import Account


RESPONDERS_PER_PERSON = 16
# So many pages of one responder may be open, and 128 of one person's responders.
PAGES_PER_RESPONDER = 8


def pages(server):
    """A responder presses on their page, beside 1,000 open pages: until the person's device knows, and what a page costs."""
    with messages() as receiver:
        streams, memory = open_pages(server, receiver, 1000)
        person = Account(server)
        path = raise_alert(person, receiver, 1)[0]
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
        ("pages: memory of an open page", f"{memory:.1f} KiB"),
    ]


def many_pages(server, count=10_000, presses=100):
    """A responder presses beside 10,000 open pages, and 127 about the same alert: until these know, and what a page costs."""
    allow_descriptors(count + 500)
    with messages() as receiver:
        streams, memory = open_pages(server, receiver, count)
        person = Account(server)
        paths = raise_alert(person, receiver, RESPONDERS_PER_PERSON)
        device = open_stream(server, "/v1/events", person.token)
        page = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        settle(person)
        others = [open_stream(server, path + "/events") for path in paths for _ in range(PAGES_PER_RESPONDER)][1:]
        told = [press(page, paths[0], f"{number}", [device, *others]) for number in range(presses)]
        check_open(streams)
        for stream in [*streams, *others, device]:
            stream.close()
    return [
        ("many-pages: open pages", f"{len(streams) + len(others):,}"),
        ("many-pages: a press is told to all pages after, p50", milliseconds(load.percentile(told, 0.5))),
        ("many-pages: a press is told to all pages after, p99", milliseconds(load.percentile(told, 0.99))),
        ("many-pages: memory of an open page", f"{memory:.1f} KiB"),
    ]


many_pages.options = ("--max-connections", "16000", "--max-pages", "11000")


def raise_alert(person, receiver, responders):
    """The paths of the pages of so many responders."""
    person.add_responder(f"{receiver.url}/{person.device}", responders)
    person.raise_alert()
    return receiver.pages(person.device, responders)


def open_pages(server, receiver, count):
    """The streams of so many open pages, and the server's memory for each of them in KiB.

    Somebody comes to each alert, so that nobody is asked again meanwhile.
    """
    paths = []
    page = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    while len(paths) * PAGES_PER_RESPONDER < count:
        pages_of_one = raise_alert(Account(server), receiver, RESPONDERS_PER_PERSON)
        press(page, pages_of_one[0], "", [])
        paths += pages_of_one
    before = server.memory_kibibytes()
    streams = [open_stream(server, path + "/events") for path in paths for _ in range(PAGES_PER_RESPONDER)][:count]
    return streams, (server.memory_kibibytes() - before) / count


def allow_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise SystemExit(f"bench-server: {count:,} open files are needed, and the limit is {hard:,} (ulimit -n)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def press(page, path, text, listeners):
    """Milliseconds from a press until each of the listeners has its event."""
    body = urllib.parse.urlencode({"answer": "on_my_way", "text": text, "script": "1"})
    begun = time.perf_counter()
    page.request("POST", path + "/acknowledgements", body, {"Content-Type": "application/x-www-form-urlencoded"})
    for stream in listeners:
        read_until(stream, b"event: change")
    taken = (time.perf_counter() - begun) * 1000
    if page.getresponse().read():
        return taken
    raise SystemExit("bench-server: the press was not taken")


def check_open(streams):
    """Fails where the server has closed one of them."""
    for stream in streams:
        stream.setblocking(False)
        try:
            while part := stream.recv(1 << 16):
                pass
        except BlockingIOError:
            continue
        raise SystemExit(f"bench-server: an open page was closed: {part!r}")


class Pages:
    """A receiver of messages, which remembers the pages in them by the first part of the path that they came to."""

    def __init__(self):
        self.url = ""
        self.paths, self.changed = {}, threading.Condition()

    def note(self, path, page_url):
        with self.changed:
            # Whoever is asked again gets the same link.
            self.paths.setdefault(path.split("/")[1], {})[urllib.parse.urlsplit(page_url).path] = True
            self.changed.notify_all()

    def pages(self, name, count):
        """The paths of so many pages."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.paths.get(name, ())) >= count, timeout=60):
                raise SystemExit("bench-server: a message to a responder is missing")
            return list(self.paths[name])


@contextlib.contextmanager
def messages():
    """A receiver of messages to responders."""
    pages_told = Pages()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            url = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["data"]["page_url"]
            if url:
                pages_told.note(self.path, url)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pages_told.url = f"http://127.0.0.1:{receiver.server_port}"
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    try:
        yield pages_told
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
