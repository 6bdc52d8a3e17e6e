"""Calls the server and checks every answer against the description."""

import http.client
import json
import re

import yaml

from .faults import TIMEOUT_SECONDS, expect, fault

PROBLEM = "application/problem+json"
JSON = "application/json"
# What every route may answer, according to the description's text.
EVERYWHERE = {
    400: "malformed-request",
    404: "not-found",
    405: "method-not-allowed",
    408: "request-timeout",
    413: "body-too-large",
    431: "headers-too-large",
}


class Client:
    """Calls the server and checks every answer against the description."""

    def __init__(self, description, server):
        self.description = description
        self.port = server.port

    def send(self, method, path, body=None, token=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        headers = dict(headers)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("Content-Type", JSON)
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, data

    def call(self, method, template, expected, path=None, body=None, **rest):
        """Makes a described call and returns its decoded body."""
        place = f"{method} {path or template}"
        operation = self.description.operation(method, template)
        if expected < 300 and isinstance(body, dict):
            schema = operation["requestBody"]["content"][JSON]["schema"]
            for error in self.description.errors(schema, body):
                fault(f"{place}: the check's own request is not as described: {error}")
        status, headers, data = self.send(method, path or template, body, **rest)
        if status != expected:
            fault(f"{place}: {status} in place of {expected}: {data[:300]!r}")
        self.description.called.add((method, template, status))
        response = operation["responses"].get(str(status))
        if response is None:
            fault(f"{place}: status {status} is not described")
            return None
        return self.check(place, status, self.description.resolve(response), headers, data)

    def check(self, place, status, response, headers, data):
        for name, header in response.get("headers", {}).items():
            value = headers.get(name.lower())
            if value is None:
                if header.get("required"):
                    fault(f"{place}: the header {name} is missing")
            elif header["schema"]["type"] == "integer" and not value.isdigit():
                fault(f"{place}: the header {name} is {value!r}")
        if headers.get("x-content-type-options") != "nosniff":
            fault(f"{place}: X-Content-Type-Options is missing")
        contents = response.get("content")
        if not contents:
            if data:
                fault(f"{place}: there is a body")
            return None
        media_type = headers.get("content-type", "").split(";")[0].strip()
        if media_type not in contents:
            fault(f"{place}: media type {media_type!r} in place of {', '.join(contents)}")
            return None
        if "json" not in media_type:
            text = data.decode()
            value = yaml.safe_load(text) if "yaml" in media_type else text
            for error in self.description.errors(contents[media_type]["schema"], value):
                fault(f"{place}: {error}")
            return text
        value = json.loads(data)
        for error in self.description.errors(contents[media_type]["schema"], value):
            fault(f"{place}: {error}")
        if media_type == PROBLEM:
            expect(f"{place}: the problem's status", value["status"], status)
        return value

    def problem(self, method, path, expected, body=None, **rest):
        """Makes a call that no operation describes, which must be answered with a problem."""
        status, headers, data = self.send(method, path, body, **rest)
        place = f"{method} {path[:80]}"
        if status != expected:
            fault(f"{place}: {status} in place of {expected}: {data[:300]!r}")
        if headers.get("content-type") != PROBLEM:
            fault(f"{place}: {headers.get('content-type')!r} in place of a problem: {data[:300]!r}")
            return
        value = json.loads(data)
        for error in self.description.errors({"$ref": "#/components/schemas/Problem"}, value):
            fault(f"{place}: {error}")
        if value["type"].rpartition(":")[2] != EVERYWHERE.get(status):
            fault(f"{place}: {value['type']} is not what any route may answer")
        if status == 405 and "allow" not in headers:
            fault(f"{place}: the header Allow is missing")


class EventStream:
    """An open /v1/events, or the stream of a page."""

    def __init__(self, client, token=None, template="/v1/events", path=None):
        self.template = template
        self.connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=TIMEOUT_SECONDS)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.connection.request("GET", path or template, headers=headers)
        self.answer = self.connection.getresponse()
        client.description.called.add(("GET", template, self.answer.status))
        if self.answer.status != 200 or self.answer.getheader("Content-Type") != "text/event-stream":
            fault(f"GET {template}: {self.answer.status} {self.answer.getheader('Content-Type')}")
        self.expect(": heartbeat")

    def expect(self, line):
        while True:
            read = self.answer.readline().decode().rstrip("\n")
            if read == line:
                return
            if read not in ("", "data: {}", "event: change", ": heartbeat") and not re.fullmatch(r"retry: [0-9]+", read):
                fault(f"GET {self.template}: {read!r} is not described")
                return

    def close(self):
        self.connection.close()
