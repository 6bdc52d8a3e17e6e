"""Many accounts call for help at once; most of their responders have hostile channels."""

import asyncio
import json
import re
import time

from ..context import require
from . import channels
from .bad_answers import ESCAPES
from .hostile_server import HostileServer
from .hostile_visits import CONTROL, MOST_MEMORY, trapped
from .lies import new_id
from .world import Account, call

GOOD_ACCOUNTS = 10
# The server's limit for requested delays while the alert is active.
LONGEST_WAIT_MILLISECONDS = 5 * 60_000


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


class Responders:
    """`world` has accounts numbered from 1: one per script, and the good ones after them."""

    def __init__(self, world, scripts, trap):
        self.world, self.scripts, self.trap = world, scripts, trap
        self.good = asyncio.Event()
        self.memory = 0
        self.longest = 0.0

    async def raise_alert(self, number, *urls):
        """Through the server's own door, with what a device would send."""
        account = Account(number, self.world.values["account_id"])
        contact, alert = new_id(), new_id()
        details = {
            "name": "Ana " + ESCAPES[1:4], "phone": "+12025550188", "responder": True, "dependent": False, "channels": urls}
        mutations = [("contact.put", contact, details), ("alert.activate", alert, {"started_at": now(), "message": "fire"})]
        body = {
            "device_id": new_id(), "cursor": None, "limit": 5,
            "mutations": [
                {"id": new_id(), "kind": kind, "entity_id": entity, "occurred_at": now(), "body": body}
                for kind, entity, body in mutations],
            "notifications": [{"id": new_id(), "alert_id": alert, "kind": "activated"}]}
        answer = await call(self.world.port, "POST", "/v1/sync", account.token("lsa_"), json.dumps(body).encode())
        statuses = [result["status"] for result in json.loads(answer.body)["results"]] if answer else None
        require(statuses == ["applied"] * 3, f"the server answers {statuses}: {answer and answer.body[:500]}")

    async def run(self, waits_for_end):
        self.hostile = {
            name: await HostileServer(channels.mended(script, self.good)).start() for name, script in self.scripts.items()}
        try:
            for number, server in enumerate(self.hostile.values(), 1):
                await self.raise_alert(number, f"http://127.0.0.1:{server.port}/hook")
            all_met = await channels.until(lambda: all(server.requests for server in self.hostile.values()), 60)
            require(all_met, f"not attempted: {[name for name, server in self.hostile.items() if not server.requests]}")
            await self.require_good_ones_called()
            await self.check_bounds()
            if waits_for_end:
                await self.require_the_rest()
            require(self.trap.connections == 0, f"it followed a redirect: {[request.bytes for request in self.trap.requests]}")
        finally:
            for server in self.hostile.values():
                await server.end()
                require(not server.mistakes, "\n".join(server.mistakes))

    async def require_good_ones_called(self):
        for number in range(len(self.scripts) + 1, len(self.scripts) + GOOD_ACCOUNTS + 1):
            started = time.monotonic()
            place = f"127.0.0.1:{self.world.receiver.port}/account-{number:08d}"
            await self.raise_alert(number, f"http://{place}", f"ntfy+http://{place}")
            came = await self.world.receiver.wait(f"{number:08d}", "help", 10)
            require(came, f"10 s after an alert its responders had {self.world.receiver.of(f'{number:08d}')}")
            self.longest = max(self.longest, time.monotonic() - started)
            health = await asyncio.wait_for(call(self.world.port, "GET", "/ready"), 5)
            require(health is not None and health.start[1] == "200", f"not ready: {health and health.bytes}")

    async def check_bounds(self):
        with open(f"/proc/{self.world.server.pid}/status", encoding="ascii", errors="replace") as file:
            self.memory = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
        require(self.memory <= MOST_MEMORY, f"the server has {self.memory} KB of memory")
        # Emergencies are first retried after half a second: bounded, but not few.
        busy = {name: len(server.requests) for name, server in self.hostile.items() if len(server.requests) > 40}
        require(not busy, f"so many attempts already: {busy}")
        latest = time.time() * 1000 + LONGEST_WAIT_MILLISECONDS + 1000
        late = self.rows("SELECT host, due_at FROM deliveries WHERE state = 'queued' AND due_at > ?", latest)
        require(not late, f"deliveries that wait beyond the bound: {late}")
        lost = self.rows("SELECT host, state, reason FROM deliveries WHERE state = 'failed'")
        require(not lost, f"given up: {lost}")
        with open(self.world.log, encoding="utf-8", errors="replace") as file:
            found = CONTROL.search(file.read())
        require(found is None, f"{found and found[0]!r} reaches the server's log")

    async def require_the_rest(self):
        """The channels come to their senses: every call for help gets there, but for those that were told to wait."""
        self.good.set()
        soon = time.time() * 1000 + 60_000
        query = "SELECT host FROM deliveries WHERE state = 'queued'"
        waiting = {row[0] for row in self.rows(query + " AND due_at > ? AND is_leased = 0", soon)}
        done = await channels.until(lambda: {row[0] for row in self.rows(query)} <= waiting, 120)
        names = {f"127.0.0.1:{server.port}": name for name, server in self.hostile.items()}
        require(done, f"still not sent: {[names.get(row[0], row) for row in self.rows(query)]}")

    def rows(self, query, *values):
        connection = self.world.connect()
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()


async def meet(world, waits_for_end):
    """Gives the `Responders` after their run."""
    trap = await HostileServer(trapped).start()
    scripts = channels.scripts(trap.port)
    try:
        await world.make(range(1, len(scripts) + GOOD_ACCOUNTS + 1))
        responders = Responders(world, scripts, trap)
        await responders.run(waits_for_end)
        await world.end_server()
        return responders
    finally:
        await trap.end()
        await world.kill()
