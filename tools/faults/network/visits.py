"""The visit of one account: an exchange that is cut, a clean one after it, and what must then be true."""

import asyncio
import signal
import time
from dataclasses import dataclass

from ..context import require
from .device import TIMEOUT_SECONDS
from .proxy import Cut, Proxy

# The exit status of `sync` if the server cannot be reached.
UNREACHABLE = 75
# The scenarios that can be cut, by name, with their exchanges in order.
SCENARIOS = {
    "sync": ("raise", "end"),
    "watch": ("raise", "end"),
    "refresh": ("tokens",),
    "sign-in": ("verification", "session"),
    "sign-out": ("session",),
}


@dataclass(frozen=True)
class Trial:
    """One byte of one exchange, and what happens there."""

    scenario: str
    exchange: str
    side: str
    position: int
    mode: str

    def __str__(self):
        return f"{self.scenario} {self.exchange} {self.side} {self.position} {self.mode}"

    @staticmethod
    def named(text):
        scenario, exchange, side, position, mode = text.split()
        return Trial(scenario, exchange, side, int(position), mode)

    @property
    def byte(self):
        """The place, whatever happens there."""
        return self.scenario, self.exchange, self.side, self.position

    @property
    def part(self):
        """The number of the exchange."""
        return SCENARIOS[self.scenario].index(self.exchange)

    @property
    def cut(self):
        return Cut(self.side, self.position, "stall" if self.mode == "interrupt" else self.mode)


def is_push(request):
    return request.route == "POST /v1/sync" and b'"mutations":[]' not in request.body


def is_call(route):
    return lambda request: request.route == route


class Visit:
    """One account of a world, with a trial or none for each part of its scenario."""

    def __init__(self, world, number, scenario, trials):
        self.world, self.number, self.scenario = world, number, scenario
        self.trials = {trial.part: trial for trial in trials}
        self.lengths = []
        self.reached = []
        self.waited = 0.0

    async def perform(self):
        """Throws `Violation` where a promise is broken."""
        self.proxy = await Proxy(self.world.port).start()
        self.device = None
        try:
            await getattr(self, "visit_" + self.scenario.replace("-", "_"))()
            self.device.remove()
        finally:
            await self.proxy.end()

    def take(self, image):
        self.device = self.world.device(self.number, image, self.proxy.port)

    def arm(self, part, wanted):
        trial = self.trials.get(part)
        self.proxy.arm(trial and trial.cut, wanted)
        return trial

    def is_cut(self, trial):
        """Whether the part's exchange was broken; ends the cut."""
        is_cut = trial is not None and self.proxy.is_hit.is_set()
        if is_cut:
            self.reached.append(trial)
        # An alert is sent alone, and the items behind it in a second exchange: the first is cut.
        self.lengths += self.proxy.lengths[:1]
        self.proxy.arm(None)
        return is_cut and trial.mode != "duplicate"

    async def cut_command(self, part, wanted, *arguments, succeeding=0, failing=(UNREACHABLE,), calls=False):
        """Runs a command whose exchange is cut, and gives its answer.

        A call for help that hears nothing for some seconds, as on a machine that is too busy, goes once more beside the one that is cut:
        where the proxy saw it twice, the command may have succeeded.
        """
        trial = self.arm(part, wanted)
        started = await self.device.start("--json", *arguments)
        if trial and trial.mode == "interrupt":
            await self.interrupt(started[1])
        answer = await self.device.finish(started)
        self.waited = max(self.waited, answer.seconds)
        may_be_hidden = self.proxy.may_be_hidden or (calls and len(self.proxy.lengths) > 1)
        allowed = {succeeding}
        if self.is_cut(trial):
            allowed = {*failing, *([succeeding] if may_be_hidden else [])}
            if trial.mode == "interrupt":
                allowed |= {succeeding, -signal.SIGINT}
        require(answer.status in allowed, f"after the cut the exit status is to be of {sorted(allowed)}. {answer}")
        return answer

    async def interrupt(self, process):
        """^C while the exchange stalls."""
        hit = asyncio.ensure_future(self.proxy.is_hit.wait())
        end = asyncio.ensure_future(process.wait())
        await asyncio.wait([hit, end], timeout=TIMEOUT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        hit.cancel()
        if process.returncode is None:
            process.send_signal(signal.SIGINT)

    # `sync`

    async def visit_sync(self):
        self.take("raised")
        for part in (0, 1):
            if part == 1:
                await self.device.done("alert", "deactivate", "--yes", "--no-sync")
            # If the connection falls silent, the call is sent once more beside it.
            is_silent = part in self.trials and self.trials[part].mode == "stall"
            failing = (0,) if is_silent else (UNREACHABLE,)
            answer = await self.cut_command(part, is_push, "sync", failing=failing, calls=True)
            if answer.status == 0:
                require(answer.json["pending"] == 0, f"all is well, it says, and not all is sent. {answer}")
            if answer.status != 0 or part == 1:
                await self.sync_cleanly()
            if part == 0:
                await self.require_help()
        await self.check_accepted(is_active=False)

    async def sync_cleanly(self):
        """On a machine that is busy beyond measure the proxy may be too slow for the device: that is no broken promise."""
        for _ in range(3):
            answer = await self.device.run("--json", "sync")
            if answer.status != UNREACHABLE or '"timeout"' not in answer.err:
                break
        require(answer.status == 0, str(answer))
        left = answer.json
        require(left["pending"] == 0 and left["parked"] == 0 and left["error"] is None, f"not all is sent. {answer}")

    async def check_accepted(self, is_active):
        answer = await self.device.done("--json", "alert", "status")
        status = answer.json
        require(status["active"] is is_active, f"active is to be {is_active}. {answer}")
        require(status["alert"] and status["delivery"]["stage"] == "accepted", f"the device does not say accepted. {answer}")
        sync = status["sync"]
        require(sync["pending"] == 0 and sync["parked"] == 0 and sync["signed_in"], f"queued, parked or signed out. {answer}")

    async def require_help(self):
        """The alert has been accepted, the device knows it, and the responders were called."""
        accepted = self.device.rows("SELECT count(*) FROM alerts WHERE accepted_at IS NOT NULL AND ended_at IS NULL")[0][0]
        require(accepted == 1 and self.queued() == 0, f"the device has {accepted} accepted alerts, {self.queued()} queued")
        came = await self.world.receiver.wait(f"{self.number:08d}", "help", TIMEOUT_SECONDS)
        require(came, f"the responders were not called: {self.world.receiver.of(f'{self.number:08d}')}")

    # `sync --watch`

    async def visit_watch(self):
        self.take("raised")
        first = self.arm(0, is_push)
        worker = await self.device.start("--json", "sync", "--watch")
        try:
            await self.wait_for_empty_queue(worker[1])
            self.is_cut(first)
            await self.require_help()
            second = self.arm(1, is_push)
            await self.device.done("alert", "deactivate", "--yes", "--no-sync")
            await self.wait_for_empty_queue(worker[1])
            self.is_cut(second)
        finally:
            if worker[1].returncode is None:
                worker[1].send_signal(signal.SIGTERM)
            answer = await self.device.finish(worker, 20)
        require(answer.status == 0, f"the worker did not end normally. {answer}")
        await self.check_accepted(is_active=False)

    def queued(self):
        query = "SELECT (SELECT count(*) FROM pending_mutations) + (SELECT count(*) FROM pending_notifications)"
        return self.device.rows(query)[0][0]

    async def wait_for_empty_queue(self, worker):
        """Looks only after an exchange went through: hundreds wait at once."""
        start = time.monotonic()
        left = None
        while time.monotonic() - start < TIMEOUT_SECONDS:
            try:
                await asyncio.wait_for(self.proxy.progress.wait(), 5)
            except asyncio.TimeoutError:
                pass
            self.proxy.progress.clear()
            for _ in range(20):
                left = self.queued()
                if left == 0:
                    self.waited = max(self.waited, time.monotonic() - start)
                    return
                require(worker.returncode is None, f"the worker ended by itself with {worker.returncode}")
                await asyncio.sleep(0.01)
        require(False, f"after {TIMEOUT_SECONDS} s the worker has {left} still to send")

    # The other calls

    async def visit_refresh(self):
        """The access token has expired: it is renewed on the way, and nobody is signed out by a fault."""
        self.take("expired")
        self.world.expire(self.number)
        await self.cut_command(0, is_call("POST /v1/auth/tokens"), "sync", failing=(0, UNREACHABLE))
        await self.sync_cleanly()
        await self.check_accepted(is_active=True)
        ended = self.device.rows("SELECT count(*) FROM sync_state WHERE key = 'session_expired'")[0][0]
        require(ended == 0, "the session counts as expired")
        # While an alert is active its responders are asked again after a minute, and the other visits take longer.
        await self.device.done("alert", "deactivate", "--yes", "--no-sync")
        await self.sync_cleanly()
        await self.check_accepted(is_active=False)

    async def visit_sign_in(self):
        """Not signed in, an alert waits. Whatever is lost on the way, another try signs in and sends it."""
        self.take("stranger")
        phone = self.device.account.phone
        # 77: the code was sent. 69: a second one is only sent a minute later, or the code has been used.
        asked = await self.cut_command(
            0, is_call("POST /v1/auth/verifications"), "sign-in", phone, succeeding=69 if self.is_answered_twice(0) else 77)
        if asked.status != 77:
            require(asked.status != 69 or "rate_limited" in asked.err, str(asked))
            await self.ask_again(phone)
        code = await self.world.code(phone)
        answer = await self.cut_command(
            1, is_call("POST /v1/auth/sessions"), "sign-in", phone, "--code", code, succeeding=69 if self.is_answered_twice(1) else 0)
        if answer.status == UNREACHABLE or answer.status < 0:
            answer = await self.device.run("--json", "sign-in", phone, "--code", code)
        if answer.status == 69:
            require("code_used" in answer.err, f"the code is refused for another reason. {answer}")
            await self.ask_again(phone)
            answer = await self.device.run("sign-in", phone, "--code", await self.world.code(phone))
        require(answer.status == 0, str(answer))
        await self.check_accepted(is_active=True)

    def is_answered_twice(self, part):
        trial = self.trials.get(part)
        return trial is not None and trial.mode == "duplicate" and trial.side == "answer"

    async def ask_again(self, phone):
        """The server lets a minute pass between two codes: here it has passed."""
        self.world.write("UPDATE verifications SET resend_at = created_at WHERE phone = ?", phone)
        answer = await self.device.run("--json", "sign-in", phone)
        require(answer.status == 77, str(answer))

    async def visit_sign_out(self):
        self.take("idle")
        # The answer is only a head: its first line is enough, and the closed connection may replace the rest.
        answer = await self.cut_command(
            0, is_call("DELETE /v1/auth/sessions/current"), "sign-out", failing=(0, UNREACHABLE))
        if answer.status != 0:
            status = (await self.device.done("--json", "status")).json
            require(status["account"], "not signed out, and the account is gone all the same")
            await self.device.done("sign-out")
        status = (await self.device.done("--json", "status")).json
        require(status["account"] is None, f"signed out, and the account is still there: {status}")
