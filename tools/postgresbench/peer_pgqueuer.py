"""One step of a measurement of pgqueuer, in its own virtual environment: peer_pgqueuer.py '{"step": …, "url": …}'.

`fill` makes `count` jobs that do nothing. `work` does jobs until none is left. `span` prints how long that took, from the first claim to
the last completion, as pgqueuer's own record of jobs has them: its workers end some time after the last job.
"""

import asyncio
import json
import logging
import sys

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode

BLOCK = 1000
SPAN = """
SELECT extract(epoch FROM max(created) FILTER (WHERE status = 'successful') - min(created) FILTER (WHERE status = 'picked')),
  count(*) FILTER (WHERE status = 'successful') FROM pgqueuer_log
"""


async def fill(request):
    connection = await asyncpg.connect(request["url"])
    queries = Queries(AsyncpgDriver(connection))
    await queries.install()
    # Its documentation advises this for its tables. They stay durable, which is the default.
    await queries.optimize_autovacuum()
    for start in range(0, request["count"], BLOCK):
        count = min(BLOCK, request["count"] - start)
        await queries.enqueue(["nothing"] * count, [None] * count, [0] * count)
    await connection.execute("ANALYZE")


async def work(request):
    await asyncio.gather(*[consume(request) for _ in range(request["workers"])])


async def consume(request):
    queue = PgQueuer(AsyncpgDriver(await asyncpg.connect(request["url"])))

    @queue.entrypoint("nothing")
    async def nothing(job):
        pass

    await queue.run(batch_size=request["batch"], mode=QueueExecutionMode.drain)


async def span(request):
    connection = await asyncpg.connect(request["url"])
    seconds, completed = await connection.fetchrow(SPAN)
    print(json.dumps({"completed": completed, "begun": 0, "ended": float(seconds)}))


logging.disable(logging.CRITICAL)
asked = json.loads(sys.argv[1])
uvloop.run({"fill": fill, "work": work, "span": span}[asked["step"]](asked))
