"""The home of one device, and its command line."""

import asyncio
import json
import os
import sqlite3
import time

from ..context import Violation, require

# Longer than any call of the device takes.
TIMEOUT_SECONDS = 100


class Answer:
    """How a command ended; `status` is negative if a signal ended it."""

    def __init__(self, arguments, status, out, err, seconds):
        self.arguments, self.status, self.out, self.err, self.seconds = arguments, status, out, err, seconds

    @property
    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return (
            f"lifesignal {' '.join(self.arguments)}: exit status {self.status} after {self.seconds:.2f} s\n"
            f"  standard output: {self.out.strip()}\n  standard error: {self.err.strip()}")


class Device:
    """A home of one account. `files` are the template's, by name."""

    def __init__(self, world, account, files, port):
        self.world, self.account = world, account
        self.home = os.path.join(world.folder, "homes", str(account.number))
        os.makedirs(self.home, mode=0o700)
        for name, data in files.items():
            self.write(name, data)
        self.point_to(port)

    def write(self, name, data):
        with open(os.path.join(self.home, name), "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(data)

    def point_to(self, port):
        self.write("config", f"endpoint = http://127.0.0.1:{port}\n".encode())

    async def start(self, *arguments, program=None):
        """Starts a command; `finish` waits for it. `program`: what runs it, the program's own path last."""
        path = os.path.join(self.home, f"said-{time.monotonic_ns()}")
        with open(path + ".out", "wb") as out, open(path + ".err", "wb") as err:
            process = await asyncio.create_subprocess_exec(
                *(program or [self.world.lifesignal]), "--home", self.home, *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=err,
                env=self.world.environment)
        return arguments, process, path, time.monotonic()

    async def finish(self, started, seconds=TIMEOUT_SECONDS):
        arguments, process, path, start = started
        try:
            status = await asyncio.wait_for(process.wait(), seconds)
        except asyncio.TimeoutError:
            process.kill()
            await process.wait()
            raise Violation(f"lifesignal {' '.join(arguments)} hangs: ended after {seconds} s") from None
        said = []
        for suffix in (".out", ".err"):
            with open(path + suffix, encoding="utf-8", errors="replace") as file:
                said.append(file.read())
        return Answer(arguments, status, *said, time.monotonic() - start)

    async def run(self, *arguments):
        return await self.finish(await self.start(*arguments))

    async def done(self, *arguments):
        """A command that has to succeed."""
        answer = await self.run(*arguments)
        require(answer.status == 0, str(answer))
        return answer

    def rows(self, query, *values):
        connection = sqlite3.connect(os.path.join(self.home, "store.sqlite"))
        try:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            connection.execute("PRAGMA busy_timeout = 5000")
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def remove(self):
        for entry in os.scandir(self.home):
            os.unlink(entry.path)
        os.rmdir(self.home)
