"""A gateway for text messages or calls that misbehaves as the last digit of a number says, the first time that it is asked for it."""

import http.server
import queue
import threading
import time
import urllib.parse

ANSWER = b'{"status":"queued"}'
# By the last digit of the number.
BEHAVIOURS = {"1": "hangs", "2": "cuts", "3": "is slow"}
SLOW_SECONDS = 5


class Request:
    def __init__(self, headers, form):
        self.authorization = headers.get("Authorization")
        self.to, self.text, self.id = form.get("to", ""), form.get("text", ""), form.get("ref", "")
        self.at = time.monotonic()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        request = Request(self.headers, dict(urllib.parse.parse_qsl(body, keep_blank_values=True)))
        isFirst = self.server.note(request)
        behaviour = BEHAVIOURS.get(request.to[-1:], "") if isFirst else ""
        self.close_connection = True
        if behaviour == "hangs":
            self.server.ended.wait()
        elif behaviour == "cuts":
            # All that a success needs is in it, but it has no end.
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + ANSWER)
        else:
            answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(ANSWER), ANSWER)
            self.write(answer, SLOW_SECONDS if behaviour else 0)

    def write(self, answer, seconds):
        for byte in answer if seconds else ():
            self.wfile.write(bytes((byte,)))
            time.sleep(seconds / len(answer))
        if not seconds:
            self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


class Gateway(http.server.ThreadingHTTPServer):
    """On a free port of 127.0.0.1."""

    daemon_threads = True
    # So many messages come at once.
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/send"
        self.requests = []
        self.codes = queue.Queue()
        self.lock = threading.Lock()
        self.ended = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def note(self, request):
        """Keeps it. Whether it is the first one to its number."""
        with self.lock:
            isFirst = all(earlier.to != request.to for earlier in self.requests)
            self.requests.append(request)
        self.codes.put(request.text)
        return isFirst

    def asked(self, number, text=""):
        """What it was asked to send to this number, with this text in it."""
        with self.lock:
            return [request for request in self.requests if request.to == number and text in request.text]

    def handle_error(self, request, client_address):
        """The other side gave up, as it should."""

    def end(self):
        self.ended.set()
        self.shutdown()
