"""Clients that raise single alerts, with the cursor of the account's answer before, as devices do."""

import concurrent.futures
import itertools
import re
import time

from serverbench import load
from serverbench.server import Account, contact, new_id, now

CURSOR = re.compile(rb'"cursor":"([^"]+)"')
HEAD = (
    "POST /v1/sync HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n")
BODY = (
    '{"device_id":"%s","cursor":"%s","limit":1,"notifications":[%s],"mutations":[%s{"id":"%s","entity_id":"%s",'
    '"kind":"alert.activate","occurred_at":"%s","body":{"started_at":"%s","message":null,"location":null,"drill":%s}}]}')
END = '{"id":"%s","entity_id":"%s","kind":"alert.deactivate","occurred_at":"%s","body":{"ended_at":"%s"}},'
NOTIFICATION = '{"id":"%s","alert_id":"%s","kind":"activated"}'
# How many accounts sign in at once, or renew their tokens: what each waits for is mostly a commit.
SIGNING_IN = 16


class AlertClient(load.Client):
    """One connection of accounts in turn. With `tells` their responders are told of each alert; of a drill they are told once, and it ends
    with the next one, also with that of a later load: nobody has hundreds at once, nor one that stays for an hour beside others."""

    def __init__(self, accounts, tells=False, is_drill=False):
        super().__init__(accounts[0].server.port, self.request)
        self.turns = itertools.cycle(accounts)
        self.account, self.tells, self.is_drill = accounts[0], tells, is_drill

    def request(self):
        self.account = next(self.turns)
        alert, time_now = new_id(), now()
        notification = NOTIFICATION % (new_id(), alert) if self.tells else ""
        earlier = self.account.alert if self.is_drill else None
        end = END % (new_id(), earlier, time_now, time_now) if earlier else ""
        self.account.alert = alert
        body = BODY % (
            self.account.device, self.account.cursor, notification, end, new_id(), alert, time_now, time_now,
            "true" if self.is_drill else "false")
        head = HEAD % (self.account.token, len(body))
        return (head + body).encode()

    def receive(self):
        if not super().receive():
            return False
        if self.statuses[-1] != 200:
            raise SystemExit(f"bench-postgres: an alert was answered with {self.statuses[-1]}: {self.answer[:300]!r}")
        self.account.cursor = CURSOR.search(self.answer)[1].decode()
        return True


def people(server, count, urls=()):
    """So many accounts on `server`, each with a cursor. With `urls` each has one responder, who is told at one of them."""
    with concurrent.futures.ThreadPoolExecutor(SIGNING_IN) as pool:
        return list(pool.map(lambda index: person(server, urls and f"{urls[index % len(urls)]}/{index}"), range(count)))


def person(server, url):
    account = Account(server)
    account.alert = None  # the one that ends with the next
    account.sync([contact("R", [url])] if url else [])
    account.sync()
    account.connection.close()
    return account


def raise_for(accounts, seconds, tells=False, is_drill=False, connections=None):
    """Alerts of all accounts, as fast as they are accepted: each has a connection of its own, or they share so many. Gives a Run."""
    count = connections or len(accounts)
    clients = [AlertClient(accounts[place::count], tells, is_drill) for place in range(count)]
    begun = time.perf_counter()
    rate = load.run(clients, seconds)
    taken = time.perf_counter() - begun
    for client in clients:
        client.socket.close()
    return Run(rate, taken, [latency for client in clients for latency in client.latencies])


class Run:
    """What a load has done: answers a second, the seconds that it took, and the latencies in milliseconds."""

    def __init__(self, rate, seconds, latencies):
        self.rate, self.seconds, self.latencies = rate, seconds, latencies

    @property
    def count(self):
        return len(self.latencies)

    def percentile(self, share):
        return load.percentile(self.latencies, share)
