"""Who uses the processors: CPU seconds from /proc."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def fields_of(pid):
    """The fields of /proc/PID/stat behind the name; empty if the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return []


def of_process(pid):
    fields = fields_of(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def of_postgres(postmaster):
    """Of all processes of a PostgreSQL server, ended ones included."""
    fields = fields_of(postmaster)
    total = sum(int(fields[index]) for index in (11, 12, 13, 14)) / TICKS if fields else 0.0
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := fields_of(name)) and int(fields[1]) == postmaster:
            total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


class Meter:
    """CPU seconds by part while it is open. `parts` has functions that give the seconds so far."""

    def __init__(self, cluster, servers=(), receiver=None):
        postmaster = cluster.postmaster
        self.parts = {
            "server": lambda: sum(server.cpu_seconds() for server in servers),
            "PostgreSQL": lambda: of_postgres(postmaster),
            "clients": lambda: of_process(os.getpid()),
        }
        if receiver:
            self.parts["receiver"] = lambda: of_process(receiver.process.pid)

    def __enter__(self):
        self.before = {name: read() for name, read in self.parts.items()}
        return self

    def __exit__(self, *_):
        self.seconds = {name: read() - self.before[name] for name, read in self.parts.items()}

    def per(self, count):
        """A text: microseconds by part for each of `count`."""
        return ", ".join(f"{name} {1e6 * seconds / max(count, 1):,.0f} us" for name, seconds in self.seconds.items())

    def shares(self, seconds):
        """A text: processors in use by part, of so many seconds."""
        return ", ".join(f"{name} {used / seconds:.2f}" for name, used in self.seconds.items())
