"""How soon a person knows that somebody comes, and how soon a responder's own device shows the alert."""

import json
import subprocess
import time
import urllib.request

from ..devices import Device, process, receiver, server
from ..figures import Figure, at_most, percentile

TIME = "ms"


def answer(context):
    """a responder's press on their page until `alert watch` writes it"""
    samples = []
    with server(context) as ours:
        # Each on a device of its own: after thirty fetches at once a device fetches every other second.
        for number in range(context.size(8, 2)):
            with receiver() as (url, arrivals):
                samples += presses(context, ours, url, arrivals, number)
    yield Figure("a responder's press → alert watch, p50", TIME, [percentile(samples, 0.5)])
    yield Figure("a responder's press → alert watch, p99", TIME, [percentile(samples, 0.99)], [], at_most(300))


def presses(context, ours, url, arrivals, number):
    """The times on one device, without the first press, which waits for the event stream."""
    device, samples = Device(context, "answer"), []
    ours.sign_in(device, f"+1202555013{number}")
    device.add_responder(url)
    device.run("sync")
    device.run("alert", "activate", "--yes")
    page = json.loads(arrivals.get(timeout=10)[1])["data"]["page_url"]
    with process(device.command("--json", "alert", "watch"), stdout=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        # What they say changes each time.
        for said, told in [("on_my_way", "on the way"), ("there", "there")] * context.size(12, 3):
            start = time.monotonic()
            urllib.request.urlopen(page + "/acknowledgements", f"answer={said}".encode(), timeout=10).close()
            next(line for line in child.stdout if '"event":"receipt"' in line and f'"reason":"{told}"' in line)
            samples.append((time.monotonic() - start) * 1000)
    device.run("alert", "deactivate", "--yes")
    return samples[1:]


def inbox(context):
    """the start of `alert activate` until `inbox --watch` shows the alert on a responder's own device"""
    person, responder, samples = Device(context, "person"), Device(context, "responder"), []
    with server(context) as ours:
        ours.sign_in(person, "+12025550128")
        ours.sign_in(responder, "+12025550147")
        person.add_responder(phone="+12025550147")
        person.run("sync")
        with process(responder.command("--json", "inbox", "--watch"), stdout=subprocess.PIPE, text=True) as child:
            # After thirty fetches at once a device fetches every other second.
            for _ in range(context.size(13, 4)):
                start = time.monotonic()
                person.run("alert", "activate", "--yes")
                next(line for line in child.stdout if '"event":"raised"' in line)
                samples.append((time.monotonic() - start) * 1000)
                person.run("alert", "deactivate", "--yes")
                next(line for line in child.stdout if '"event":"ended"' in line)
    # The first one waits for the event stream.
    yield Figure("alert → a responder's own device, p50", TIME, [percentile(samples[1:], 0.5)])
    yield Figure("alert → a responder's own device, slowest", TIME, [max(samples[1:])], [], at_most(1000))
