"""Fills stores behind their owners' backs: a history of millions of alerts, and long queues, in seconds."""

import sqlite3
import time

# Ids of version 7 that follow one another, as those of a device do.
ID = "printf('%08x-%04x-7%03x-8000-%012x', (1700000000000 + i) >> 16, (1700000000000 + i) & 65535, i & 4095, i)"
NUMBERS = "WITH RECURSIVE numbers (i) AS (SELECT :first UNION ALL SELECT i + 1 FROM numbers WHERE i < :last)"
MESSAGE = "Door sensor at the north gate reports open"
# So that the log of one transaction does not fill the disk.
CHUNK = 1_000_000


def write(path, count, *statements, **values):
    """Runs statements that use `NUMBERS`, for the numbers from 1 to `count`."""
    database = sqlite3.connect(path, timeout=60, isolation_level=None)
    for first in range(1, count + 1, CHUNK):
        bound = values | {"first": first, "last": min(first + CHUNK - 1, count)}
        database.execute("BEGIN IMMEDIATE")
        for statement in statements:
            database.execute(statement, {name: value for name, value in bound.items() if ":" + name in statement})
        database.execute("COMMIT")
        database.execute("PRAGMA wal_checkpoint (TRUNCATE)")
    database.close()


def value(path, statement):
    database = sqlite3.connect(path, timeout=60)
    (answer,) = database.execute(statement).fetchone()
    database.close()
    return answer


def fill_history(store, count):
    """Ended alerts, which the server has accepted, in a device's store."""
    write(
        store, count, f"""{NUMBERS} INSERT INTO alerts (list_order, id, started_at, ended_at, message, drill, accepted_at, end_accepted_at)
        SELECT i, {ID}, 1700000000000 + i, 1700000000500 + i, '{MESSAGE} ' || i, 0, 1700000000100 + i, 1700000000600 + i
        FROM numbers""")


def fill_queue(device, count):
    """Changes of the device's one contact, each with another name, behind the one that added it."""
    newest = value(device.store, "SELECT max(sequence) FROM pending_mutations WHERE kind = 'contact.put'")
    write(
        device.store, count, f"""{NUMBERS} INSERT INTO pending_mutations (sequence, id, account_id, entity_id, kind, lane, occurred_at,
          body, created_at, created_monotonic)
        SELECT :newest + i, {ID}, account_id, entity_id, kind, lane, occurred_at, replace(body, '"Ana', '"Ana ' || i), created_at,
          created_monotonic
        FROM numbers CROSS JOIN pending_mutations WHERE sequence = :newest""", newest=newest)


def pending(device):
    return value(device.store, "SELECT count(*) FROM pending_mutations")


def fill_server(database, count):
    """Ended alerts of the server's one account, each a change that its devices have yet to learn. The server may not be running."""
    account, now = value(database, "SELECT id FROM accounts"), time.time_ns() // 1_000_000
    newest = value(database, "SELECT coalesce(max(newest_sequence), 0) FROM account_logs")
    write(
        database, count,
        f"""{NUMBERS} INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, ended_at, message, drill, received_at,
          end_received_at)
        SELECT :account, {ID}, i, '01890000-0000-7000-8000-000000000001', :now, :now, '{MESSAGE} ' || i, 0, :now, :now FROM numbers""",
        f"""{NUMBERS} INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag)
        SELECT :account, :newest + i, 1, {ID}, random() FROM numbers""",
        """INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal) VALUES (:account, :newest + :last, :last)
        ON CONFLICT (account_id) DO UPDATE SET newest_sequence = excluded.newest_sequence, newest_ordinal = excluded.newest_ordinal""",
        account=account, now=now, newest=newest)
