"""How it grows: charts by name. Each is a function of the context, and gives a chart."""

import json
import os
import time

from serverbench.server import Account, Server, contact, new_id

from . import stores
from .chart import Chart, Series, draw
from .devices import Device, line_server
from .rows.drain import drained, limit_rate
from .rows.exchange import measure, people, plain_clients

BESIDE = "by hand"


def latency_history(context):
    """what raising an alert, reading the newest 50 and `alert status` take, against the length of the history"""
    lines = {"activation, p50": [], "activation, p99": [], "newest 50": [], "alert status, whole command": []}
    for count in context.size((1_000, 10_000, 100_000, 1_000_000, 10_000_000), (1_000, 10_000, 50_000)):
        device = Device(context, "history")
        stores.fill_history(device.store, count)
        status = context.ours("spawn-timing", context.size(20, 5), "/bin/true", " ".join(device.command("alert", "status")))
        page = context.ours("history-timing", device.home, context.size(500, 100))
        commits = context.ours("activation-timing", "commits", device.home, context.size(1000, 200))
        values = (commits["activation_p50_us"], commits["activation_p99_us"], page["p50_us"], status["b_us"])
        for points, value in zip(lines.values(), values):
            points.append((count, value))
    series = [Series(name, points) for name, points in lines.items()]
    return Chart("Latency against the history", "alerts in the history", "µs", series)


def drain_queue(context):
    """how fast a queue is sent, against its length"""
    counts = context.size((100, 1_000, 10_000, 100_000), (100, 1_000, 3_000))
    ours = [(count, count / drained(context, count)[0]) for count in counts]
    limit = [(count, limit_rate(context, count)) for count in counts]
    series = [Series("lifesignal sync", ours), Series(BESIDE, limit, is_limit=True)]
    return Chart("Drain rate against the queue, batches of 500", "items in the queue", "items a second", series)


def drain_batch(context):
    """how fast the server takes changes, against how many come in one exchange"""
    batches, count = (1, 5, 20, 100, 500), context.size(10_000, 1_000)
    with Server(context.programs["lifesignal-server"], context.folder, database=context.path("server.sqlite")) as server:
        ours = [(batch, server_rate(server, batch, min(count, batch * 1000))) for batch in batches]
    limit = [(batch, limit_rate(context, min(count, batch * 1000), batch)) for batch in batches]
    series = [Series("the server", ours), Series(f"queue and server {BESIDE}", limit, is_limit=True)]
    return Chart("Drain rate against the batch", "changes in one exchange", "changes a second", series)


def server_rate(server, batch, count):
    """Changes of a contact a second that are accepted from one client, in exchanges of so many. The requests are made before."""
    account, person = Account(server), new_id()
    account.sync()
    bodies = []
    for start in range(0, count, batch):
        mutations = [contact(f"Ana {number}", (), person) for number in range(start, min(start + batch, count))]
        body = {"device_id": account.device, "cursor": account.cursor, "mutations": mutations, "notifications": [], "limit": 1}
        bodies.append(json.dumps(body))
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + account.token}
    begun = time.perf_counter()
    for body in bodies:
        account.connection.request("POST", "/v1/sync", body, headers)
        answer = account.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"changes were answered with {answer.status}: {text[:200]!r}")
    return count / (time.perf_counter() - begun)


def memory_queue(context):
    """the peak memory of commands, against the length of the queue"""
    sync, activate, status = [], [], []
    for count in context.size((100, 1_000, 10_000, 100_000), (100, 1_000, 3_000)):
        sync.append((count, drained(context, count)[1]))
        device = Device(context, "memory")
        device.add_responder("https://hooks.example.org/ana")
        stores.fill_queue(device, count - 1)
        for points, words in ((status, ("alert", "status")), (activate, ("alert", "activate", "--yes", "--no-sync"))):
            run = context.ours("spawn-timing", 1, "/bin/true", " ".join(device.command(*words)))
            points.append((count, run["b_kib"] / 1024))
    series = [Series("sync", sync), Series("alert status", status), Series("alert activate --no-sync", activate)]
    return Chart("Peak memory against the queue", "items in the queue", "MiB", series, is_logarithmic=False)


def server_latency(context):
    """what the answer to a single alert takes, against how many clients send them at once"""
    ours, limit = [], []
    with Server(context.programs["lifesignal-server"], context.folder, database=context.path("server.sqlite")) as server:
        with line_server(context, "group") as port:
            for count in context.size((1, 4, 16, 64, 256), (1, 8, 64)):
                ours.append((count, measure(context, server.port, people(context, server, count))))
                limit.append((count, measure(context, port, plain_clients(context, count))))

    def line(name, runs, key, is_limit=False):
        return Series(name, [(count, run[key] / 1000) for count, run in runs], is_limit)

    series = [
        line("p50", ours, "p50_us"), line("p99", ours, "p99_us"), line(f"p50 {BESIDE}", limit, "p50_us", True),
        line(f"p99 {BESIDE}", limit, "p99_us", True)
    ]
    return Chart("Answer to a single alert against clients", "clients at once", "ms", series)


ALL = {
    function.__name__.replace("_", "-"): function
    for function in (latency_history, drain_queue, drain_batch, memory_queue, server_latency)
}


def draw_all(context, folder, names):
    """Writes a file for each of these charts, or for all."""
    os.makedirs(folder, exist_ok=True)
    for name in names or ALL:
        path = os.path.join(folder, f"performance-{name}.svg")
        with context.own_folder():
            chart = ALL[name](context)
        chart.title += " (quick sizes)" if context.is_quick else ""
        picture = draw(chart)
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture)
        print(path, flush=True)
    return 0
