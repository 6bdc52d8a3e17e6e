"""Eight processes that write, and a reader that holds the store open."""

import os
import sqlite3
import threading

from .common import Device, check_device
from .context import require

NAMES = ("contention",)
PROCESSES = 8
# A checkpoint starts at 1,000 pages of 4 KiB; one transaction adds a few.
GROWN_BYTES = 1100 * 4120
# A log at rest holds fewer frames, since every process that opens the store reads them all.
RESTING_FRAMES = 128


class Reader:
    """A read-only connection of another program with an open read transaction. It neither checkpoints nor removes anything."""

    def __init__(self, path):
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None, check_same_thread=False)
        self.connection.execute("BEGIN")
        self.seen = self.count()

    def count(self):
        return self.connection.execute("SELECT count(*) FROM contacts").fetchone()[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()


class Contention:
    """Writers that run this many commands each in parallel."""

    def __init__(self, context, device):
        self.context, self.device = context, device
        self.added, self.slowest, self.largest = set(), 0.0, 0
        self.lock = threading.Lock()

    def write(self, writer, commands):
        for number in range(commands):
            name = f"Writer {writer} command {number} {'x' * 100}"
            answer = self.device.done("--json", "contacts", "add", f"+1202555{number % 10_000:04}", "--name", name[:100])
            require(not answer.err, f"a writer beside others reports: {answer}")
            with self.lock:
                self.added.add(answer.json["id"])
                self.slowest = max(self.slowest, answer.seconds)
                self.largest = max(self.largest, self.log_bytes())

    def log_bytes(self):
        return os.path.getsize(self.device.store + "-wal")

    def log_frames(self):
        return valid_frames(self.device.store + "-wal")

    def run(self, commands):
        failures = []

        def write(writer):
            try:
                self.write(writer, commands)
            except Exception as failure:
                failures.append(failure)

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(PROCESSES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]


def valid_frames(path):
    """The valid frames of a write-ahead log: those at its start with the salts of its header (SQLite's file format, 4.1). A
    restarted log keeps its length, and its old frames are ignored."""
    with open(path, "rb") as file:
        header = file.read(32)
        if len(header) < 32:
            return 0
        page_size, salts, frames = int.from_bytes(header[8:12], "big"), header[16:24], 0
        while len(frame := file.read(24 + page_size)) == 24 + page_size and frame[8:16] == salts:
            frames += 1
    return frames


def rest(device, contention, when):
    """The last command to leave leaves a short log."""
    device.done("contacts", "add", "+12025550100", "--name", "After")
    frames, size = contention.log_frames(), contention.log_bytes()
    require(frames < RESTING_FRAMES, f"the log still holds {frames} frames when {when}")
    require(size < GROWN_BYTES, f"the log's file still has {size} bytes when {when}")


def trial(context, case, commands, figures):
    device = Device(context, os.path.join(context.scratch(str(case)), "home"))
    device.done("alert", "activate", "--yes", "--no-sync")
    contention = Contention(context, device)
    with Reader(device.store) as reader:
        contention.run(commands)
        require(reader.count() == reader.seen, "the reader does not see its first snapshot")
        grown = contention.log_frames()
        require(grown > RESTING_FRAMES, f"the log did not grow behind the reader, so this tests nothing ({grown} frames)")
    rest(device, contention, f"the reader has gone; it held {grown}")
    contention.run(commands)
    require(contention.log_bytes() < GROWN_BYTES, f"without a reader the log keeps {contention.log_bytes()} bytes")
    rest(device, contention, "all is quiet")
    tables = check_device(device.store)
    ids = {row["id"] for row in tables.rows("contacts")}
    require(contention.added <= ids, f"{len(contention.added - ids)} contacts that were saved are not there")
    context.count(faults=2 * PROCESSES * commands)
    figures["slowest_command_seconds"] = max(figures.get("slowest_command_seconds", 0), round(contention.slowest, 3))
    figures["largest_log_bytes"] = max(figures.get("largest_log_bytes", 0), contention.largest)


def run(context):
    figures = {}
    commands = 400 if context.is_long else 16
    cases = [f"trial {number}" for number in range(1, 4 if context.is_long else 2)]
    context.each(cases, lambda case: trial(context, case, commands, figures), workers=1)
    return figures
