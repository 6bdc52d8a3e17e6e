"""A server and a device with an alert to send, restored to the same state for each case."""

import contextlib
import os
import queue
import shutil

from .common import Device, Server, check_device, check_server, sign_in
from .context import require

MESSAGE = "fell on the ridge"


class Place:
    """A server's port and folder, used by one case at a time."""

    def __init__(self, exchange, number):
        self.exchange = exchange
        self.folder = exchange.context.scratch(f"place {number}")
        self.server = Server(exchange.context, self.folder)
        self.server.start().kill()
        self.prepared = exchange.device.copy(os.path.join(self.folder, "prepared"))
        self.prepared.done("config", "set", "endpoint", self.server.url)

    def renew(self):
        """The stopped server and the device in their prepared state."""
        self.server.kill()
        for name in os.listdir(self.folder):
            if name != "prepared":
                path = os.path.join(self.folder, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        for suffix in ("", "-wal", "-lock"):
            if os.path.exists(self.exchange.database + suffix):
                shutil.copyfile(self.exchange.database + suffix, self.server.database + suffix)
        self.device = self.prepared.copy(os.path.join(self.folder, "home"))
        return self


class Exchange:
    """A signed-in device with an alert, its notification request and two contacts queued; and its server, with one contact and
    some older, ended alerts."""

    def __init__(self, context, contacts=2, older=0):
        self.context = context
        folder = context.scratch("exchange")
        self.device = Device(context, os.path.join(folder, "home"))
        with Server(context, folder) as server:
            self.database = server.database
            sign_in(server, self.device)
            self.add_contact(0)
            self.older = [self.raise_and_end() for _ in range(older)]
            self.device.done("sync")
            server.end()
        self.contacts = contacts
        for number in range(1, contacts + 1):
            self.add_contact(number)
        self.device.done("alert", "activate", "--yes", "--no-sync", "--message", MESSAGE)
        self.alert = self.device.status()["alert"]["id"]
        self.places = queue.Queue()
        for number in range(context.workers):
            self.places.put(Place(self, number))

    def add_contact(self, number):
        self.device.done("contacts", "add", f"+1202555014{number}", "--name", f"Contact {number}", "--responder")

    def raise_and_end(self):
        self.device.done("alert", "activate", "--yes", "--no-sync", "--message", "an older one")
        alert = self.device.status()["alert"]["id"]
        self.device.done("alert", "deactivate", "--yes", "--no-sync")
        return alert

    @contextlib.contextmanager
    def place(self):
        """A freshly restored `Place` for this case alone; its server is not running, and is ended afterwards."""
        place = self.places.get()
        try:
            yield place.renew()
        finally:
            place.server.kill()
            self.places.put(place)

    def check_sent(self, place):
        """The alert, the request and the contacts are on the server, once each, and the device knows it."""
        device = check_device(place.device.store)
        for table in ("pending_mutations", "pending_notifications"):
            require(not device.rows(table), f"still queued: {device.rows(table)}")
        require(device.rows("alerts", id=self.alert)[0]["accepted_at"], "the device does not know that its alert was accepted")
        ids = sorted(alert["id"] for alert in device.rows("alerts"))
        require(ids == sorted([*self.older, self.alert]), f"the device's alerts are {ids}")
        self.check_received(place)

    def check_received(self, place):
        server = check_server(place.server.database)
        alerts = {alert["id"]: alert for alert in server.rows("alerts")}
        require(sorted(alerts) == sorted([*self.older, self.alert]), f"the server's alerts are {alerts}")
        require(alerts[self.alert]["notified_at"] is not None, "the server was not asked to tell the responders")
        names = sorted(row["name"] for row in server.rows("contacts"))
        wanted = [f"Contact {number}" for number in range(self.contacts + 1)]
        require(names == wanted, f"the server's contacts are {names}")
        told = {row["contact_id"] for row in server.rows("deliveries", alert_id=self.alert, notice="activated")}
        require(len(told) == len(wanted), f"messages are queued for {len(told)} of {len(wanted)} responders")
