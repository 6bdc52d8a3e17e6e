"""The statements of one alert's exchange, as PostgreSQL logs them."""

import datetime
import re
import time

from serverbench.server import alert

EXECUTION = re.compile(r"duration: ([0-9.]+) ms  execute (\S+?)(?:/\S+)?: (.*)", re.S)
PARAMETER = re.compile(r"\$(\d+) = (?:NULL|'((?:[^']|'')*)')")


class Statement:
    """One execution: the round trip that it came with, its text and parameters, its milliseconds and when it ended."""

    def __init__(self, batch, text, parameters, milliseconds, ended):
        self.batch, self.text, self.parameters, self.milliseconds, self.ended = batch, text, parameters, milliseconds, ended


class Exchange:
    """One alert: its statements, and what is known of the values in them."""

    def __init__(self, statements, known):
        self.statements, self.known = statements, known

    @property
    def batches(self):
        """The statements of each round trip."""
        batches = []
        for statement in self.statements:
            if not batches or batches[-1][-1].batch != statement.batch:
                batches.append([])
            batches[-1].append(statement)
        return batches


def executions(entries):
    """(session, statement) of each execution in the log."""
    for entry in entries:
        match = EXECUTION.match(entry["message"])
        if not match:
            continue
        # A connection names a statement by the number of the batch that prepares it.
        batch = match[2].split("_")[0]
        detail = entry.get("detail", "")
        parameters = {
            int(number): None if whole.endswith("NULL") else value.replace("''", "'")
            for number, whole, value in ((found[1], found[0], found[2]) for found in PARAMETER.finditer(detail))
        }
        ended = datetime.datetime.strptime(entry["timestamp"][:23], "%Y-%m-%d %H:%M:%S.%f").timestamp()
        yield entry["session_id"], Statement(batch, match[3], parameters, float(match[1]), ended)


def transactions(entries):
    """The statements of each finished transaction, from BEGIN to COMMIT."""
    open_ones = {}
    for session, statement in executions(entries):
        if statement.text.startswith("BEGIN"):
            open_ones[session] = []
        if session in open_ones:
            open_ones[session].append(statement)
            if statement.text == "COMMIT":
                yield open_ones.pop(session)


def is_of_new_connection(statements):
    """Whether each batch prepared its own statements, so that the names tell the batches."""
    numbers = [int(statement.batch[1:]) for statement in statements]
    return numbers[0] == 1 and numbers == sorted(numbers)


def capture(cluster, database, account, account_id):
    """The exchange of one alert of `account`, with nothing beside it."""
    def newest(column):
        return cluster.value(
            f"SELECT {column} FROM changes WHERE account_id = '{account_id}' ORDER BY sequence DESC LIMIT 1", database)

    cluster.configure(log_min_duration_statement=0)
    try:
        for _ in range(20):
            # The first transaction of a new connection shows where its batches end.
            cluster.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                f" WHERE datname = '{database}' AND pid <> pg_backend_pid()")
            time.sleep(0.3)
            known = {"sequence": newest("sequence"), "old tag": newest("tag")}
            mutation = alert()
            account.sync([mutation], limit=1)
            time.sleep(0.5)
            known |= {"alert": mutation["entity_id"], "mutation": mutation["id"], "tag": newest("tag")}
            for statements in transactions(cluster.log_entries()):
                if has_alert(statements, mutation) and is_of_new_connection(statements):
                    return Exchange(statements, known)
    finally:
        cluster.configure(log_min_duration_statement=None)
        cluster.clear_log()
    raise SystemExit("bench-postgres: the statements of an alert could not be captured")


def has_alert(statements, mutation):
    return any(
        statement.text.startswith("INSERT INTO alerts ") and mutation["entity_id"] in statement.parameters.values()
        for statement in statements)
