"""How much simulated time a second of one core gets through."""

import json
import os
import subprocess

from ..figures import Figure, at_least


def simulator(context):
    """`lifesignal-simulate`: device-minutes a second of one core"""
    seeds, rates = context.size(20, 1), []
    for number in context.rounds:
        first = 1 + number * seeds
        rates.append(rate(context, first, first + seeds - 1))
    yield Figure("simulator, device-minutes", "a second", rates, [], at_least(1500))


def rate(context, first, last):
    """Of the processor's seconds, which other programs do not take from it."""
    with subprocess.Popen([context.programs["lifesignal-simulate"], "--seeds", f"{first}..{last}"], stdout=subprocess.PIPE) as child:
        text = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"the simulator ended with {child.returncode}")
    return json.loads(text.splitlines()[-1])["device_minutes"] / (usage.ru_utime + usage.ru_stime)
