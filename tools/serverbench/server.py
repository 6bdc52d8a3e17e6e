"""A server under measurement, and accounts on it."""

import collections
import http.client
import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time
import uuid

CODES_PER_ADDRESS = 20


def new_id():
    """An id of version 7, as devices make them."""
    milliseconds = time.time_ns() // 1_000_000
    random = uuid.uuid4().int
    value = milliseconds << 80 | 0x7000 << 64 | (random >> 4 & 0x0FFF) << 64 | 0x8000 << 48 | random & 0x3FFF_FFFF_FFFF_FFFF
    return str(uuid.UUID(int=value))


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


class Server:
    """A `lifesignal-server` on a free port of loopback. Ended by its id.

    `database` is a URL of PostgreSQL; without it the server keeps an SQLite file in `folder`.
    """

    def __init__(self, binary, folder, *options, database=None):
        self.database = database or os.path.join(folder, "server.sqlite")
        self.codes, self.changed, self.last_lines = {}, threading.Condition(), collections.deque(maxlen=20)
        self.port = None
        self.process = subprocess.Popen(
            [
                binary, "--listen", "127.0.0.1:0", "--database", self.database, "--sms", "console", "--allow-private-channels",
                "--alert-burst", "1000000", "--codes-per-country", "100000", "--codes-in-total", "100000", *options
            ], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self._read, daemon=True).start()
        with self.changed:
            if not self.changed.wait_for(lambda: self.port or self.process.poll() is not None, timeout=20) or not self.port:
                raise SystemExit("bench-server: the server does not start")

    def _read(self):
        for line in self.process.stdout:
            listening = re.search(r"listening on http://127\.0\.0\.1:(\d+)", line)
            code = re.search(r"code for (\S+): (\d{6})", line)
            self.last_lines.append(line)
            with self.changed:
                if listening:
                    self.port = int(listening.group(1))
                if code:
                    self.codes[code.group(1)] = code.group(2)
                self.changed.notify_all()

    def code(self, phone):
        with self.changed:
            if not self.changed.wait_for(lambda: phone in self.codes, timeout=20):
                raise SystemExit(f"bench-server: no code for {phone}")
            return self.codes.pop(phone)

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_kibibytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is not None:
            print(f"the server has ended with {self.process.returncode}:\n{''.join(self.last_lines)}", file=sys.stderr)
        self.process.kill()
        self.process.wait()


class Account:
    """A person who is signed in, with one connection."""

    _numbers = itertools.count()

    def __init__(self, server, session=None):
        self.server, self.device = server, new_id()
        self.cursor = None
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        self.refresh_token = None
        self.token = session or self._sign_in()

    def _sign_in(self):
        number = next(self._numbers)
        # So many codes go to one address, and to one network, so each takes some.
        network = 1 + number // (CODES_PER_ADDRESS // 2)
        address = f"127.{network // 256}.{network % 256}.1"
        # Not among the numbers of contacts.
        phone = f"+1202{2000000 + number}"
        self.connection.close()
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=600, source_address=(address, 0))
        self.phone = phone
        verification = self.request("POST", "/v1/auth/verifications", {"phone": phone})
        body = {
            "verification_id": verification["verification_id"], "code": self.server.code(phone), "device_name": "bench"
        }
        return self._take(self.request("POST", "/v1/auth/sessions", body))

    def _take(self, tokens):
        self.refresh_token = tokens["refresh_token"]
        return tokens["access_token"]

    def renew(self):
        """Renews the access token, which is valid for a quarter of an hour."""
        self.token = self._take(self.request("POST", "/v1/auth/tokens", {"refresh_token": self.refresh_token}))
        self.connection.close()

    def twin(self):
        """The same account on another connection."""
        return Account(self.server, self.token)

    def request(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if hasattr(self, "token"):
            headers["Authorization"] = "Bearer " + self.token
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        self.status = answer.status
        return json.loads(text) if text[:1] == b"{" else text

    def sync(self, mutations=(), notifications=(), limit=500):
        body = {"device_id": self.device, "cursor": self.cursor, "mutations": list(mutations), "notifications": list(notifications),
                "limit": limit}
        answer = self.request("POST", "/v1/sync", body)
        if isinstance(answer, dict) and "cursor" in answer:
            self.cursor = answer["cursor"]
        return answer

    def add_responder(self, url, count=1, channels=1):
        """Contacts that are told at `url`, each by so many channels of different paths."""
        edits = [
            contact(name=f"R{index}", channels=[f"{url}/{index}/{channel}" for channel in range(channels)])
            for index in range(count)
        ]
        for start in range(0, count, 100):
            self.sync(edits[start:start + 100])

    def raise_alert(self):
        """Raises an alert, of which the responders are to be told. Gives its id."""
        mutation = alert()
        self.sync([mutation], [notification(mutation["entity_id"])], limit=1)
        return mutation["entity_id"]


def alert():
    return {"id": new_id(), "entity_id": new_id(), "kind": "alert.activate", "occurred_at": now(),
            "body": {"started_at": now(), "message": None, "location": None, "drill": False}}


def notification(alert_id):
    return {"id": new_id(), "alert_id": alert_id, "kind": "activated"}


def contact(name, channels=(), entity=None, responder=True):
    number = hash(name) % 9000 + 1000
    return {"id": new_id(), "entity_id": entity or new_id(), "kind": "contact.put", "occurred_at": now(),
            "body": {"name": name, "phone": f"+1202557{number:04d}", "responder": responder, "dependent": False,
                     "channels": list(channels)}}
