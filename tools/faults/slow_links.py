"""Alerts on slow, lossy, silent or changing links, while other work waits.

The real programs, each in a network namespace, with TLS, over an emulated link. Every case measures the time from the press
until the server's acceptance is stored on the device: for the same alert alone, and with other work (I14).
"""

import threading
import time

from .context import require
from .paths.lab import NAME, PORTAL, SERVER, Lab, require_namespaces
from .paths.resolver import Resolver

NAMES = ("slow-links",)
# The limit for an emergency, as a multiple of the same alert alone (I14) …
RATIO = 2
# … plus an allowance for a busy machine and for polling.
SLACK_SECONDS = 1.0
# Allowed for the end of a routine exchange in flight.
HANDOVER_SECONDS = 1.5
# A silent peer is given up for another connection after this.
SILENCE_SECONDS = 3
# The longest time: whatever is not accepted by then counts as never accepted.
MOST_SECONDS = 100
ACTIVE = "SELECT count(*) FROM alerts WHERE ended_at IS NULL AND accepted_at IS NOT NULL"
ENDED = "SELECT count(*) = 0 FROM alerts WHERE end_accepted_at IS NULL"
# Contacts beyond the server's limit are refused, and stay queued.
EMPTY = "SELECT count(*) = 0 FROM pending_mutations WHERE parked_at IS NULL"


class Case:
    def __init__(self, name, perform):
        self.name, self.perform = name, perform

    def __str__(self):
        return self.name


def add_contacts(lab, count):
    for number in range(count):
        lab.device.done(
            "contacts", "add", f"+1202555{number % 10_000:04}", "--name", f"Contact {number} {'x' * 60}", "--responder",
            "--channel", f"https://r{number}.example/{'y' * 40}")


def time_alert(lab, what):
    seconds = lab.raise_alert(MOST_SECONDS)
    require(seconds is not None, f"{what}: not accepted in {MOST_SECONDS} s")
    return seconds


def end_alert(lab):
    """On a perfect link, with the device as before except for its history."""
    lab.link.set()
    lab.device.done("alert", "deactivate", "--yes")
    lab.device.run("sync")
    require(lab.wait_for(ENDED, 30), "the end was not accepted on a perfect link")


def compare(figures, name, alone, company, extra=0.0):
    figures[name] = {"alone": round(alone, 2), "in company": round(company, 2)}
    most = RATIO * alone + SLACK_SECONDS + extra
    require(company <= most, f"accepted after {company:.2f} s, alone after {alone:.2f} s: more than {most:.2f} s")


def one_command(kilobits, round_trip_ms, loss, edits):
    """A device without a worker: the command that raises the alert sends it."""
    def perform(context, lab, name, figures):
        lab.link.set(kilobits, round_trip_ms, loss)
        alone = time_alert(lab, "alone")
        end_alert(lab)
        add_contacts(lab, edits)
        lab.link.set(kilobits, round_trip_ms, loss)
        # A lost packet costs some seconds, alone or not: this case does not test chance.
        compare(figures, name, alone, time_alert(lab, f"with {edits} edits waiting"), extra=9 if loss else 0)
    return perform


def busy_worker(kilobits, round_trip_ms, edits):
    """A worker that is uploading an address book when the alert is raised."""
    def perform(context, lab, name, figures):
        add_contacts(lab, edits)
        lab.link.set(kilobits, round_trip_ms)
        lab.worker()
        waiting = f"SELECT count(*) < {edits} AND count(*) > 0 FROM pending_mutations"
        require(lab.wait_for(waiting, 60) is not None, "the worker did not begin to send the edits")
        company = time_alert(lab, f"beside {edits} edits")
        lab.link.set()
        require(lab.wait_for(EMPTY, 60) is not None, "the edits were not sent on a perfect link")
        end_alert(lab)
        lab.link.set(kilobits, round_trip_ms)
        # The alert alone uses the kept connection.
        time.sleep(1)
        alone = time_alert(lab, "alone")
        # The request in flight is awaited, or cancelled and reconnected: one to three more round trips.
        compare(figures, name, alone, company, extra=HANDOVER_SECONDS)
    return perform


def dead_connection(context, lab, name, figures):
    """A middlebox forgets the worker's connections, and neither end is told."""
    worker(lab)
    alone = time_alert(lab, "alone")
    end_alert(lab)
    time.sleep(1)
    lab.link.kill_connections()
    compare(figures, name, alone, time_alert(lab, "over a dead connection"), extra=SILENCE_SECONDS)


def flapping(context, lab, name, figures):
    """Answers take 6 s, and an unrelated address comes and goes every 2.5 s."""
    worker(lab)
    lab.link.down.delay = 6
    alone = time_alert(lab, "alone")
    end_alert(lab)
    time.sleep(1)
    lab.link.down.delay = 6
    over = threading.Event()

    def flap():
        while not over.is_set():
            lab.near.ip("addr", "add", "10.99.0.9/32", "dev", "lo")
            over.wait(1.25)
            lab.near.ip("addr", "del", "10.99.0.9/32", "dev", "lo")
            over.wait(1.25)

    thread = threading.Thread(target=flap)
    thread.start()
    try:
        compare(figures, name, alone, time_alert(lab, "beside an address that flaps"))
    finally:
        over.set()
        thread.join()


def lying_portal(context, lab, name, figures):
    """The server's name first resolves to a portal, as before a Wi-Fi log-in."""
    with Resolver(lab.far.path, SERVER, {NAME: PORTAL}) as resolver:
        lab.resolve_by(SERVER)
        lab.device.done("config", "set", "endpoint", f"https://{NAME}:8443")
        lab.worker()
        time.sleep(1)
        pressed = time.monotonic()
        timer = threading.Timer(3, lambda: resolver.names.update({NAME: SERVER}))
        timer.start()
        try:
            seconds = time_alert(lab, "behind a portal that lies")
        finally:
            timer.cancel()
        require(resolver.asked > 0, "nobody asked for the server's name")
        require(seconds >= 3, f"accepted after {seconds:.2f} s, by a server that could not be found for 3 s ({pressed})")
    figures[name] = {"alone": 3.0, "in company": round(seconds, 2)}
    # The lie ends after 3 s; failed requests are retried within 4 s, and one may have started just before.
    require(seconds <= 3 + 4 + SILENCE_SECONDS + SLACK_SECONDS, f"the lie was over after 3 s, and the alert accepted after {seconds:.2f} s")


def worker(lab):
    lab.worker()
    time.sleep(1.5)


CASES = [
    Case("16 kbit/s, 600 ms, 60 edits waiting", one_command(16, 600, 0, 60)),
    Case("64 kbit/s, a worker with 60 edits", busy_worker(64, 0, 60)),
    Case("a dead connection", dead_connection),
    Case("an address that flaps", flapping),
    Case("a portal that lies", lying_portal),
]
LONG_CASES = [
    Case("16 kbit/s, 60 edits waiting", one_command(16, 0, 0, 60)),
    Case("64 kbit/s, 10 % loss, 60 edits waiting", one_command(64, 100, 0.1, 60)),
    Case("64 kbit/s, a worker with 400 edits", busy_worker(64, 0, 400)),
    Case("16 kbit/s, 600 ms, a worker with 400 edits", busy_worker(16, 600, 400)),
]


def run(context):
    require_namespaces()
    figures = {}

    def perform(case):
        with Lab(context, context.scratch(str(case).replace("/", " ")), str(case)) as lab:
            case.perform(context, lab, str(case), figures)
        context.count(faults=1)

    cases = CASES + (LONG_CASES if context.is_long else [])
    # Most of the time they wait.
    context.each(cases, perform, workers=len(CASES))
    for name, pair in sorted(figures.items()):
        print(f"  {name}: {pair['in company']} s, alone {pair['alone']} s", flush=True)
    return {"slowest_seconds": max((pair["in company"] for pair in figures.values()), default=0)}
