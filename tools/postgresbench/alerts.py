"""Clients that raise single alerts, each with its own account and with the cursor of the answer before, as devices do."""

import re
import time

from serverbench import load
from serverbench.server import Account, contact, new_id, now

CURSOR = re.compile(rb'"cursor":"([^"]+)"')
BODY = (
    '{"device_id":"%s","cursor":"%s","limit":1,"notifications":[%s],"mutations":[{"id":"%s","entity_id":"%s",'
    '"kind":"alert.activate","occurred_at":"%s","body":{"started_at":"%s","message":null,"location":null,"drill":%s}}]}')
NOTIFICATION = '{"id":"%s","alert_id":"%s","kind":"activated"}'


class AlertClient(load.Client):
    """One connection of one account. With `tells` its responders are told of each alert; of a drill they are told once."""

    def __init__(self, account, tells=False, is_drill=False):
        super().__init__(account.server.port, self.request)
        self.account, self.tells, self.drill = account, tells, "true" if is_drill else "false"
        self.cursor = account.cursor
        self.head = (
            f"POST /v1/sync HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {account.token}\r\n"
            "Content-Type: application/json\r\nContent-Length: ")

    def request(self):
        alert, time_now = new_id(), now()
        notification = NOTIFICATION % (new_id(), alert) if self.tells else ""
        body = BODY % (self.account.device, self.cursor, notification, new_id(), alert, time_now, time_now, self.drill)
        return f"{self.head}{len(body)}\r\n\r\n{body}".encode()

    def receive(self):
        if not super().receive():
            return False
        if self.statuses[-1] != 200:
            raise SystemExit(f"bench-postgres: an alert was answered with {self.statuses[-1]}: {self.answer[:300]!r}")
        self.cursor = CURSOR.search(self.answer)[1].decode()
        return True


def people(server, count, url=None):
    """So many accounts on `server`, each with a cursor. With `url` each has one responder, who is told there."""
    accounts = [Account(server) for _ in range(count)]
    for index, account in enumerate(accounts):
        account.sync([contact("R", [f"{url}/{index}"])] if url else [])
        account.sync()
    return accounts


def raise_for(accounts, seconds, tells=False, is_drill=False):
    """Alerts of all accounts at once, each as fast as accepted. Gives a Run."""
    clients = [AlertClient(account, tells, is_drill) for account in accounts]
    begun = time.perf_counter()
    rate = load.run(clients, seconds)
    taken = time.perf_counter() - begun
    for client in clients:
        client.account.cursor = client.cursor
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
