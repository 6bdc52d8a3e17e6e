"""System calls that fail, or that kill the process: at every call of `sync`, and of the server that answers it."""

import os
import tempfile

from . import strace
from .context import Violation, require
from .exchange import Exchange

NAMES = ("sync-calls", "server-calls")
KINDS = {**strace.KINDS, **strace.NETWORK_KINDS}
# The valid exit statuses of `sync`: done, refused by the server, not saved, unreachable, not signed in.
STATUSES = (0, 69, 73, 75, 77)
# After this time the server is not expected to report that it listens: perhaps that message could not be written.
SILENCE_SECONDS = 5


class Case:
    def __init__(self, exchange, fault):
        self.exchange, self.fault = exchange, fault

    def __str__(self):
        return str(self.fault)


def sync_with(exchange, fault):
    """`sync` with a fault, then without one."""
    with exchange.place() as place:
        place.server.start()
        answer = strace.run_with(exchange.context, fault, place.device, "sync")
        # 74: the answer could not be written.
        allowed = (*STATUSES, 74) if fault.call == "write" else STATUSES
        require(fault.kind == "KILL" or answer.status in allowed, f"no status of `sync`: {answer}")
        if answer.status == 0:
            exchange.check_sent(place)
        else:
            require(fault.kind == "KILL" or answer.err.strip() or fault.call == "write", f"it failed without a word: {answer}")
        again = place.device.done("sync")
        exchange.check_sent(place)
        require("still to be sent" not in again.out, f"it is not all sent: {again}")


def serve_with(exchange, fault):
    """A server with a fault, and a device that sends to it; then the server without one."""
    with exchange.place() as place:
        with tempfile.NamedTemporaryFile(dir=exchange.context.folder) as trace:
            answer = serve(place, fault, strace.before(trace.name, *fault.options))
            injected = strace.Trace(trace.name).injected
            exchange.context.count(faults=injected, unreached=not injected)
        if answer and answer.status == 0:
            exchange.check_received(place)
        place.server.start()
        place.device.done("sync")
        exchange.check_sent(place)


def serve(place, fault, before):
    """The answer of the device's `sync`, after ending the server; None if the server never listened."""
    try:
        place.server.start(before, timeout=SILENCE_SECONDS)
    except Violation as end:
        silent = fault.call == "write" and "did not say" in str(end)
        told = "lifesignal-server:" in str(end) and "did not say" not in str(end)
        require(fault.kind == "KILL" or silent or told, f"it does not say why it ends: {end}")
        return None
    answer = place.device.run("sync")
    require(answer.status in STATUSES, f"no status of `sync`: {answer}")
    running = place.server.process.poll() is None
    require(running or fault.kind == "KILL", f"the server ended by itself with {place.server.process.poll()}")
    # If the fault should have killed it, nothing else may.
    place.server.end() if fault.kind == "KILL" else place.server.kill()
    return answer


def faults_of_sync(exchange):
    with exchange.place() as place:
        place.server.start()
        beginning = (os.path.join(place.device.home, "store.lock"),)
        return strace.faults_in(
            lambda before: place.device.done("sync", before=before), exchange.context.folder, beginning, KINDS)


def faults_of_server(exchange):
    with exchange.place() as place:

        def perform(before):
            place.server.start(before)
            place.device.done("sync")
            place.server.end()

        return strace.faults_in(perform, exchange.context.folder, (place.server.database,), KINDS)


def run(context):
    strace.require_strace()
    exchange = Exchange(context)
    faults, perform = {"sync-calls": (faults_of_sync, sync_with), "server-calls": (faults_of_server, serve_with)}[context.part]
    cases = [Case(exchange, fault) for fault in faults(exchange)]
    context.each(cases, lambda case: perform(exchange, case.fault))
    return {}
