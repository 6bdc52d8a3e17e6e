"""A device and a server in network namespaces of their own, and the link between them."""

import os
import shutil
import subprocess
import sqlite3
import time

from ..common import Device, Server, run, sign_in
from ..context import NotRun, require
from .link import Link

DEVICE, SERVER, PORTAL = "10.77.0.1", "10.77.0.2", "10.77.0.3"
NAME = "signal.test"


class Namespace:
    """A network namespace, and a mount namespace with its own resolver. It ends with its process."""

    def __init__(self):
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "sh", "-c", "echo ready; exec sleep 7200"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "ready\n":
            reason = self.holder.stderr.read().strip()
            self.holder.wait()
            raise NotRun(f"network namespaces are not permitted here: {reason}")
        self.ip("link", "set", "lo", "up")

    @property
    def path(self):
        return f"/proc/{self.holder.pid}/ns/net"

    @property
    def before(self):
        """The words that run a command in it."""
        return ["nsenter", f"--target={self.holder.pid}", "--net", "--mount", "--"]

    def ip(self, *arguments):
        self.run("ip", *arguments)

    def run(self, *command):
        answer = run([*self.before, *command])
        require(answer.status == 0, f"{' '.join(command)}: {answer}")
        return answer

    def end(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()
        self.holder.stderr.close()


def require_namespaces():
    """Raises `NotRun` with the reason if namespaces are not available."""
    for program in ("unshare", "nsenter", "ip"):
        if not shutil.which(program):
            raise NotRun(f"{program} is not installed: see tools/setup")
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise NotRun("/dev/net/tun cannot be opened: this needs root and the module tun")


def make_certificate(folder):
    """A certificate of our own authority for the server's name and address; returns (certificate, key)."""
    certificate, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    answer = run([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=lifesignal test", "-addext", f"subjectAltName=DNS:{NAME},IP:{SERVER}", "-keyout", key, "-out", certificate])
    require(answer.status == 0, f"openssl: {answer}")
    return certificate, key


class LabServer(Server):
    """The server in its namespace, with TLS."""

    def __init__(self, context, folder, namespace, certificate, key):
        super().__init__(context, folder, "--tls-certificate", certificate, "--tls-key", key)
        self.namespace, self.host = namespace, SERVER

    @property
    def url(self):
        return f"https://{self.host}:8443"

    def start(self, **_):
        command = [
            *self.namespace.before, self.context.server, "--listen", f"{SERVER}:8443", "--database", self.database, "--sms",
            "console", "--allow-private-channels", *self.options]
        self.launch(command)
        self.wait_for(r"listening on (https://\S+)")
        return self


class LabDevice(Device):
    """The device in its namespace."""

    def __init__(self, context, home, namespace):
        super().__init__(context, home)
        self.namespace = namespace

    def command(self, *arguments):
        return [*self.namespace.before, *super().command(*arguments)]


class Lab:
    """Everything together: a signed-in device behind a link that is perfect until a fault is set."""

    def __init__(self, context, folder, name):
        self.context, self.folder = context, folder
        self.namespaces, self.processes = [], []
        self.link = self.server = None
        try:
            self._build(name)
        except BaseException:
            self.close()
            raise

    def _build(self, name):
        near, far = Namespace(), Namespace()
        self.namespaces = [near, far]
        self.near, self.far = near, far
        self.link = Link(near.path, far.path, name)
        near.ip("addr", "add", DEVICE, "peer", SERVER, "dev", "path0")
        far.ip("addr", "add", SERVER, "peer", DEVICE, "dev", "path0")
        for namespace in (near, far):
            namespace.ip("link", "set", "path0", "up")
        near.ip("route", "add", "default", "dev", "path0")
        far.ip("addr", "add", PORTAL + "/32", "dev", "path0")
        certificate, key = make_certificate(self.folder)
        self.server = LabServer(self.context, self.folder, far, certificate, key).start()
        self.device = LabDevice(self.context, os.path.join(self.folder, "home"), near)
        self.device.done("config", "set", "ca_file", certificate)
        sign_in(self.server, self.device)

    def resolve_by(self, address):
        """The name server that the device's programs ask."""
        path = os.path.join(self.folder, "resolv.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"nameserver {address}\noptions timeout:1 attempts:2\n")
        self.near.run("mount", "--bind", path, "/etc/resolv.conf")

    def worker(self):
        """Starts the background worker; ended by `close`."""
        process = subprocess.Popen(
            self.device.command("sync", "--watch"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def query(self, text):
        connection = sqlite3.connect(f"file:{self.device.store}?mode=ro", uri=True, timeout=5)
        try:
            return connection.execute(text).fetchall()
        finally:
            connection.close()

    def wait_for(self, text, seconds):
        """Waits until the query's first value is true; returns the seconds, or None if it never was."""
        started = time.monotonic()
        while time.monotonic() - started < seconds:
            rows = self.query(text)
            if rows and rows[0][0]:
                return time.monotonic() - started
            time.sleep(0.02)
        return None

    def raise_alert(self, seconds, *options):
        """Raises an alert; the seconds until the server's acceptance is stored here, or None after the limit."""
        started = time.monotonic()
        process = subprocess.Popen(
            self.device.command("alert", "activate", "--yes", *options), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.processes.append(process)
        accepted = "SELECT max(accepted_at) FROM alerts WHERE ended_at IS NULL"
        while time.monotonic() - started < seconds:
            try:
                if self.query(accepted)[0][0]:
                    return time.monotonic() - started
            except sqlite3.OperationalError:
                pass  # the store is being made
            if process.poll() not in (None, 0):
                require(False, f"alert activate ended with {process.returncode}")
            time.sleep(0.01)
        return None

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        if self.server:
            self.server.kill()
        if self.link:
            self.link.close()
        for namespace in self.namespaces:
            namespace.end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
