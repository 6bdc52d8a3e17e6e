"""One function per measurement: runs it and returns its figures. Ratios are ours to the limit's unless stated otherwise."""

import json
import os
import statistics
import subprocess
import time
import urllib.request

import devices


def output_of(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def with_ratio(figures, ours, limit):
    """Adds the limit and the ratio if the limit was measured."""
    return figures | ({"limit": limit, "ratio": round(ours / limit, 2)} if limit else {})


def activation(bench):
    """Durable activations through the library, with commits of three rows, against the C loop with commits of two. Five
    alternating pairs, and the median of each figure."""
    ours, limits = [], []
    for pair in range(5):
        program = [bench.timings + "/activation-timing", "commits", bench.path(f"activation-{pair}"), "2000"]
        ours.append(json.loads(output_of(*program)))
        if "sqlbench" in bench.limits:
            answer = output_of(bench.limits["sqlbench"], bench.folder, "a", stderr=subprocess.DEVNULL)
            limits.append(json.loads(answer)["commits_s"])
    figures = {name: statistics.median(run[name] for run in ours) for name in ours[0]}
    if not limits:
        return figures
    ratios = [run["commits_s"] / limit for run, limit in zip(ours, limits)]
    return figures | {"limit": statistics.median(limits), "ratio": round(statistics.median(ratios), 2)}


def command(bench):
    """`alert activate --yes --no-sync` from start to exit, against commit.c; ratio of times, aim at most 2."""
    home = bench.home("command")
    activate = f"{bench.lifesignal} --home {home} alert activate --yes --no-sync"
    deactivate = f"{bench.lifesignal} --home {home} alert deactivate --yes --no-sync"
    limit = bench.limits.get("commit")
    beside = f"{limit} {bench.path('commit.sqlite')}" if limit else "/bin/true"
    return json.loads(output_of(bench.timings + "/spawn-timing", "200", beside, activate, deactivate))


def drain(bench):
    """10,000 queued mutations through `sync` to the embedded server, against the C drain to its durable server."""
    count = 10_000
    home = bench.home("drain")
    with bench.server() as server:
        server.sign_in(home, "+12025550123")
        output_of(bench.timings + "/activation-timing", "contacts", home, str(count))
        start = time.monotonic()
        report = json.loads(output_of(bench.lifesignal, "--home", home, "--json", "sync"))
        seconds = time.monotonic() - start
    if report["pushed"] != count or report["pending"] != 0:
        raise RuntimeError(f"not drained: {report}")
    figures = {"mutations": count, "seconds": round(seconds, 3), "mutations_s": round(count / seconds)}
    limit = None
    if "drain" in bench.limits:
        port = "18099"
        with devices.process([bench.limits["dserver"], port, bench.path("d.sqlite")], stdout=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            answer = output_of(bench.limits["drain"], f"http://127.0.0.1:{port}/", bench.path("o.sqlite"), "500", str(count))
        limit = json.loads(answer)["mutations_s"]
    return with_ratio(figures, figures["mutations_s"], limit)


def latency(bench):
    """From the start of `alert activate` online to the webhook's arrival, without a running worker."""
    home = bench.home("latency")
    samples = []
    with bench.server() as server, devices.receiver() as (url, arrivals):
        server.sign_in(home, "+12025550124")
        bench.run(home, "contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", url)
        bench.run(home, "sync")
        for _ in range(30):
            start = time.monotonic()
            bench.run(home, "alert", "activate", "--yes")
            samples.append((arrivals.get(timeout=10)[0] - start) * 1000)
            bench.run(home, "alert", "deactivate", "--yes")
            arrivals.get(timeout=10)
    samples.sort()
    return {"runs": len(samples), "p50_ms": round(statistics.median(samples), 1), "max_ms": round(samples[-1], 1)}


def idle(bench):
    """An idle worker for a minute, with the server's heartbeat every 25 s."""
    home = bench.home("idle")
    seconds = 60
    with bench.server() as server:
        server.sign_in(home, "+12025550125")
        with devices.process([bench.lifesignal, "--home", home, "sync", "--watch"], stdout=subprocess.DEVNULL) as worker:
            time.sleep(5)
            before, started = context_switches(worker.pid), time.monotonic()
            time.sleep(seconds)
            switches = context_switches(worker.pid) - before
            elapsed = time.monotonic() - started
            resident = int(status_field(worker.pid, "VmRSS"))
    return {"seconds": round(elapsed), "context_switches": switches, "resident_mib": round(resident / 1024, 1)}


def answer(bench):
    """From a responder's press on their page to the line that `alert watch` writes; aim: p99 at most 300 ms."""
    samples = []
    with bench.server() as server:
        # Each on a device of its own: after thirty fetches at once a device fetches every other second.
        for number in range(8):
            with devices.receiver() as (url, arrivals):
                samples += answers(bench, server, url, arrivals, number)
    return quantiles(samples)


def answers(bench, server, url, arrivals, number):
    """The times on one device, in milliseconds, without the first press, which waits for the event stream."""
    home = bench.home(f"answer-{number}")
    server.sign_in(home, f"+1202555013{number}")
    bench.run(home, "contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", url)
    bench.run(home, "sync")
    bench.run(home, "alert", "activate", "--yes")
    page = json.loads(arrivals.get(timeout=10)[1])["data"]["page_url"]
    samples = []
    with devices.process([bench.lifesignal, "--home", home, "--json", "alert", "watch"], stdout=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        # What they say changes each time.
        for answer, told in [("on_my_way", "on the way"), ("there", "there")] * 12:
            start = time.monotonic()
            urllib.request.urlopen(page + "/acknowledgements", f"answer={answer}".encode(), timeout=10).close()
            next(line for line in child.stdout if '"event":"receipt"' in line and f'"reason":"{told}"' in line)
            samples.append((time.monotonic() - start) * 1000)
    bench.run(home, "alert", "deactivate", "--yes")
    return samples[1:]


def quantiles(samples):
    samples.sort()
    return {
        "samples": len(samples), "p50_ms": round(statistics.median(samples), 1),
        "p99_ms": round(samples[len(samples) * 99 // 100], 1), "max_ms": round(samples[-1], 1)}


def inbox(bench):
    """From the start of `alert activate` to the line of `inbox --watch` on a responder's own device; aim at most 1,000 ms."""
    person, responder = bench.home("inbox-person"), bench.home("inbox-responder")
    samples = []
    with bench.server() as server:
        # Not of other measurements: their contacts are still there.
        server.sign_in(person, "+12025550128")
        server.sign_in(responder, "+12025550147")
        bench.run(person, "contacts", "add", "+12025550147", "--name", "Ana", "--responder")
        bench.run(person, "sync")
        watch = [bench.lifesignal, "--home", responder, "--json", "inbox", "--watch"]
        with devices.process(watch, stdout=subprocess.PIPE, text=True) as child:
            # After thirty fetches at once a device fetches every other second.
            for _ in range(13):
                start = time.monotonic()
                bench.run(person, "alert", "activate", "--yes")
                next(line for line in child.stdout if '"event":"raised"' in line)
                samples.append((time.monotonic() - start) * 1000)
                bench.run(person, "alert", "deactivate", "--yes")
                next(line for line in child.stdout if '"event":"ended"' in line)
    # The first one waits for the event stream.
    return quantiles(samples[1:])


def context_switches(process):
    """Voluntary context switches of all threads: each is one wake-up."""
    tasks = os.listdir(f"/proc/{process}/task")
    return sum(int(status_field(f"{process}/task/{task}", "voluntary_ctxt_switches")) for task in tasks)


def status_field(process, name):
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(line.split()[1] for line in file if line.startswith(name + ":"))


def store(bench):
    """The runtime of the features: `Store.send` of a counter (aim 200 ns), sequential effects with their actions (aim 60,000 ns)
    and 100,000 at once (aim 10,000 ns), against a store of forty lines without a library; and `send` with a view observing the
    store. Five pairs, medians."""
    ours, limits = [], []
    for _ in range(5):
        ours.append(json.loads(output_of(bench.timings + "/store-timing")))
        if "floor" in bench.limits:
            lines = output_of(bench.limits["floor"], "send", "seq", "burst").splitlines()
            limits.append(dict(zip(ours[0], (json.loads(line)["ns_each"] for line in lines))))
    figures = {}
    for name in ours[0]:
        median = statistics.median(run[name] for run in ours)
        limit = statistics.median(run[name] for run in limits) if name in (limits or [{}])[0] else None
        figures[name] = with_ratio({"ours": median}, median, limit)
    return figures


ALL = {
    "activation": activation, "command": command, "drain": drain, "latency": latency, "answer": answer, "inbox": inbox, "idle": idle, "store": store
}
