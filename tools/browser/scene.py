"""A running server with a person, their responders and an alert, for trials of the responder's page."""

import http.client
import http.server
import json
import os
import queue
import sys
import threading
import time
import urllib.parse
import uuid

from openapi.server import Server

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def new_id():
    return str(uuid.uuid4())


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes the messages to responders into the server's `messages`; the path names the responder."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.server.messages.put((self.path.strip("/"), json.loads(body)["data"]))

    def log_message(self, *arguments):
        pass


class Scene:
    """A person who may raise alerts, over a server in `folder`. `next_code` gives the one-time code where `sms` is no console."""

    def __init__(self, binary, folder, *options, sms="console", next_code=None):
        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        self.messages = self.receiver.messages = queue.Queue()
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        self.server = Server(binary, folder, "--sms", sms, "--allow-private-channels", *options)
        self.origin = f"http://127.0.0.1:{self.server.port}"
        self.device = new_id()
        self.responder_count = 0
        asked = self.json("POST", "/v1/auth/verifications", {"phone": "+12025550123", "region": None})
        code = next_code() if next_code else self.server.wait_for(r"code for \+12025550123: (\d{6})")
        session = {"verification_id": asked["verification_id"], "code": code, "device_name": "the trial"}
        self.token = self.json("POST", "/v1/auth/sessions", session)["access_token"]

    def end(self):
        self.server.end()
        self.receiver.shutdown()

    # Calls

    def send(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), data

    def json(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if hasattr(self, "token"):
            headers["Authorization"] = f"Bearer {self.token}"
        status, _, data = self.send(method, path, None if body is None else json.dumps(body), headers)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {data[:300]!r}")
        return json.loads(data)

    def sync(self, *mutations, notifications=()):
        answer = self.json("POST", "/v1/sync", {
            "device_id": self.device, "cursor": None, "mutations": list(mutations), "notifications": list(notifications), "limit": 500})
        refused = [result for result in answer["results"] if result["status"] == "rejected"]
        if refused:
            sys.exit(f"refused: {refused}")
        return answer

    # What people do

    def add_responder(self, name, phone):
        """Returns the responder's id. Their messages come under the path `name`."""
        self.responder_count += 1
        return self.new_contact(name, phone, f"http://127.0.0.1:{self.receiver.server_port}/{urllib.parse.quote(name)}")

    def new_contact(self, name, phone, *channels):
        """Returns the id of a responder with these channels, whose messages come elsewhere."""
        contact = new_id()
        self.sync(self.mutation("contact.put", contact, {
            "name": name, "phone": phone, "responder": True, "dependent": False, "channels": list(channels)}))
        return contact

    @staticmethod
    def mutation(kind, entity, body):
        return {"id": new_id(), "kind": kind, "entity_id": entity, "occurred_at": now(), "body": body}

    def raise_alert(self, **details):
        """Returns the alert's id, and the URL of each responder's page by name."""
        alert = new_id()
        activation = {"started_at": now(), "message": None, "location": None, "drill": False, "utc_offset_minutes": 60, **details}
        self.sync(self.mutation("alert.activate", alert, activation),
                  notifications=[{"id": new_id(), "alert_id": alert, "kind": "activated"}])
        return alert, self.pages(alert)

    def pages(self, alert):
        """The URL of the page of each responder by name, from the messages that they get about this alert."""
        pages = {}
        while len(pages) < self.responder_count:
            name, data = self.messages.get(timeout=20)
            if data["page_url"] and data["alert"]["id"] == alert:
                pages[urllib.parse.unquote(name)] = self.origin + urllib.parse.urlsplit(data["page_url"]).path
        return pages

    def update(self, alert, **details):
        self.sync(self.mutation("alert.update", alert, {"at": now(), **details}))

    def end_alert(self, alert):
        self.sync(self.mutation("alert.deactivate", alert, {"ended_at": now()}))

    def states(self, alert):
        """The states of the calls for help, by responder."""
        receipts = self.json("GET", f"/v1/alerts/{alert}")["receipts"]
        return {receipt["contact_name"]: receipt["state"] for receipt in receipts if receipt["notice"] == "activated"}
