"""What responders were told, and how often: each message by the id that the server gives it."""

import queue
import time
from collections import defaultdict

from .context import require

# A message is leased for a minute, and another server takes what a dead one had leased after fifteen to twenty seconds.
SETTLE_SECONDS = 120
LOOK_SECONDS = 0.5
# Longer than a server waits between two looks at the queue.
QUIET_SECONDS = 6
# What a fault has broken, such as a connection, may be noticed this much later.
AFTERMATH_SECONDS = 1
# A "safe" that is on its way is broken off for a new call for help to the same responder, and sent again after it.
WINDOWS = """
    SELECT id, created_at, state_at, (notice = 'deactivated' OR told_end) AND EXISTS (
      SELECT 1 FROM deliveries AS help
      WHERE help.account_id = message.account_id AND help.contact_id = message.contact_id AND help.notice = 'activated'
        AND help.alert_id <> message.alert_id AND help.created_at BETWEEN message.created_at AND message.state_at)
    FROM deliveries AS message"""


class Told:
    """The messages of a receiver, and of others that share its queue."""

    def __init__(self, receiver):
        self.receiver, self.messages = receiver, receiver.messages
        # The arrivals of each message, by its id.
        self.arrivals = defaultdict(list)

    def read(self, seconds=0):
        """Notes what has arrived, and waits up to so long for the first message. Returns the new arrivals."""
        arrived = []
        try:
            arrived.append(self.messages.get(timeout=max(0.001, seconds)))
            while True:
                arrived.append(self.messages.get_nowait())
        except queue.Empty:
            pass
        for message in arrived:
            self.arrivals[message.id].append(message)
        return arrived

    def has(self, alerts, deadline):
        """Whether messages of all the alerts arrive until then."""
        self.read()
        while self.missing(alerts):
            if time.monotonic() >= deadline:
                return False
            self.read(LOOK_SECONDS)
        return True

    def missing(self, alerts, names=()):
        """Those of which there is no message, or none to one of the responders with these names. One that tells only of the end is of an
        alert that ended before anybody was told."""
        # Another thread may be reading.
        firsts = [arrivals[0] for arrivals in list(self.arrivals.values()) if arrivals]
        known = {message.alert for message in firsts}
        known_to = {(message.alert, message.name) for message in firsts}
        return [alert for alert in alerts if alert not in known or any((alert, name) not in known_to for name in names)]

    def settle(self, cluster, database, seconds=SETTLE_SECONDS):
        """Reads until the server has the outcome of each message, and a little longer: what a fault left leased is sent again late."""
        deadline = time.monotonic() + seconds
        while (waiting := cluster.query("SELECT count(*) FROM deliveries WHERE state = 'queued'", database)) != ["0"]:
            require(time.monotonic() < deadline, f"after {seconds} s without a fault {waiting[0]} messages are still queued")
            self.read(LOOK_SECONDS)
        deadline = time.monotonic() + QUIET_SECONDS
        while time.monotonic() < deadline:
            self.read(LOOK_SECONDS)

    @property
    def repeats(self):
        """How many messages arrived in excess of one each."""
        return sum(len(arrivals) - 1 for arrivals in self.arrivals.values())

    def check_repeats(self, cluster, database, faults):
        """Each message arrived once, and once more at most for each fault that hit between its making and its record as sent.

        `faults` are pairs of times: from when until when. Call it after `settle`.
        """
        windows = {}
        for row in cluster.query(WINDOWS, database):
            name, made, recorded, is_broken_off = row.split("|")
            windows[name] = (int(made) / 1000, int(recorded) / 1000, is_broken_off == "t")
        for name, arrivals in self.arrivals.items():
            require(name in windows, f"a message arrived that the database does not have: {arrivals}")
            made, recorded, is_broken_off = windows[name]
            hits = [fault for fault in faults if fault[0] <= recorded and made <= fault[1] + AFTERMATH_SECONDS]
            limit = 1 + len(hits) + is_broken_off
            require(
                len(arrivals) <= limit,
                f"a message made at {made} and recorded as sent at {recorded} arrived more than {limit} times: {arrivals}; faults: {hits}")
