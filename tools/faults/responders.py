"""Responders who read their messages and answer some on their pages, while the servers come and go."""

import contextlib
import http.client
import itertools
import time
import urllib.parse

from .beside import Beside
from .context import require

HELP = ("alert.activated", "alert.check")
ANSWERS = ("responding", "on_my_way", "there", "cannot", "handing_over")
COMING = ("responding", "on_my_way", "there")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# The form as a browser without scripts sends it is answered with the way back to the page.
TAKEN, OVER, BUSY = 303, 409, 503
ANSWERED_SHARE = 0.7
# From the arrival of a message until somebody presses.
THINKING_SECONDS = 0.5
PRESS_SECONDS = 60
REQUEST_SECONDS = 10
RETRY_PAUSE_SECONDS = 0.05
LOOK_SECONDS = 0.02


class Said:
    """What one responder said of one alert: the newest answer that the server confirmed, and those pressed since then."""

    def __init__(self):
        self.confirmed, self.unclear = None, []

    @property
    def possible(self):
        """What may be stored; None: nothing."""
        return [self.confirmed, *self.unclear]


class Responders(Beside):
    """All responders of an episode, on one thread. Each arrival of a call for help may be answered; the servers are asked in turn."""

    def __init__(self, told, servers, random):
        super().__init__()
        self.told, self.servers, self.random = told, servers, random
        # By alert and contact.
        self.said = {}
        self.confirmed = 0
        self.numbers = itertools.count(1)
        self.waiting = []

    def live(self):
        """Ends once everything that waits was pressed."""
        while not self.is_over.is_set() or self.waiting:
            self.read()
            self.press_what_is_due()

    def read(self):
        for message in self.told.read(LOOK_SECONDS):
            if message.kind in HELP and message.page and self.random.random() < ANSWERED_SHARE:
                self.waiting.append((time.monotonic() + self.random.uniform(0, THINKING_SECONDS), message))

    def press_what_is_due(self):
        due = [message for at, message in self.waiting if at <= time.monotonic()]
        self.waiting = [entry for entry in self.waiting if entry[1] not in due]
        for message in due:
            self.press(message)

    def press(self, message):
        """Answers until a server says that it has the answer, or that the alert is over."""
        answer = (self.random.choice(ANSWERS), f"answer {next(self.numbers)}")
        said = self.said.setdefault((message.alert, message.contact), Said())
        said.unclear = [*said.unclear, answer]
        deadline = time.monotonic() + PRESS_SECONDS
        while (status := self.sent(message.page, answer)) not in (TAKEN, OVER):
            require(status in (None, BUSY), f"the page of {message} answered {answer} with {status}")
            require(time.monotonic() < deadline, f"the page of {message} took no answer for {PRESS_SECONDS} s; last {status}")
            time.sleep(RETRY_PAUSE_SECONDS)
        if status == TAKEN:
            said.confirmed, said.unclear = answer, []
            self.confirmed += 1

    def sent(self, page, answer):
        """The status; None where no answer arrived."""
        server = self.random.choice(self.servers)
        path = urllib.parse.urlsplit(page).path
        form = urllib.parse.urlencode({"answer": answer[0], "text": answer[1]})
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=REQUEST_SECONDS)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("POST", f"{path}/acknowledgements", form, FORM)
            return connection.getresponse().status

    def check(self, cluster, database):
        """Checks that each confirmed answer is stored, and with it the acknowledgement. Returns the alerts and contacts of those who come."""
        columns = "alert_id, contact_id, answer, text"
        stored = [row.split("|") for row in cluster.query(f"SELECT {columns} FROM responses", database)]
        stored = {(alert, contact): (answer, text) for alert, contact, answer, text in stored}
        for key, said in self.said.items():
            require(
                stored.get(key) in said.possible,
                f"the page confirmed {said.confirmed} of {key}, later unconfirmed {said.unclear}; stored is {stored.get(key)}")
        calls = "SELECT alert_id, contact_id, state FROM deliveries WHERE notice = 'activated' AND role = 'news'"
        states = [row.split("|") for row in cluster.query(calls, database)]
        states = {(alert, contact): state for alert, contact, state in states}
        coming = {key for key, (answer, _) in stored.items() if answer in COMING}
        lost = {key: states.get(key) for key in coming if states.get(key) != "acknowledged"}
        require(not lost, f"the answer is stored, and the message is not acknowledged: {lost}")
        return coming
