"""A PostgreSQL server for measurements: on a disk, durable, with its settings on record."""

import glob
import json
import os
import tempfile
import time

from faults.clusters import PROGRAMS, Cluster
from faults.context import NotRun

# It refuses to run as root.
RUN_AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
# jsonlog costs nothing until something is logged; the capture of statements needs it.
SETTINGS = {
    "listen_addresses": "", "max_connections": "200", "logging_collector": "on", "log_destination": "jsonlog",
    "log_parameter_max_length": "-1"
}
SHOWN = (
    "server_version", "fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers", "max_wal_size",
    "commit_delay", "autovacuum", "max_connections")


class DiskCluster(Cluster):
    """The cluster of the fault tests, but in a folder on disk and synced to it."""

    def __init__(self, parent):
        if not os.access(f"{PROGRAMS}/postgres", os.X_OK):
            raise NotRun("there is no PostgreSQL 15: tools/setup --tests installs it")
        self.user = RUN_AS_POSTGRES if os.geteuid() == 0 else []
        # The user postgres has to reach it.
        self.folder = tempfile.mkdtemp(prefix="lifesignal-bench.", dir=parent)
        self.own(self.folder)
        self.data = os.path.join(self.folder, "data")

    def make(self):
        self.done("initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C")

    def start(self):
        options = " ".join([f"-k {self.folder}", *(f"-c {name}={value}" for name, value in SETTINGS.items())])
        self.done("pg_ctl", *self.place, "-w", "-l", f"{self.folder}/log", "start", "-o", options)

    def url(self, database):
        return f"postgresql:///{database}?host={self.folder}&user=postgres"

    def new_database(self, name):
        """The URL of an empty database."""
        self.query(f"CREATE DATABASE {name}")
        return self.url(name)

    def value(self, statement, database="postgres"):
        return self.query(statement, database)[0]

    def settings(self):
        """The settings that figures depend on, as lines."""
        names = ", ".join(f"'{name}'" for name in SHOWN)
        rows = self.query(
            f"SELECT name || ' = ' || current_setting(name) FROM pg_settings WHERE name IN ({names}) ORDER BY name")
        disk = os.stat(self.data).st_dev
        return [*rows, f"data on device {os.major(disk)}:{os.minor(disk)} ({file_system(self.data)})"]

    def configure(self, **settings):
        """Changes settings of the running server. None resets one."""
        for name, value in settings.items():
            self.query(f"ALTER SYSTEM RESET {name}" if value is None else f"ALTER SYSTEM SET {name} = '{value}'")
        self.query("SELECT pg_reload_conf()")
        # Sessions take it with their next statement; the postmaster needs a moment to tell them.
        time.sleep(0.3)

    def log_entries(self):
        """What the server has logged so far, oldest first."""
        for path in sorted(glob.glob(f"{self.data}/log/*.json")):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    # The newest line may be incomplete.
                    if line.endswith("\n"):
                        yield json.loads(line)

    def clear_log(self):
        for path in glob.glob(f"{self.data}/log/*.json"):
            os.truncate(path, 0)

    @property
    def postmaster(self):
        return self.processes[0]

    def checkpoint(self):
        """Writes out what earlier scenarios left, so that it does not slow down the next one."""
        self.query("CHECKPOINT")


def file_system(path):
    """The type of the file system that holds `path`."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1:3] for line in file]
    holders = [(len(point), kind) for point, kind in mounts if (path + "/").startswith(point.rstrip("/") + "/")]
    return max(holders)[1] if holders else "unknown"
