"""What the holder of the writer's row does: samples of pg_stat_activity, which say what limits the server."""

import collections
import subprocess
import time

from faults.clusters import PROGRAMS

INTERVAL = 0.02
SAMPLE = """
SELECT coalesce(string_agg(CASE
  WHEN state = 'idle in transaction' THEN 'waits for the server process'
  WHEN wait_event_type IS NULL THEN 'runs a statement'
  WHEN wait_event IN ('WALSync', 'WALWrite') THEN 'commits'
  WHEN wait_event_type = 'Client' THEN 'waits for the server process'
  ELSE 'waits: ' || wait_event END, ','), 'nobody writes')
FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  AND backend_xid IS NOT NULL AND coalesce(wait_event_type, '') <> 'Lock'
"""


class Waits:
    """Samples while it is open."""

    def __init__(self, cluster, database):
        self.command = [f"{PROGRAMS}/psql", "-h", cluster.folder, "-U", "postgres", "-qAtX", database]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"{' '.join(SAMPLE.split())} \\watch {INTERVAL}\n")
        self.process.stdin.flush()
        return self

    def __exit__(self, *_):
        time.sleep(INTERVAL)
        self.process.terminate()
        lines = self.process.communicate()[0].split("\n")
        counts = collections.Counter(line.split(",")[0] for line in lines if line and not line.startswith("Time:"))
        # \watch heads each sample with its time.
        self.shares = {name: count for name, count in counts.most_common() if not name[:3] in DAYS}

    def __str__(self):
        total = sum(self.shares.values()) or 1
        return ", ".join(f"{name} {100 * count / total:.0f} %" for name, count in self.shares.items())


DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
