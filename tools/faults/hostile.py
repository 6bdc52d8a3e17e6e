"""A server that lies, floods, stalls and breaks HTTP; and responders' channels that do."""

import asyncio
import itertools
import traceback

from .context import Violation
from .network import bad_answers, lies, responders, streams
from .network.hostile_visits import NOT_SIGNED_IN, REFUSED, UNREACHABLE, SignInVisit, SyncVisit, WatchVisit
from .network.world import World

NAMES = ("hostile-server", "hostile-responder")

QUICK_CASES = 40
AT_ONCE = 6
NO_LOSS = {0, REFUSED, UNREACHABLE}


def for_any(scripts):
    """Scripts that are the same for every visit, as functions of the visit."""
    return {name: lambda visit, script=script: script for name, script in scripts.items()}


def cases():
    """(name, kind of visit, its arguments except the world and the number), for everything."""
    for name, script in {**for_any(bad_answers.all_answers()), **streams.redirects()}.items():
        # Our own problem bodies are the server's refusal.
        allowed = {UNREACHABLE, REFUSED} if name in bad_answers.REFUSALS else {UNREACHABLE}
        yield f"sync: {name}", SyncVisit, name, script, allowed
        yield f"sign-in: {name}", SignInVisit, name, script, {UNREACHABLE, REFUSED}
        yield f"session: {name}", SignInVisit, name, streams.after_verification(script), {UNREACHABLE, REFUSED}
        yield f"watch: {name}", WatchVisit, name, script, {0}
    for name, script in for_any(lies.all_lies()).items():
        yield f"sync: {name}", SyncVisit, name, script, NO_LOSS
        yield f"watch: {name}", WatchVisit, name, script, {0}
    for name, script in for_any(streams.all_streams()).items():
        yield f"watch: {name}", WatchVisit, name, script, {0}
    for name, script in streams.sign_in_lies().items():
        yield f"sign-in: {name}", SignInVisit, name, script, {0, REFUSED, UNREACHABLE, NOT_SIGNED_IN}


def chosen(context):
    found = list(cases())
    if context.only:
        return [case for case in found if context.is_chosen(case[0])]
    if context.is_long:
        return found
    quick = [case for case in found if case[2] not in bad_answers.SLOW | lies.SLOW and case[1] is not WatchVisit]
    return context.random.sample(quick, QUICK_CASES)


def new_world(context):
    asyncio.set_child_watcher(watcher := asyncio.PidfdChildWatcher())
    watcher.attach_loop(asyncio.get_running_loop())
    return World(context.lifesignal, context.server, context.scratch("world"))


async def meet_all(context):
    """All cases, some at once; those that only wait beside them."""
    world = new_world(context)
    picked = chosen(context)
    numbers = itertools.count(1)
    visits = [(case[0], case[1](world, number, *case[2:])) for case, number in zip(picked, numbers)]
    try:
        await world.make([visit.number for _, visit in visits if not isinstance(visit, SignInVisit)])
        gates = {True: asyncio.Semaphore(100), False: asyncio.Semaphore(AT_ONCE)}
        await asyncio.gather(*(meet(context, name, visit, gates[is_slow(visit)]) for name, visit in visits))
        await world.end_server()
    finally:
        await world.kill()
    return [visit for _, visit in visits]


def is_slow(visit):
    return isinstance(visit, WatchVisit) or visit.name in bad_answers.SLOW | lies.SLOW


async def meet(context, name, visit, gate):
    async with gate:
        if not context.seconds_left and not context.only:
            context.count(left_off=1)
            return
        try:
            await visit.perform()
        except Violation as broken:
            context.violation(name, str(broken))
        except Exception:
            context.violation(name, traceback.format_exc())
        context.count(runs=1, faults=visit.requests)


async def meet_responders(context):
    """All of them together, as they would be: one case."""
    try:
        met = await responders.meet(new_world(context), waits_for_end=context.is_long)
    except Violation as broken:
        return context.violation("all channels", str(broken))
    attempts = sum(len(server.requests) for server in met.hostile.values())
    context.count(runs=len(met.scripts) + responders.GOOD_ACCOUNTS, faults=attempts)
    return {"most_memory_megabytes": met.memory // 1024, "longest_call_for_help_seconds": round(met.longest, 1)}


def run(context):
    if context.part == "hostile-responder":
        return asyncio.run(meet_responders(context))
    visits = asyncio.run(meet_all(context))
    if not visits:
        return {}
    return {
        "most_memory_megabytes": max(visit.memory for visit in visits) // 1024,
        "longest_wait_seconds": round(max(visit.seconds for visit in visits), 1),
    }
