"""One process's share of the trials, in a world of its own."""

import asyncio
import itertools
import math
import os
import resource
import time
import traceback
from dataclasses import dataclass, field

from ..context import Violation
from . import audit
from .visits import Visit
from .world import World

# Waiting visits use no processor.
BUSY_AT_ONCE = 6
STALLED_AT_ONCE = 200
# If this process is scheduled late, it starts no more visits: the proxy would be the one that stalls.
MOST_LAG_SECONDS = 0.3


@dataclass
class Result:
    """The result of a share."""

    visits: int = 0
    left_off: int = 0
    trials: int = 0
    reached: list = field(default_factory=list)
    longest_wait: float = 0.0
    found: list = field(default_factory=list)


def share(lifesignal, server, folder, visits, seconds=math.inf):
    """Runs the visits, (scenario, trials) each, that can start in time, and returns a `Result`."""
    os.makedirs(folder, mode=0o700)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    return asyncio.run(Share(lifesignal, server, folder, visits, seconds).run())


class Share:
    def __init__(self, lifesignal, server, folder, visits, seconds=math.inf):
        self.world = World(lifesignal, server, folder)
        self.visits = visits
        self.deadline = time.monotonic() + seconds
        self.lag = 0.0
        self.result = Result()

    async def run(self):
        asyncio.set_child_watcher(watcher := asyncio.PidfdChildWatcher())
        watcher.attach_loop(asyncio.get_running_loop())
        numbers = range(1, len(self.visits) + 1)
        # Visits that sign in by themselves have no account before.
        known = [number for number, (scenario, _) in zip(numbers, self.visits) if scenario != "sign-in"]
        await self.world.make(known)
        measuring = asyncio.ensure_future(self.measure_lag())
        try:
            visits = [Visit(self.world, number, *visit) for number, visit in zip(numbers, self.visits)]
            is_slow = {visit: any(trial.mode == "stall" for trial in visit.trials.values()) for visit in visits}
            slow = self.all([visit for visit in visits if is_slow[visit]], stalled_at_once())
            quick = self.all([visit for visit in visits if not is_slow[visit]], BUSY_AT_ONCE)
            done = list(itertools.chain(*await asyncio.gather(slow, quick)))
            async for visit, text in audit.faults_of(self.world, done):
                self.note(visit, text)
            await self.world.end_server()
        finally:
            measuring.cancel()
            await self.world.kill()
        return self.result

    async def measure_lag(self):
        while True:
            start = time.monotonic()
            await asyncio.sleep(0.05)
            self.lag = time.monotonic() - start - 0.05

    async def all(self, visits, at_once):
        """Performs them, so many at once, and gives those without a fault."""
        waiting = iter(visits)
        done = []

        async def perform():
            for visit in waiting:
                while self.lag > MOST_LAG_SECONDS and time.monotonic() < self.deadline:
                    await asyncio.sleep(0.2)
                if time.monotonic() > self.deadline:
                    self.result.left_off += len(visit.trials)
                elif await self.perform(visit):
                    done.append(visit)

        await asyncio.gather(*(perform() for _ in range(at_once)))
        return done

    async def perform(self, visit):
        try:
            await visit.perform()
            return True
        except Violation as broken:
            self.note(visit, str(broken))
        except Exception:
            self.note(visit, traceback.format_exc())
        finally:
            self.result.visits += 1
            self.result.trials += len(visit.trials)
            self.result.reached += visit.reached
            self.result.longest_wait = max(self.result.longest_wait, visit.waited)
        return False

    def note(self, visit, text):
        names = [str(trial) for trial in visit.trials.values()] or [f"{visit.scenario} without a cut"]
        self.result.found += [(name, text) for name in names]


def lengths(lifesignal, server, folder, scenarios):
    """Each scenario once without a cut: the lengths of its exchanges, [request, answer] each, by scenario."""
    os.makedirs(folder, mode=0o700)
    return asyncio.run(measure(lifesignal, server, folder, scenarios))


def watchers():
    """The system's limit of file watchers."""
    with open("/proc/sys/fs/inotify/max_user_instances", encoding="ascii") as file:
        return int(file.read())


def stalled_at_once():
    """Each device watches its home; without a watcher it only looks from time to time."""
    return min(STALLED_AT_ONCE, watchers() // 5)


async def measure(lifesignal, server, folder, scenarios):
    share = Share(lifesignal, server, folder, [(scenario, []) for scenario in scenarios])
    measured = {}
    perform = share.perform

    async def remember(visit):
        is_well = await perform(visit)
        measured[visit.scenario] = visit.lengths
        return is_well

    share.perform = remember
    result = await share.run()
    if result.found:
        raise Violation("without any cut: " + "\n".join(text for _, text in result.found))
    return measured
