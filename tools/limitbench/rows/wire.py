"""How soon an alert is on its way, and at a responder's webhook."""

import subprocess
import time

from .. import stores
from ..devices import Device, process, receiver, server
from ..figures import Figure, at_most, percentile
from ..relay import relay
from ..tls import certificate

TIME = "ms"


def behind_queue(context):
    """a new alert while 100,000 queued items are being sent: from its commit until it is on the wire"""
    count, alerts = context.size((100_000, 20), (20_000, 5))
    device, delays = Device(context, "behind"), []
    with server(context) as ours, relay(ours.port) as way:
        ours.sign_in(device, "+12025550127", way.url)
        device.run("sync")
        device.add_responder()
        stores.fill_queue(device, count - 1)
        with Raiser(context, device) as raise_or_end, device.worker():
            while len(delays) < alerts and stores.pending(device) > count // 20:
                way.watch_for(b'"alert.activate"')
                committed = raise_or_end()[1]
                delays.append(max(0.0, way.wait() - committed) * 1000)
                way.watch_for(b'"alert.deactivate"')
                raise_or_end()
                way.wait()
    if len(delays) < 3:
        raise RuntimeError("the queue was sent before the alerts were")
    yield Figure(f"a new alert behind {count:,} queued: commit to wire, p50", TIME, [percentile(delays, 0.5)], [], at_most(5))
    yield Figure(f"  slowest of {len(delays)}", TIME, [max(delays)], [], at_most(5))


class Raiser:
    """`alert-timing` on a device: each call raises an alert or ends it, and gives when it was called and when it was durable."""

    def __init__(self, context, device):
        self.child = subprocess.Popen(
            [context.programs["alert-timing"], device.home], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __call__(self):
        self.child.stdin.write("\n")
        self.child.stdin.flush()
        return [float(word) for word in self.child.stdout.readline().split()]

    def __exit__(self, *_):
        self.child.stdin.close()
        self.child.wait()


def webhook(context):
    """an alert to a responder's webhook, over TLS, with a running worker: from the command's start, and from the commit"""
    chain, key = certificate(context.path("tls"))
    device, rounds = Device(context, "webhook"), context.size(100, 10)
    with server(context, "--tls-certificate", chain, "--tls-key", key) as ours, receiver() as (url, arrivals):
        device.run("config", "set", "ca_file", chain)
        ours.sign_in(device, "+12025550124")
        device.add_responder(url)
        device.run("sync")
        with device.worker():
            time.sleep(1)
            commands = [command_delay(device, arrivals) for _ in range(rounds)]
            with Raiser(context, device) as raise_or_end:
                commits = [commit_delay(raise_or_end, arrivals) for _ in range(rounds)]
    # The first one opens connections.
    for what, delays in (("command's start", commands[1:]), ("commit", commits[1:])):
        aims = (at_most(8), at_most(30)) if what != "commit" else (None, None)
        for share, aim in zip((0.5, 0.99), aims):
            name = f"alert → webhook, TLS, from the {what}, p{share * 100:.0f}"
            yield Figure(name, TIME, [percentile(delays, share)], [], aim)


def command_delay(device, arrivals):
    start = time.monotonic()
    with process(device.command("alert", "activate", "--yes"), stdout=subprocess.DEVNULL) as child:
        arrived = arrivals.get(timeout=30)[0]
        child.wait(timeout=30)
    device.run("alert", "deactivate", "--yes")
    arrivals.get(timeout=30)
    return (arrived - start) * 1000


def commit_delay(raise_or_end, arrivals):
    committed = raise_or_end()[1]
    arrived = arrivals.get(timeout=30)[0]
    raise_or_end()
    arrivals.get(timeout=30)
    return (arrived - committed) * 1000
