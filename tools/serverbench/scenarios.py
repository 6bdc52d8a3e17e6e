"""The scenarios, each a function of a server that was just started. Each gives lines of (what, figure)."""

import sqlite3
import subprocess
import sys
import threading
import time

from . import load
from .load import milliseconds
from .pages import many_pages, pages
from .receiver import Receiver, receiver_process
from .server import Account, alert, contact, new_id, now


class Others:
    """Other people who raise alerts meanwhile, one after another on each of some connections."""

    def __init__(self, server, count=4, pause=0.0):
        self.accounts = [Account(server) for _ in range(count)]
        self.latencies, self.failures, self.is_over, self.pause = [], 0, False, pause
        self.threads = [threading.Thread(target=self._raise, args=(account,)) for account in self.accounts]

    def _raise(self, account):
        while not self.is_over:
            begun = time.perf_counter()
            account.sync([alert()], limit=1)
            self.latencies.append((time.perf_counter() - begun) * 1000)
            self.failures += account.status != 200
            time.sleep(self.pause)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    def figures(self, name):
        return [
            (f"{name}: others' p50", milliseconds(load.percentile(self.latencies, 0.5))),
            (f"{name}: others' p99", milliseconds(load.percentile(self.latencies, 0.99))),
            (f"{name}: others' slowest", milliseconds(max(self.latencies))),
        ] + ([(f"{name}: others' failures", str(self.failures))] if self.failures else [])


def edits(server):
    """500 edits of contacts of an account with 100 active alerts, beside others' alerts."""
    account = Account(server)
    people = [new_id() for _ in range(100)]
    with receiver_process() as url:
        account.sync([contact(f"R{index}", [f"{url}/{index}"], person) for index, person in enumerate(people)])
        for _ in range(100):
            account.raise_alert()
        mutations = [
            contact(f"E{index}", [f"{url}/{index % 100}/{index // 100}"], people[index % 100]) for index in range(500)
        ]
        with Others(server, pause=0.005) as others:
            time.sleep(0.5)
            quiet = others.figures("before the edits")
            others.latencies.clear()
            begun = time.perf_counter()
            account.sync(mutations)
            taken = time.perf_counter() - begun
    return [("edits: all", milliseconds(taken * 1000))] + others.figures("edits") + quiet[:2]


def edit_maker(account):
    person = new_id()
    count = iter(range(1 << 60))

    def make():
        body = {"device_id": account.device, "mutations": [contact(f"N{next(count)}", (), person, False)], "limit": 1}
        return load.raw_request(account, "/v1/sync", body)

    return make


def throughput(server):
    """One client, then 64, of as many accounts: each request is one that writes."""
    accounts = [Account(server) for _ in range(64)]
    single = [load.Client(server.port, edit_maker(accounts[0]))]
    one = load.run(single, 5)
    many = [load.Client(server.port, edit_maker(account)) for account in accounts]
    rate = load.run(many, 10)
    latencies = [latency for client in many for latency in client.latencies]
    return [
        ("throughput: one client", f"{one:,.0f} a second, p50 {milliseconds(load.percentile(single[0].latencies, 0.5))}"),
        ("throughput: 64 clients", f"{rate:,.0f} a second ({rate / one:.2f} x)"),
        ("throughput: 64 clients' p50", milliseconds(load.percentile(latencies, 0.5))),
        ("throughput: 64 clients' p99", milliseconds(load.percentile(latencies, 0.99))),
    ]


def crowd_of_one(server):
    """One account with 64 connections of 500 alerts an exchange, beside others' alerts."""
    greedy = Account(server)

    def make():
        return load.raw_request(
            greedy, "/v1/sync", {"device_id": greedy.device, "mutations": [alert() for _ in range(500)], "limit": 1})

    crowd = [load.Client(server.port, iter_cycle([make() for _ in range(4)])) for _ in range(64)]
    with Others(server, pause=0.02) as others:
        load.run(crowd, 8)
    return others.figures("crowd-of-one")


def iter_cycle(values):
    state = {"next": 0}

    def make():
        state["next"] += 1
        return values[state["next"] % len(values)]

    return make


def strangers(server, count, url, contacts=100, channels=10):
    """So many accounts with an alert to `contacts` x `channels` channels each."""
    for _ in range(count):
        stranger = Account(server)
        stranger.add_responder(url, contacts, channels)
        stranger.raise_alert()


def first_help(server, receiver, name, seconds):
    victim = Account(server)
    victim.sync([contact("Friend", [f"{receiver.url}/victim"])])
    time.sleep(1)
    begun = time.perf_counter()
    victim.raise_alert()
    taken = receiver.wait_for("/victim", begun, seconds)
    return [(f"{name}: another's help arrives after", milliseconds(taken and taken * 1000))]


def slow_host(server):
    """A stranger's alert with 1,000 channels on a host that takes 200 ms, and another's on the same host."""
    receiver = Receiver(0.2)
    strangers(server, 1, receiver.url)
    return first_help(server, receiver, "slow-host", 120)


def ten_strangers(server):
    """The same of ten strangers."""
    receiver = Receiver(0.2)
    strangers(server, 10, receiver.url)
    return first_help(server, receiver, "ten-strangers", 120)


def with_load(server, name, receiver, seconds=60):
    figures = first_help(server, receiver, name, seconds)
    before = server.cpu_seconds()
    time.sleep(10)
    return figures + [(f"{name}: processor", f"{(server.cpu_seconds() - before) * 10:.0f} %")]


def wait_until_tried(server, seconds):
    """Waits until each message was tried once. Gives the seconds it took; None where it took longer."""
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        database = sqlite3.connect(server.database, timeout=30)
        (untried,) = database.execute("SELECT count(*) FROM deliveries WHERE attempts = 0").fetchone()
        database.close()
        if not untried:
            return time.perf_counter() - begun
        time.sleep(1)
    return None


def tarpits(server):
    """8,000 messages of eight accounts to 64 hosts that take the request and never answer."""
    pit = Receiver(None)
    for number in range(8):
        stranger = Account(server)
        stranger.sync([
            contact(f"T{index}", [f"{pit.url_of((10 * index + channel) % 64)}/{number}/{index}" for channel in range(10)])
            for index in range(100)
        ])
        stranger.raise_alert()
    return with_load(server, "tarpits", Receiver())


def dead_hosts(server):
    """20,000 messages to as many hosts where nobody listens."""
    for number in range(20):
        stranger = Account(server)
        edits = [
            contact(f"D{index}", [f"http://127.{100 + number}.{index}.{channel}:9/" for channel in range(1, 11)])
            for index in range(100)
        ]
        stranger.sync(edits)
        stranger.raise_alert()
    figures = first_help(server, Receiver(), "dead-hosts", 60)
    taken = wait_until_tried(server, 60)
    figures.append(("dead-hosts: each was tried after", "never" if taken is None else f"{taken:.0f} s"))
    before = server.cpu_seconds()
    time.sleep(10)
    return figures + [("dead-hosts: processor, while all are tried again", f"{(server.cpu_seconds() - before) * 10:.0f} %")]


def keep_up(server):
    """Alerts of 32 accounts as fast as they are accepted, each told to one responder."""
    receiver = Receiver()
    accounts = [Account(server) for _ in range(32)]
    for index, account in enumerate(accounts):
        account.sync([contact("R", [f"{receiver.url}/{index}"])])

    def make(account):
        def request():
            mutation = alert()
            return load.raw_request(
                account, "/v1/sync", {"device_id": account.device, "mutations": [mutation],
                                      "notifications": [notification_of(mutation)], "limit": 1})
        return request

    rate = load.run([load.Client(server.port, make(account)) for account in accounts], 10)
    delivered, accepted = receiver.count, rate * 10
    return [
        ("keep-up: accepted", f"{rate:,.0f} a second"),
        ("keep-up: delivered meanwhile", f"{delivered / 10:,.0f} a second ({100 * delivered / accepted:.0f} %)"),
    ]


def notification_of(mutation):
    return {"id": new_id(), "alert_id": mutation["entity_id"], "kind": "activated"}


def add_history(server, account, count=200_000):
    """Ended alerts, put into the database behind the server's back."""
    database = sqlite3.connect(server.database, timeout=30)
    (account_id,) = database.execute("SELECT id FROM accounts WHERE phone = ?", (account.phone,)).fetchone()
    milliseconds_now = time.time_ns() // 1_000_000
    database.executemany(
        """INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, ended_at, drill, received_at, end_received_at)
        VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)""",
        ((account_id, new_id(), ordinal, account.device, *[milliseconds_now] * 4) for ordinal in range(1, count + 1)))
    database.execute(
        """INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal) VALUES (?, 0, ?)
        ON CONFLICT (account_id) DO UPDATE SET newest_ordinal = excluded.newest_ordinal""", (account_id, count))
    database.commit()
    database.close()


def long_history(server):
    """An exchange with nothing in it, of an account with 200,000 ended alerts and of one without any."""
    figures = []
    for name, count in (("200,000 ended alerts", 200_000), ("none", 0)):
        account = Account(server)
        if count:
            add_history(server, account, count)
        for _ in range(20):
            account.sync()
        latencies = []
        for _ in range(200):
            begun = time.perf_counter()
            account.sync()
            latencies.append((time.perf_counter() - begun) * 1000)
        figures.append((f"long-history: empty exchange, {name}", milliseconds(load.percentile(latencies, 0.5))))
    return figures


def lists_beside(server):
    """64 clients that ask for readiness and for lists of somebody's long history, beside others' alerts."""
    account = Account(server)
    add_history(server, account)
    paths = ["/ready", "/v1/alerts?responding=true&limit=100"]
    clients = [
        load.Client(server.port, lambda path=paths[index % 2]: load.raw_request(account, path)) for index in range(64)
    ]
    with Others(server, pause=0.02) as others:
        load.run(clients, 8)
    latencies = [latency for client in clients[1::2] for latency in client.latencies]
    return others.figures("lists-beside") + [("lists-beside: a list's p50", milliseconds(load.percentile(latencies, 0.5)))]


HOLDER = """
import fcntl, sys, time
file = open(sys.argv[1], "r+")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(120)
"""


def answer_within(account, seconds, method, path, body=None):
    """The status of an answer and when it came, or what happened instead."""
    account.connection.close()
    account.connection.timeout = seconds
    begun = time.perf_counter()
    try:
        account.request(method, path, body)
        return f"{account.status} after {time.perf_counter() - begun:.2f} s"
    except TimeoutError:
        return f"none in {seconds} s"
    except ConnectionError:
        return f"closed without one after {time.perf_counter() - begun:.2f} s"


def frozen_writer(server):
    """Another process holds the store's lock, as one does that was stopped inside a write."""
    account = Account(server)
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, server.database + "-lock"], stdout=subprocess.PIPE)
    try:
        holder.stdout.readline()
        body = {"device_id": account.device, "mutations": [alert()], "limit": 1}
        return [
            ("frozen-writer: an alert is answered", answer_within(account, 40, "POST", "/v1/sync", body)),
            ("frozen-writer: /ready", answer_within(account, 40, "GET", "/ready")),
        ]
    finally:
        holder.kill()
        holder.wait()


ALL = {
    function.__name__.replace("_", "-"): function
    for function in (
        edits, slow_host, ten_strangers, tarpits, dead_hosts, keep_up, throughput, crowd_of_one, long_history, lists_beside,
        frozen_writer, pages, many_pages)
}
