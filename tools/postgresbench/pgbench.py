"""Runs PostgreSQL's own benchmark program."""

import re
import subprocess

from faults.clusters import PROGRAMS


def run(cluster, database, script, clients, seconds):
    """Transactions a second, with prepared statements."""
    command = [
        f"{PROGRAMS}/pgbench", "-h", cluster.folder, "-U", "postgres", "-n", "-M", "prepared", "-f", script, "-D", "ready=0",
        "-c", str(clients), "-j", str(min(clients, 2)), "-T", str(max(1, round(seconds))), database
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120, stdin=subprocess.DEVNULL)
    rate = re.search(r"^tps = ([0-9.]+)", done.stdout, re.M)
    if done.returncode != 0 or not rate:
        raise SystemExit(f"bench-postgres: pgbench ended with {done.returncode}: {done.stderr[:1000]}")
    return float(rate[1])
