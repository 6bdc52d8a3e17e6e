"""Single alerts that a server accepts, from one client and from many."""

from serverbench.server import Account, Server, now

from ..devices import line_server
from ..figures import Figure, at_most, ratio_at_least

RATE, TIME, MANY = "a second", "ms", 64
# The alert, its change and its result, the account's counters, the bucket of its session, the cursor, the device's contact, and how
# many alerts there are.
ROWS_PER_ALERT = 8
BODY = (
    '{"device_id":"%s","cursor":"@c","limit":1,"notifications":[],"mutations":[{"id":"@1","entity_id":"@2","kind":"alert.activate",'
    '"occurred_at":"%s","body":{"started_at":"%s","message":null,"location":null,"drill":false}}]}')
LINE = '{"id":"@1","payload":"' + "x" * 140 + '"}@n'


def write_clients(context, lines):
    path = context.path("clients")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(line) + "\n" for line in lines)
    return path


def people(context, server, count):
    """The file for `exchanges` with so many accounts' clients, each with a cursor."""
    lines, moment = [], now()
    for _ in range(count):
        account = Account(server)
        account.sync()
        account.sync()
        account.connection.close()
        lines.append(("/v1/sync", account.token, account.cursor, BODY % (account.device, moment, moment)))
    return write_clients(context, lines)


def plain_clients(context, count):
    return write_clients(context, [("/", "-", "-", LINE)] * count)


def measure(context, port, clients):
    return context.limit("exchanges", port, context.size(5, 0.3), clients)


def exchange(context):
    """single alerts accepted from 1 and 64 clients, beside group commit by hand, with one row an alert and with eight"""
    with Server(context.programs["lifesignal-server"], context.folder, database=context.path("server.sqlite")) as server:
        for count in (1, MANY):
            yield from compare(context, server.port, people(context, server, count), count)


def compare(context, port, accounts, count):
    plain = plain_clients(context, count)
    ours, one, eight = [], [], []
    with line_server(context, "group") as small, line_server(context, "group", ROWS_PER_ALERT) as large:
        for _ in context.rounds:
            ours.append(measure(context, port, accounts))
            one.append(measure(context, small, plain))
            eight.append(measure(context, large, plain))

    def rates(runs):
        return [run["per_second"] for run in runs]

    def late(runs):
        return [run["p99_us"] / 1000 for run in runs]

    name = f"single-alert exchange, {count} client{'s' if count > 1 else ''}"
    yield Figure(name, RATE, rates(ours), rates(one), ratio_at_least(0.6 if count == 1 else 0.4))
    yield Figure("  beside a server with as many rows", RATE, rates(ours), rates(eight))
    yield Figure(f"{name}, p99", TIME, late(ours), late(one), None if count == 1 else at_most(25))
