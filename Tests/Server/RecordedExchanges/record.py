#!/usr/bin/python3
"""Records the exchanges of a built version: every request of a device to the server, and the answer, one file each.

    Tests/Server/RecordedExchanges/record.py BIN FOLDER

BIN holds the release binaries of the version to record; FOLDER gets the files. Everything runs on loopback: the server, a
receiver that answers 200 for the responders, and a proxy between the device and the server that writes the files.
"""

import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid

KEPT_HEADERS = ("Authorization", "Content-Type")


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Recorder:
    def __init__(self, folder):
        self.folder, self.number, self.lock = folder, 0, threading.Lock()

    def add(self, name, method, path, headers, body, status, media_type, answer):
        with self.lock:
            self.number += 1
            file = os.path.join(self.folder, f"{self.number:02d}-{name}.json")
        with open(file, "w", encoding="utf-8") as output:
            json.dump({
                "method": method, "path": path, "authorization": headers.get("Authorization"),
                "content_type": headers.get("Content-Type"), "body": body, "status": status,
                "answer_content_type": media_type, "answer": answer}, output, indent=2, ensure_ascii=False)
            output.write("\n")


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def main():
    binaries, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    work = tempfile.mkdtemp()
    recorder = Recorder(folder)
    log = open(os.path.join(work, "server.log"), "w+", encoding="utf-8")
    server = subprocess.Popen(
        [os.path.join(binaries, "lifesignal-server"), "--listen", "127.0.0.1:0", "--database", work + "/server.sqlite", "--sms",
         "console", "--allow-private-channels"], stdout=log, stderr=log)

    def logged(pattern, last=False):
        for _ in range(200):
            with open(log.name, encoding="utf-8") as file:
                found = re.findall(pattern, file.read())
            if found:
                return found[-1] if last else found[0]
            time.sleep(0.05)
        sys.exit(f"the server's log has no {pattern}")

    port = int(logged(r"listening on http://127.0.0.1:(\d+)"))

    def forward(name, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request(method, path, body.encode() if body is not None else None, headers)
        answer = connection.getresponse()
        if path == "/v1/events":
            text = "".join(answer.readline().decode() for _ in range(3))
            connection.sock.close() if connection.sock else None
        else:
            text = answer.read().decode()
        recorder.add(name, method, path, headers, body or "", answer.status, answer.headers.get("Content-Type"), text)
        return answer.status, text, answer.headers

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            headers = {name: self.headers[name] for name in KEPT_HEADERS if self.headers.get(name)}
            status, text, kept = forward("device-" + self.path.split("/")[-1], self.command, self.path, body, headers)
            data = text.encode()
            self.send_response(status)
            if kept.get("Content-Type"):
                self.send_header("Content-Type", kept["Content-Type"])
            if status != 204:
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = handle_one

        def log_message(self, *_):
            pass

    proxy, receiver = serve(Proxy), serve(Receiver)
    program, environment = os.path.join(binaries, "lifesignal"), dict(os.environ, LIFESIGNAL_HOME=work + "/device", TZ="UTC")

    def device(*words, text=None):
        answer = subprocess.run([program, *words], env=environment, input=text, capture_output=True, text=True, timeout=60)
        print("$ lifesignal", *words, "->", answer.returncode, answer.stdout.strip()[-200:], answer.stderr.strip()[-200:])
        return answer

    def call(name, method, path, body=None, token=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = "Bearer " + token
        return forward(name, method, path, body if body is None or isinstance(body, str) else json.dumps(body), headers)

    def recorded(field):
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if match := re.search(rf'\\"{field}\\":\\"([^"\\]+)', file.read()):
                    return match.group(1)
        sys.exit(f"no answer has {field}")

    try:
        device("config", "set", "endpoint", f"http://127.0.0.1:{proxy}")
        sign_in = subprocess.Popen([program, "sign-in", "+1 202 555 0123"], env=environment, stdin=subprocess.PIPE, text=True)
        sign_in.communicate(logged(r"code for .*: (\d{6})") + "\n", timeout=60)
        local = f"127.0.0.1:{receiver}"
        device("contacts", "add", "+1 202 555 0143", "--name", "Ana", "--responder", "--channel", f"http://{local}/ana")
        device("contacts", "add", "+1 202 555 0144", "--name", "Bén 🧗", "--responder", "--channel", f"ntfy+http://{local}/ben",
               "--channel", "mailto:ben@example.org", "--channel", "sms:+12025550144")
        device("contacts", "add", "+1 202 555 0145", "--name", "Cleo", "--responder")
        device("sync")
        device("alert", "activate", "--yes", "--message", "fell on the \"north\" ridge", "--location", "46.5763,7.9905", "--no-sync")
        device("sync")
        time.sleep(1)
        device("sync")
        token, key, refresh = recorded("access_token"), recorded("alert_key"), recorded("refresh_token")
        alerts = json.loads(call("alerts", "GET", "/v1/alerts", token=token)[1])
        alert = (alerts.get("alerts") or [{}])[0].get("id", "none")
        call("contacts", "GET", "/v1/contacts", token=token)
        call("acknowledge", "POST", f"/v1/alerts/{alert}/acknowledgements", {}, token)
        call("events", "GET", "/v1/events", token=token)
        device("alert", "deactivate", "--yes")
        time.sleep(1)
        device("sync")
        device("alert", "activate", "--yes", "--drill", "--no-sync")
        device("sync")
        device("alert", "deactivate", "--yes")
        for contact in map(json.loads, device("contacts", "list", "--json").stdout.splitlines()):
            if contact.get("name") == "Cleo":
                device("contacts", "remove", contact["id"])
        device("sync")
        some_id = lambda: str(uuid.uuid4())
        time_now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        item = lambda kind, body: {"id": some_id(), "kind": kind, "entity_id": some_id(), "occurred_at": time_now, "body": body}
        exchange = lambda *items: {"device_id": some_id(), "mutations": list(items)}
        call("refused-items", "POST", "/v1/sync", exchange(
            item("alert.explode", {}), item("contact.put", {"name": "", "phone": "+12025550143"}),
            item("contact.put", {"name": "Dan", "phone": "+12025550146", "channels": ["https://"]}),
            item("alert.activate", {"message": "by another device"})), token)
        call("alert-key", "POST", "/v1/sync", exchange(item("alert.activate", {"started_at": time_now, "drill": True})), key)
        call("malformed", "POST", "/v1/sync", '{"device_id":7}', token)
        call("unauthorized", "POST", "/v1/sync", exchange(), "nobody")
        call("refresh", "POST", "/v1/auth/tokens", {"refresh_token": refresh})
        call("not-found", "GET", "/v1/nothing", token=token)
        call("wrong-method", "GET", "/v1/sync", token=token)
        call("health", "GET", "/health")
        call("ready", "GET", "/ready")
        verification = json.loads(call("another-code", "POST", "/v1/auth/verifications", {"phone": "+12025550188"})[1])
        call("wrong-code", "POST", "/v1/auth/sessions",
             {"verification_id": verification["verification_id"], "code": "000000", "device_name": "x"})
        call("not-a-number", "POST", "/v1/auth/verifications", {"phone": "12"})
        device("sign-out", text="y\n")
    finally:
        server.terminate()
        server.wait()


main()
