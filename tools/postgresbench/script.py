"""A script of pgbench that does what the server does for one alert: the same statements, in the same round trips.

Each client of pgbench has an account of its own, as each connection of the load has.
"""

import re

# What ties all accounts together: the one writer, and the sign of life of its process.
SHARED = ("SELECT id FROM writer ", "INSERT INTO processes ")
UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FIRST = r"""\if :ready
\else
SELECT account, session, device, token, (SELECT max(sequence) FROM changes WHERE account_id = account) AS sequence
  FROM bench_clients WHERE client = :client_id \gset
\set serial random(100000000000, 899999999999)
\set ready 1
\endif
\set next :sequence + 1
\set serial :serial + 1
"""
LAST = "\\set sequence :next\n"


def account_rows(cluster, database, accounts):
    """Makes the table that tells pgbench's clients their accounts. Gives the ids of the first one's account, session and token."""
    cluster.query(
        "CREATE TABLE bench_clients (client bigint PRIMARY KEY, account uuid NOT NULL, session uuid NOT NULL,"
        " device uuid NOT NULL, token bytea NOT NULL)", database)
    rows = ", ".join(
        f"({number}, '{account.phone}', '{account.device}'::uuid)" for number, account in enumerate(accounts))
    cluster.query(
        f"INSERT INTO bench_clients SELECT number, account_id, session_id, device, access_hash FROM (VALUES {rows})"
        " AS given (number, phone, device) JOIN account_phones USING (phone) JOIN tokens USING (account_id)", database)
    return cluster.value("SELECT account, session, token FROM bench_clients WHERE client = 0", database).split("|")


def values_of(exchange, account, device, ids):
    """What stands for the values of the captured exchange."""
    account_id, session, token = ids
    known, sequence = exchange.known, int(exchange.known["sequence"])
    return {
        account_id: ":account", session: ":session", device: ":device", token: ":token",
        known["alert"]: f"('{known['alert'][:24]}' || :serial)::uuid",
        known["mutation"]: f"('{known['mutation'][:23]}-' || :serial)::uuid",
        str(sequence): ":sequence", str(sequence + 1): ":next",
        # A tag is random in the server. Here all are the same, so that the cursor is found as it is there.
        known["old tag"]: f"'{known['tag']}'",
    }


def expression(value, values):
    """How pgbench writes a parameter's value."""
    if value is None:
        return "NULL"
    if value in values:
        return values[value]
    if value.startswith("{") and any(element in values for element in value[1:-1].split(",")):
        return f"ARRAY[{', '.join(element_expression(element, values) for element in value[1:-1].split(','))}]"
    literal = "'" + value.replace("'", "''") + "'"
    return literal + "::uuid" if UUID.fullmatch(value) else literal


def element_expression(element, values):
    """The elements of an array are of one type, which pgbench's variables, put in as text, do not tell."""
    written = expression(element, values)
    return f"({written})::uuid" if UUID.fullmatch(element) else written


def write(path, exchange, values, is_shared=True):
    """Writes the script. Without `is_shared` clients do not wait for one another at the row of `writer`."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(FIRST)
        for batch in exchange.batches:
            file.write("\\startpipeline\n")
            for statement in batch:
                if not is_shared and statement.text.startswith(SHARED):
                    continue
                text = re.sub(
                    r"\$(\d+)", lambda match, of=statement: expression(of.parameters[int(match[1])], values), statement.text)
                file.write(" ".join(text.split()) + ";\n")
            file.write("\\endpipeline\n")
        file.write(LAST)
