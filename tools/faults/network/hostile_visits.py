"""A device that meets a hostile server and then the real one: bounded, sensible, and nothing lost."""

import asyncio
import calendar
import os
import re
import signal
import sys
import time

from ..context import require
from .bad_answers import SLOW
from .device import Answer
from .hostile_server import HostileServer

# `sync` limits itself to a minute; the rest is for its last message and a busy machine.
LONGEST_SECONDS = 75
# Kilobytes. The largest accepted answer has 8 MiB, and is held as bytes and parsed.
MOST_MEMORY = 256 << 10
# The longest delay that a server may ask for while an alert waits.
LONGEST_WAIT_SECONDS = 5 * 60 + 5
UNREACHABLE, REFUSED, NOT_SIGNED_IN = 75, 69, 77
# C0 except line ends, DEL, C1, and the marks that change the direction of text.
CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MESSAGE = "Fell on the north ridge"

# Runs the command in its own process, and records its peak memory.
LAUNCHER = """
import os, resource, sys
process = os.fork()
if process == 0:
    os.execv(sys.argv[2], sys.argv[2:])
status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)
"""


class HostileVisit:
    """One account whose device meets a server; `script(visit)` returns its script. `allowed`: the valid exit statuses."""

    def __init__(self, world, number, name, script, allowed):
        self.world, self.number, self.name, self.script, self.allowed = world, number, name, script, allowed
        self.memory = 0
        self.seconds = 0.0
        self.requests = 0

    async def perform(self):
        """Throws `Violation` where a promise is broken."""
        self.trap = await HostileServer(trapped).start()
        self.hostile = await HostileServer(self.script(self)).start()
        try:
            await self.meet()
        finally:
            self.requests = len(self.hostile.requests)
            await self.hostile.end()
            await self.trap.end()
        require(not self.hostile.mistakes, "\n".join(self.hostile.mistakes))
        require(self.hostile.requests, "the hostile server was asked nothing")
        told = [request.bytes for request in self.trap.requests]
        require(self.trap.connections == 0, f"it followed to another address, with {told}")
        require(not any("cookie" in request.headers for request in self.hostile.requests), "it returns a cookie")
        await self.recover()
        self.device.remove()

    def take(self, image):
        self.device = self.world.device(self.number, image, self.hostile.port)

    async def measured(self, *arguments):
        """Runs a command, and holds it to the bounds of time, memory and good words."""
        device, path = self.device, os.path.join(self.device.home, "memory")
        launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, path, device.world.lifesignal]
        started = await device.start(*arguments, program=launched)
        answer = await device.finish(started, LONGEST_SECONDS)
        with open(path, encoding="ascii") as file:
            self.memory = max(self.memory, int(file.read()))
        self.seconds = max(self.seconds, answer.seconds)
        require(self.memory <= MOST_MEMORY, f"{self.memory} KB of memory. {answer}")
        check_words(answer)
        return answer

    async def look(self, *arguments):
        """A command that only reads."""
        answer = await self.device.run(*arguments)
        check_words(answer)
        return answer

    def point_to_truth(self):
        self.device.point_to(self.world.port)

    async def recover(self):
        """Before the true server: what waits is sent, and the next alert too."""
        self.point_to_truth()
        await self.retry_what_was_refused()
        answer = await self.measured("--json", "sync")
        require(answer.status in (0, NOT_SIGNED_IN), f"before the true server. {answer}")
        status = (await self.device.done("--json", "alert", "status")).json
        require(status["sync"]["parked"] == 0, f"something is still refused: {status}")
        await self.require_called("help")
        await self.device.done("alert", "deactivate", "--yes", "--no-sync")
        await self.device.done("alert", "activate", "--yes", "--no-sync", "--message", "Fell once more")
        answer = await self.device.run("--json", "sync")
        require(answer.status in (0, NOT_SIGNED_IN), f"the next alert. {answer}")
        await self.require_alerts({MESSAGE: 1, "Fell once more": 1})

    async def retry_what_was_refused(self):
        # A list, which may be long.
        listed = await self.device.done("--json", "queue", "list")
        for line in listed.out.splitlines():
            if '"parked":{' in line:
                await self.device.done("queue", "retry", re.search(r'"id":"([^"]+)"', line)[1])

    async def require_alerts(self, wanted):
        connection = self.world.connect()
        try:
            rows = connection.execute(
                "SELECT message, count(*) FROM alerts JOIN accounts ON accounts.id = account_id WHERE phone = ? GROUP BY message",
                [self.device.account.phone]).fetchall()
        finally:
            connection.close()
        found = {message: count for message, count in rows if message in wanted}
        require(found == wanted, f"the server has the alerts {found} in place of {wanted}")

    async def require_called(self, kind):
        account = f"{self.number:08d}"
        require(await self.world.receiver.wait(account, kind, 30), f"the responders had {self.world.receiver.of(account)}")


class SyncVisit(HostileVisit):
    async def meet(self):
        self.take("raised")
        answer = await self.measured("sync")
        require(answer.status in self.allowed, f"the exit status should be one of {sorted(self.allowed)}. {answer}")
        if answer.status == UNREACHABLE:
            require("safe" in answer.err, f"it does not say that everything is saved here. {answer}")
        status = (await self.look("--json", "alert", "status")).json
        if next_attempt := status["sync"]["next_attempt_at"]:
            wait = calendar.timegm(time.strptime(next_attempt[:19], "%Y-%m-%dT%H:%M:%S")) - time.time()
            require(wait <= LONGEST_WAIT_SECONDS, f"the next attempt is in {wait:.0f} s")
        # What a person would look at next.
        for command in ("alert status", "status", "queue list", "alert history", "contacts list", "doctor"):
            if command != "doctor" or self.name not in SLOW:
                await self.look(*command.split())


class SignInVisit(HostileVisit):
    """Not signed in, with a waiting alert."""

    async def meet(self):
        self.take("stranger")
        phone = self.device.account.phone
        answer = await self.measured("sign-in", phone)
        if answer.status == NOT_SIGNED_IN:
            answer = await self.measured("sign-in", phone, "--code", "123456")
        require(answer.status in self.allowed, f"the exit status should be one of {sorted(self.allowed)}. {answer}")
        await self.look("status")

    async def recover(self):
        self.point_to_truth()
        phone = self.device.account.phone
        answer = await self.look("sign-in", phone)
        require(answer.status == NOT_SIGNED_IN and "code was sent" in answer.err, str(answer))
        answer = await self.look("sign-in", phone, "--code", await self.world.code(phone))
        require(answer.status == 0, str(answer))
        await self.require_alerts({MESSAGE: 1})


class WatchVisit(HostileVisit):
    """The worker, a few seconds before the hostile server; then its configuration changes."""

    seconds_before = 4
    worker = None
    # Retries with jitter; an answer that asks for more may get more.
    most_requests = 60

    async def perform(self):
        try:
            await super().perform()
        finally:
            if self.worker and self.worker[1].returncode is None:
                self.worker[1].kill()
                await self.worker[1].wait()

    async def meet(self):
        self.take("raised")
        self.worker = await self.device.start("--json", "sync", "--watch")
        await asyncio.sleep(self.seconds_before)
        require(self.worker[1].returncode is None, f"the worker ended by itself with {self.worker[1].returncode}")
        count = len(self.hostile.requests)
        require(self.name in BUSY or count <= self.most_requests, f"{count} requests in {self.seconds_before} seconds")
        self.look_at_memory()

    def look_at_memory(self):
        with open(f"/proc/{self.worker[1].pid}/status", encoding="ascii", errors="replace") as file:
            self.memory = max(self.memory, int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]))
        require(self.memory <= MOST_MEMORY, f"the worker has {self.memory} KB of memory")

    async def recover(self):
        try:
            await self.device.done("config", "set", "endpoint", f"http://127.0.0.1:{self.world.port}")
            await self.retry_what_was_refused()
            await self.require_called("help")
        finally:
            self.look_at_memory()
            self.worker[1].send_signal(signal.SIGTERM)
            answer = await self.device.finish(self.worker, 20)
        require(answer.status == 0, f"the worker did not end normally. {answer}")
        check_words(answer, longest=1 << 20)
        await self.require_alerts({MESSAGE: 1})


# Answers after which the worker rightly asks again at once.
BUSY = {"more, for ever", "a flood of changes"}


async def trapped(exchange):
    await exchange.answer({"secret": "taken"})


def check_words(answer: Answer, longest=20_000):
    """The text has nothing that a terminal would obey and is short enough to be read; and a failure has a message."""
    for text in (answer.out, answer.err):
        found = CONTROL.search(text)
        require(found is None, f"{found and found[0]!r} reaches the terminal. {answer}")
        require(len(text) <= longest, f"a text of {len(text)} characters: {text[:300]}…")
    require(answer.status == 0 or (answer.err + answer.out).strip(), f"it fails without a message. {answer}")
