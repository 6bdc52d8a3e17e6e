"""What the server and the responders have of each account in the end (I3)."""

import asyncio
import time


def counted(world, query):
    connection = world.connect()
    try:
        return dict(connection.execute(query).fetchall())
    finally:
        connection.close()


async def settle(world, seconds=60):
    """Waits until every message to a responder has gone out."""
    deadline = time.monotonic() + seconds
    query = "SELECT 'queued', count(*) FROM deliveries WHERE state = 'queued'"
    while counted(world, query)["queued"] and time.monotonic() < deadline:
        await asyncio.sleep(0.1)


async def faults_of(world, visits):
    """Yields a visit and a text for each whose account is not as it has to be."""
    await settle(world)
    by_account = {
        "alerts": "SELECT account_id, count(*) FROM alerts GROUP BY account_id",
        "ends": "SELECT account_id, count(*) FROM alerts WHERE ended_at IS NOT NULL GROUP BY account_id",
        "contacts": "SELECT account_id, count(*) FROM contacts GROUP BY account_id",
        "messages": "SELECT account_id, count(*) FROM deliveries WHERE channel_url <> '' GROUP BY account_id",
        "messages sent": "SELECT account_id, count(*) FROM deliveries WHERE state = 'sent' GROUP BY account_id",
        "open sessions": "SELECT account_id, count(*) FROM sessions WHERE ended_at IS NULL GROUP BY account_id",
        "alert keys": "SELECT account_id, count(*) FROM sessions WHERE alert_key_ended_at IS NULL GROUP BY account_id",
    }
    counts = {name: counted(world, query) for name, query in by_account.items()}
    ids = counted(world, "SELECT phone, id FROM accounts")
    for visit in visits:
        account = visit.device.account
        found = {name: values.get(ids[account.phone], 0) for name, values in counts.items()}
        found |= {" ".join(key): count for key, count in world.receiver.of(account.name).items()}
        for name, count in wanted(visit).items():
            allowed = count if isinstance(count, tuple) else (count,)
            if found.get(name, 0) not in allowed:
                yield visit, f"{name}: {found.get(name, 0)} in place of {count}. All: {found}"


def wanted(visit):
    """What the account of a visit must have, by the names above."""
    called = {"alerts": 1, "contacts": 1, "hook help": 1, "topic help": 1, "open sessions": 1, "alert keys": 1}
    match visit.scenario:
        case "sync" | "watch" | "refresh":
            return {**called, "ends": 1, "messages": 4, "messages sent": 4, "hook safe": 1, "topic safe": 1}
        case "sign-in":
            # If the answer with the tokens was lost, the server has a session without a device.
            return {"alerts": 1, "ends": 0, "contacts": 0, "messages": 0, "open sessions": (1, 2)}
        case "sign-out":
            return {"alerts": 0, "contacts": 0, "messages": 0, "open sessions": 0, "alert keys": 0}
