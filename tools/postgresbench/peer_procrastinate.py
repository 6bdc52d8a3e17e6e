"""One step of a measurement of procrastinate, in its own virtual environment: peer_procrastinate.py '{"step": …, "url": …}'.

`fill` makes `count` jobs that do nothing. `work` does jobs until none is left, and prints when it began and ended.
"""

import asyncio
import json
import logging
import sys
import time

import procrastinate

BLOCK = 1000


def made(request):
    # Each worker's listener keeps a connection, and claims and completions take one for a moment.
    most = 3 * request.get("workers", 1) + 1
    app = procrastinate.App(
        connector=procrastinate.PsycopgConnector(conninfo=request["url"], min_size=most, max_size=most))

    @app.task(name="nothing")
    async def nothing():
        app.done += 1

    app.done = 0
    return app, nothing


async def fill(request):
    app, nothing = made(request)
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        for start in range(0, request["count"], BLOCK):
            await nothing.batch_defer_async(*[{} for _ in range(min(BLOCK, request["count"] - start))])
        await app.connector.execute_query_async("ANALYZE")


async def work(request):
    app, _ = made(request)
    # Finished jobs leave the table, as its documentation advises; a worker returns when the queue is empty and all are recorded.
    options = {"concurrency": request["concurrency"], "wait": False, "delete_jobs": "always", "install_signal_handlers": False}
    async with app.open_async():
        begun = time.perf_counter()
        await asyncio.gather(*[app.run_worker_async(**options) for _ in range(request["workers"])])
        print(json.dumps({"completed": app.done, "begun": begun, "ended": time.perf_counter()}))


logging.disable(logging.CRITICAL)
asked = json.loads(sys.argv[1])
asyncio.run({"fill": fill, "work": work}[asked["step"]](asked))
