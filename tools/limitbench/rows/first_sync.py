"""What a device fetches at its first exchanges."""

import time

from ..devices import Device, server
from ..figures import Figure, ratio_at_least, ratio_at_most
from ..processes import peak_mebibytes
from ..stores import fill_server, value
from .command import MEBIBYTES

RATE = "rows/s"
ROWS_PER_PAGE = 500
LOOK_SECONDS, MAXIMUM_SECONDS = 0.02, 900


def fetch(context, count):
    """Seconds and peak memory of the worker of a device whose account has so many alerts, until it has them all."""
    device = Device(context, "first-sync")
    with server(context) as ours:
        ours.sign_in(device, "+12025550126")
    fill_server(ours.database, count)
    with server(context, like=ours):
        start = time.monotonic()
        with device.worker() as worker:
            # The server counts them.
            while value(device.store, "SELECT coalesce(max(list_order), 0) FROM alerts") < count:
                if time.monotonic() > start + MAXIMUM_SECONDS:
                    raise RuntimeError(f"{count} alerts were not fetched in {MAXIMUM_SECONDS} s")
                time.sleep(LOOK_SECONDS)
            return time.monotonic() - start, peak_mebibytes(worker.pid)


def first_sync(context):
    """the first sync of 1,000,000 changes, beside rows inserted in one transaction, and in one for each 500; its memory"""
    count = context.size(1_000_000, 10_000)
    rates, peaks, small_peaks, bulk, pages = [], [], [], [], []
    for _ in context.rounds:
        seconds, peak = fetch(context, count)
        rates.append(count / seconds)
        peaks.append(peak)
        small_peaks.append(fetch(context, count // 10)[1])
        bulk.append(context.limit("bulk", context.path("bulk.sqlite"), count, count)["rows_per_second"])
        pages.append(context.limit("bulk", context.path("pages.sqlite"), count, ROWS_PER_PAGE)["rows_per_second"])
    yield Figure(f"first sync of {count:,} changes", RATE, rates, bulk, ratio_at_least(0.5))
    yield Figure(f"  beside a transaction for each {ROWS_PER_PAGE}", RATE, rates, pages)
    yield Figure("  peak memory, beside a tenth of the changes", MEBIBYTES, peaks, small_peaks, ratio_at_most(1.1))
