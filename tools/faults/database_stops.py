"""Two servers on one PostgreSQL database: one stands still until the other has taken its leases, or the database ends their connections.

A channel answers late, so most messages are on their way when the fault hits. What `database` promises holds here too.
"""

import time

from .clusters import Cluster
from .postgres import Episode

NAMES = ("database-stops",)
LONG_SECONDS = 30 * 60
QUICK_SECONDS = 60
EPISODES = {"quick": 1, "long": 12}
WORKERS = 12
# In each episode.
STANDSTILLS = {"quick": 1, "long": 9}
ENDED_CONNECTIONS = {"quick": 2, "long": 10}
ANSWER_SECONDS = 0.5
WAIT_SECONDS, LOOK_SECONDS = 2, 0.05


class StopEpisode(Episode):
    overlap = 1
    delay_seconds = 0.8 * ANSWER_SECONDS
    answer_seconds = ANSWER_SECONDS

    def deck(self):
        size = self.context.size
        faults = [self.stand_still_long] * STANDSTILLS[size] + [self.end_connections] * ENDED_CONNECTIONS[size]
        self.random.shuffle(faults)
        return faults

    def server_to_stop(self):
        """The one that the device talks to: it has leased the messages of the alert that is being raised."""
        return self.server

    def hurt(self, fault):
        """Waits for a message on its way, if there is one."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.told.read(LOOK_SECONDS) and time.monotonic() < deadline:
            pass
        super().hurt(fault)
        self.context.add(self.figures, {"standstills" if fault == self.stand_still_long else "ended_connections": 1})

    def heal(self):
        super().heal()
        leased_again = self.cluster.query("SELECT coalesce(sum(attempts - 1), 0) FROM deliveries WHERE attempts > 1", self.database)
        self.context.add(self.figures, {"leased_again": int(leased_again[0])})


def run(context):
    counted = ("standstills", "ended_connections", "messages", "leased_again", "sent_again")
    figures = dict.fromkeys((*counted, "seconds_to_recover", "seconds_to_take_over"), 0)
    with Cluster() as cluster:
        context.begin(LONG_SECONDS, QUICK_SECONDS)
        # Each has a database of its own, and no fault hits all of them.
        episodes = [StopEpisode(context, cluster, number, figures) for number in range(1, EPISODES[context.size] + 1)]
        context.each(episodes, StopEpisode.perform, workers=WORKERS)
    return figures
