"""Two servers on one PostgreSQL database behind a balancer, restarted in turn under load.

Every request is answered, if need be by the other process after a retry with the same ids. No alert is lost, and a message is sent
again only if a process ended while it was on its way, and never a third time. The requests that a process which ends leaves without an
answer, or refuses with 503, are counted.
"""

import asyncio
import contextlib
import itertools
import json
import select
import signal
import socket
import threading
import time

from serverbench.server import alert, contact, new_id, notification, now

from .clusters import Cluster
from .common import Receiver, Server
from .context import Violation, require
from .told import Told

NAMES = ("rolling-restart",)
QUICK_SECONDS, LONG_SECONDS = 60, 20 * 60

QUICK_RESTARTS, LONG_RESTARTS = 3, 30
# Half of the people open a connection for each request; the others keep theirs.
QUICK_PEOPLE, LONG_PEOPLE = 4, 8
# Between two requests of one person.
PAUSE_SECONDS = 0.02
# Under load with both processes, before each restart.
CALM_SECONDS = 1
# A client tries again for so long, with this pause.
RETRY_SECONDS, RETRY_PAUSE_SECONDS = 15, 0.05
# What was closed is seen this much later, on a busy machine.
GRACE_SECONDS = 0.5
# Until all alerts are told.
SETTLE_SECONDS = 60
MOST_MESSAGES = 2
DATABASE = "rolling"


class Closed(Exception):
    """The connection ended before the first byte of an answer."""


class Balancer:
    """A TCP port that gives each connection to the next process that accepts one."""

    def __init__(self):
        self.ports, self.turn = [], itertools.count()
        self.loop = asyncio.new_event_loop()
        self.listener = self.loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self.listener.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        # For the text of a finding: the process of a connection, by the client's port.
        self.taken = {}

    async def _serve(self, reader, writer):
        first = next(self.turn)
        for number in range(len(self.ports)):
            port = self.ports[(first + number) % len(self.ports)]
            with contextlib.suppress(OSError):
                there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
                self.taken[writer.get_extra_info("peername")[1]] = port
                await asyncio.gather(self._forward(reader, there_writer), self._forward(there_reader, writer))
                return
        writer.transport.abort()

    @staticmethod
    async def _forward(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.listener.close()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.close()


def end(alert_id):
    return {"id": new_id(), "entity_id": alert_id, "kind": "alert.deactivate", "occurred_at": now(), "body": {"ended_at": now()}}


class Client:
    """Plain HTTP, with an HTTP client's rule: what was closed before the first byte of an answer is sent again."""

    def __init__(self, balancer, keeps, add):
        self.balancer, self.keeps, self.add = balancer, keeps, add
        self.connection, self.token = None, None
        # Each connection that was closed without an answer, for the text of a finding.
        self.closings = []

    def request(self, method, path, body=None, wanted=(200, 201)):
        """The JSON of the answer. Raises `Violation` if there is none, or another than those that are wanted."""
        text = json.dumps(body).encode() if body is not None else b""
        lines = [f"{method} {path} HTTP/1.1", "Host: x", "Content-Type: application/json", f"Content-Length: {len(text)}"]
        lines += [f"Authorization: Bearer {self.token}"] if self.token else []
        lines += [] if self.keeps else ["Connection: close"]
        whole = "\r\n".join(lines).encode() + b"\r\n\r\n" + text
        deadline = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                status, answer = self.exchange(whole)
            except Closed:
                status, answer = 0, ""
            if status in wanted:
                self.add({"answered": 1})
                return json.loads(answer)
            require(status in (0, 503), f"{method} {path} was answered with {status}: {answer}")
            require(time.monotonic() < deadline, f"{method} {path} was not answered within {RETRY_SECONDS} s; last {status} {answer}")
            if status == 503:
                self.add({"answered_with_503": 1})
            time.sleep(RETRY_PAUSE_SECONDS)

    def exchange(self, whole):
        """Sends the request and returns the status and the body of its answer."""
        # What is closed already is not used for another request.
        if self.connection and select.select([self.connection], [], [], 0)[0]:
            self.close()
        is_new = self.connection is None
        data, is_sent, begun = b"", False, time.time()
        try:
            if is_new:
                self.connection = socket.create_connection(("127.0.0.1", self.balancer.port), timeout=RETRY_SECONDS)
            self.connection.sendall(whole)
            is_sent = True
            while not (answer := self.answer_in(data)):
                more = self.connection.recv(65536)
                require(more or not data, f"an answer ends in its middle: {data!r}")
                if not more:
                    raise ConnectionResetError("end of file")
                data += more
        except TimeoutError:
            raise Violation(f"no answer within {RETRY_SECONDS} s to {whole[:60]!r}") from None
        except OSError as error:
            require(not data, f"an answer is cut off ({error}): {data!r}")
            if is_sent:
                self.add({"closed_new" if is_new else "closed_kept": 1})
                to = self.balancer.taken.get(self.connection.getsockname()[1])
                self.closings.append((is_new, begun, time.time(), to, error))
            self.close()
            raise Closed from None
        status, close, body = answer
        if close or not self.keeps:
            self.close()
        return status, body

    @staticmethod
    def answer_in(data):
        """The status, whether the connection ends, and the body; None where the answer is not whole."""
        head, found, body = data.partition(b"\r\n\r\n")
        if not found:
            return None
        lines = head.decode().lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
        return (int(lines[0].split()[1]), "connection: close" in lines, body.decode()) if len(body) >= length else None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


class Person:
    """Raises alerts and ends them, one after the other, with one responder."""

    def __init__(self, server, number, channel, client):
        self.client, self.device, self.cursor = client, new_id(), None
        self.accepted = set()
        self.failure = None
        phone = f"+1202555{1000 + number}"
        verification = client.request("POST", "/v1/auth/verifications", {"phone": phone})["verification_id"]
        code = server.wait_for(r"code for \S+: (\d{6})")
        session = {"verification_id": verification, "code": code, "device_name": "trial"}
        client.token = client.request("POST", "/v1/auth/sessions", session)["access_token"]
        self.sync(contact("Ana", [channel]))

    def sync(self, mutation, notifications=()):
        body = {"device_id": self.device, "cursor": self.cursor, "mutations": [mutation], "notifications": notifications, "limit": 100}
        answer = self.client.request("POST", "/v1/sync", body)
        self.cursor = answer["cursor"]
        done = [item["status"] for item in answer["results"]]
        require(len(done) == 1 + len(notifications) and "rejected" not in done, f"the exchange was answered with {answer}")

    def live(self, is_over):
        try:
            while not is_over.wait(PAUSE_SECONDS):
                self.raise_and_end()
        except Exception as failure:  # The case reports it.
            self.failure = failure
            is_over.set()

    def raise_and_end(self):
        raised = alert()
        name = raised["entity_id"]
        self.sync(raised, [notification(name)])
        self.accepted.add(name)
        shown = self.client.request("GET", f"/v1/alerts/{name}")
        require(shown["ended_at"] is None, f"the alert has ended: {shown}")
        self.sync(end(name), [{**notification(name), "kind": "deactivated"}])

    def listed(self):
        """The ids of all alerts of this person that the server has."""
        found, before = set(), ""
        while before is not None:
            page = self.client.request("GET", f"/v1/alerts?limit=500{before}")
            found |= {alert["id"] for alert in page["alerts"]}
            before = f"&before={page['next']}" if page["next"] else None
        return found


class Trial:
    """People who raise alerts, while one process after the other is ended and started again."""

    def __init__(self, context, figures):
        self.context, self.figures = context, figures
        # Of each restart: the process's port, and when it was told to end, had ended and was back.
        self.steps, self.people = [], []

    def __str__(self):
        return "restarts"

    def add(self, counts):
        self.context.add(self.figures, counts)

    def perform(self):
        folder = self.context.scratch("rolling")
        with contextlib.ExitStack() as stack:
            self.cluster = stack.enter_context(Cluster())
            self.context.begin(LONG_SECONDS, QUICK_SECONDS)
            self.cluster.query(f"CREATE DATABASE {DATABASE}")
            self.servers = [stack.enter_context(self.start(folder)) for _ in range(2)]
            self.balancer = stack.enter_context(Balancer())
            # Whoever signs in waits for the code of one process.
            self.balancer.ports = [self.servers[0].port]
            self.told = Told(stack.enter_context(Receiver()))
            count = LONG_PEOPLE if self.context.is_long else QUICK_PEOPLE
            self.people = [self.person(number) for number in range(count)]
            self.balancer.ports = [server.port for server in self.servers]
            self.restart_under_load()
            self.check_closed()
            self.check_kept()
            self.check_told()

    def start(self, folder):
        server = Server(self.context, folder)
        server.database = f"postgresql://postgres@/{DATABASE}?host={self.cluster.folder}"
        return server.start()

    def person(self, number):
        client = Client(self.balancer, number % 2 == 1, self.add)
        return Person(self.servers[0], number, self.told.receiver.url, client)

    def restart_under_load(self):
        is_over = threading.Event()
        threads = [threading.Thread(target=person.live, args=(is_over,)) for person in self.people]
        for thread in threads:
            thread.start()
        try:
            for number in range(LONG_RESTARTS if self.context.is_long else QUICK_RESTARTS):
                if not is_over.wait(CALM_SECONDS):
                    self.restart(self.servers[number % 2])
            is_over.wait(CALM_SECONDS)
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        for person in self.people:
            if person.failure:
                raise Violation(f"{person.failure!r}\n{self.evidence}")

    def restart(self, server):
        begun = time.time()
        status = server.end(signal.SIGTERM)
        ended = time.time()
        require(status == 0, f"on SIGTERM the server ended with {status}: {server.said}")
        self.context.count(faults=1)
        server.start()
        self.steps.append((server.port, begun, ended, time.time()))
        self.figures["slowest_end_ms"] = max(self.figures["slowest_end_ms"], round((ended - begun) * 1000))

    # Promises

    def check_closed(self):
        """Only a process that ends closes a connection without an answer."""
        for person in self.people:
            for _, _, closed, to, error in person.client.closings:
                is_end = any(port == to and begun <= closed <= ended + GRACE_SECONDS for port, begun, ended, _ in self.steps)
                require(is_end, f"a process that was not ending closed a connection without an answer: {error!r}\n{self.evidence}")

    def check_kept(self):
        for person in self.people:
            missing = person.accepted - person.listed()
            require(not missing, f"accepted, and not listed: {missing}\n{self.evidence}")
        self.figures["alerts"] += sum(len(person.accepted) for person in self.people)

    def check_told(self):
        alerts = [alert for person in self.people for alert in person.accepted]
        all_told = self.told.has(alerts, time.monotonic() + SETTLE_SECONDS)
        require(all_told, f"nobody was told of {self.told.missing(alerts)}\n{self.evidence}")
        try:
            self.told.settle(self.cluster, DATABASE)
            self.told.check_repeats(self.cluster, DATABASE, [(begun, back) for _, begun, _, back in self.steps])
        except Violation as broken:
            raise Violation(f"{broken}\n{self.evidence}") from None
        often = [arrivals for arrivals in self.told.arrivals.values() if len(arrivals) > MOST_MESSAGES]
        require(not often, f"sent more than {MOST_MESSAGES} times: {often}\n{self.evidence}")
        self.add({"messages": len(self.told.arrivals), "sent_again": self.told.repeats})

    @property
    def evidence(self):
        closed = [self.described(*closing) for person in self.people for closing in person.client.closings]
        return "\n".join([f"{self.figures}", *closed[:20], *(server.said for server in self.servers)])

    def described(self, is_new, sent, closed, to, error):
        """One connection that was closed without an answer: when, counted from that process's SIGTERM."""
        ends = [step for step in self.steps if step[0] == to and step[1] <= closed]
        kind = f"{'new' if is_new else 'kept'} connection to {to}: {error!r}"
        if not ends:
            return kind
        begun, ended = ends[-1][1:3]
        times = f"sent {sent - begun:.3f} s and closed {closed - begun:.3f} s after SIGTERM"
        return f"{kind}, {times}; the process ended after {ended - begun:.3f} s"


def run(context):
    figures = dict.fromkeys(
        ("alerts", "answered", "answered_with_503", "closed_new", "closed_kept", "slowest_end_ms", "messages", "sent_again"), 0)
    trial = Trial(context, figures)
    context.each([trial], Trial.perform, workers=1)
    return figures
