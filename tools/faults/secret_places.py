"""Secrets: searches for tokens, codes and numbers wherever they must not be, after a session in which much goes wrong.

They may be in the device's own files (0600, in folders of 0700); telephone numbers may also be in the server's database.
Searched are logs, command output, command lines and environments of running processes, temporary files, working folders, the
server's files, and core dumps of killed processes.
"""

import base64
import os
import re
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import threading
import time

from .common import PHONE, TIMEOUT_SECONDS, Device, Server
from .context import require
from .processes import all_below

NAMES = ("secrets",)

CONTACT = "+12025550188"
MESSAGE = "canary under the third fir"
NOBODY = 65534


class Canaries:
    """The secrets of a run by name, each with the forms in which it could appear."""

    def __init__(self):
        self.forms = {}

    def add_token(self, name, token):
        raw = base64.urlsafe_b64decode(token[4:] + "=")
        self.forms[name] = [re.escape(token.encode()), re.escape(token[4:].encode()), re.escape(raw), raw.hex().encode()]

    def add_code(self, name, code):
        self.forms[name] = [rb"(?<!\d)" + code.encode() + rb"(?!\d)"]

    def add_text(self, name, *texts):
        self.forms[name] = [re.escape(text.encode()) for text in texts]

    def found_in(self, data, names=None):
        """The names of the secrets in these bytes."""
        return [
            name for name, forms in self.forms.items()
            if (names is None or name in names) and any(re.search(form, data) for form in forms)
        ]

    @property
    def secret(self):
        """Tokens and codes, which may only be on the device."""
        return [name for name in self.forms if not name.startswith("the ")]


class Watch(threading.Thread):
    """Repeatedly reads the command lines and environments of all descendants of this process."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen = set()
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(0.005):
            for number in all_below(os.getpid()):
                for name in ("cmdline", "environ"):
                    try:
                        with open(f"/proc/{number}/{name}", "rb") as file:
                            self.seen.add((name, file.read()))
                    except OSError:
                        pass

    def end(self):
        self.is_over.set()
        self.join()


def files_below(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(place, name)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tokens_of(device):
    """The access token, the refresh token and the alert key of the device."""
    with sqlite3.connect(f"file:{device.store}?mode=ro", uri=True) as store:
        text = "\n".join(str(value) for row in store.execute("SELECT * FROM sync_state") for value in row)
    return re.findall(r"ls[ark]_[\w-]{43}", text)


class Session:
    """A device that signs in, raises an alert and meets failures; all of its output is kept."""

    def __init__(self, context, folder):
        self.context, self.folder = context, folder
        self.device = Device(context, os.path.join(folder, "home"))
        self.canaries = Canaries()
        self.said = []
        self.log = []
        self.canaries.add_text("the number", PHONE, PHONE[2:])
        self.canaries.add_text("the contact's number", CONTACT, CONTACT[2:])
        self.canaries.add_text("the message", MESSAGE)

    def run(self, *arguments, **options):
        answer = self.device.run(*arguments, **options)
        self.said.append(answer.out + answer.err)
        return answer

    def sign_in(self, server):
        """First with a wrong code, which must not be repeated to anybody either."""
        self.run("config", "set", "endpoint", server.url)
        code = None
        for is_right in (False, True):
            child = subprocess.Popen(
                self.device.command("sign-in", PHONE), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            code = code or server.wait_for(r"code for \S+: (\d{6})")
            typed = code if is_right else f"{(int(code) + 1) % 1_000_000:06}"
            self.canaries.add_code("code" if is_right else "wrong code", typed)
            out, _ = child.communicate(typed + "\n", timeout=TIMEOUT_SECONDS)
            self.said.append(out)
            require((child.returncode == 0) == is_right, f"sign-in: exit status {child.returncode}: {out}")
        self.keep_tokens()

    def keep_tokens(self):
        for token in tokens_of(self.device):
            kind = {"lsa_": "access token", "lsr_": "refresh token", "lsk_": "alert key"}[token[:4]]
            self.canaries.add_token(f"{kind} {len(self.canaries.forms)}", token)

    def go_wrong(self, server):
        """Alerts, exchanges without a server, a session that the server ended, a damaged store."""
        self.run("contacts", "add", CONTACT, "--name", "Ana", "--responder", "--channel", "http://127.0.0.1:9/hook")
        self.run("alert", "activate", "--yes", "--message", MESSAGE)
        server.kill()
        self.run("alert", "deactivate", "--yes", "--no-sync")
        self.run("sync")
        self.run("doctor")
        server.start()
        self.run("sync")
        with sqlite3.connect(server.database) as store:
            store.execute("UPDATE tokens SET access_expires_at = 1")
        self.run("sync")
        self.keep_tokens()
        with sqlite3.connect(server.database) as store:
            store.execute("UPDATE sessions SET ended_at = 1")
        for arguments in (("sync",), ("status",), ("doctor",), ("queue", "list"), ("--json", "alert", "status")):
            self.run(*arguments)

    def damage(self):
        with open(self.device.store, "r+b") as file:
            file.seek(4096)
            file.write(os.urandom(4096))
        self.run("alert", "status")
        self.run("alert", "activate", "--yes", "--message", MESSAGE, "--no-sync")


def check_places(session, server, watch, log, temporary, working):
    canaries = session.canaries
    tokens = [name for name in canaries.forms if "token" in name or "key" in name]
    require(len(tokens) >= 5, f"only these tokens were seen: {tokens}")
    kept = canaries.found_in(b"".join(read(path) for path in files_below(session.device.home)))
    require(set(kept) >= {"the message", tokens[0]}, f"the search finds on the device only: {kept}")
    for path in files_below(session.device.home):
        mode = stat.S_IMODE(os.stat(path).st_mode)
        require(mode == 0o600, f"{os.path.basename(path)} on the device has the mode {mode:o}")
    for place, _, _ in os.walk(session.device.home):
        mode = stat.S_IMODE(os.stat(place).st_mode)
        require(mode == 0o700, f"the folder {os.path.basename(place)} on the device has the mode {mode:o}")
    for path in files_below(os.path.dirname(server.database)):
        if path.startswith(session.device.home):
            continue
        found = canaries.found_in(read(path), canaries.secret)
        require(not found, f"the server keeps in {os.path.basename(path)} in the clear: {', '.join(found)}")
    for name, data in watch.seen:
        # Numbers are arguments of `sign-in` and `contacts add`, as the person typed them.
        names = canaries.secret if name == "cmdline" else None
        found = canaries.found_in(data, names)
        require(not found, f"the {name} of a process shows: {', '.join(found)}")
    for said in session.said:
        found = canaries.found_in(said.encode(), canaries.secret)
        require(not found, f"a command says: {', '.join(found)}: {said}")
    found = canaries.found_in(log.encode())
    require(not found, f"the server's log shows: {', '.join(found)}: {log}")
    for folder in (temporary, working):
        left = [path for path in files_below(folder)]
        require(not left, f"files are left in the folder for temporary files or in the working folder: {left}")


def logged(server):
    """The server's output until it ended, without the lines of `--sms console`, which show numbers and codes on purpose."""
    said = ""
    while (line := server.lines.get(timeout=TIMEOUT_SECONDS)) is not None:
        said += line if not line.startswith("lifesignal-server: code for ") else ""
    return said


def check_session(context):
    folder = context.scratch("session")
    places = {name: os.path.join(folder, name) for name in ("server", "temporary", "working")}
    for path in places.values():
        os.mkdir(path)
    before = {name: os.environ.get(name) for name in ("TMPDIR",)}
    was = os.getcwd()
    watch = Watch()
    os.environ["TMPDIR"] = places["temporary"]
    os.chdir(places["working"])
    try:
        server = Server(context, places["server"])
        session = Session(context, folder)
        server.start()
        watch.start()
        session.sign_in(server)
        session.go_wrong(server)
        session.damage()
        context.count(faults=6)
        log = ""
        server.end()
        log = logged(server)
        watch.end()
        check_places(session, server, watch, log, places["temporary"], places["working"])
    finally:
        watch.is_over.set()
        server.kill()
        os.chdir(was)
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def dumps_core(command, folder, kill_after):
    """Whether a process leaves a core when killed by SIGSEGV. `kill_after` waits until it runs."""
    def unlimited():
        _, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

    # A debug build would otherwise catch the signal and print a backtrace.
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    child = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=unlimited,
        env=environment)
    try:
        kill_after(child)
        os.kill(child.pid, signal.SIGSEGV)
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (ended := os.waitpid(child.pid, os.WNOHANG))[0]:
            require(time.monotonic() < deadline, f"{os.path.basename(command[0])} lives on after SIGSEGV")
            time.sleep(0.01)
        status = ended[1]
        child.returncode = -signal.SIGSEGV
        require(os.WIFSIGNALED(status), f"{os.path.basename(command[0])} did not end by the signal: {status}")
        return os.WCOREDUMP(status) or any("core" in name for name in os.listdir(folder))
    finally:
        if child.returncode is None:
            child.kill()
            child.wait()


def seconds(count):
    return lambda child: time.sleep(count)


def line_of(child):
    child.stdout.readline()


def check_cores(context):
    """The programs leave no core where another program does."""
    folder = context.scratch("cores")
    place = lambda name: context.scratch(os.path.join("cores", name))  # noqa: E731
    if not dumps_core(["/bin/sleep", "60"], place("control"), seconds(0.2)):
        return "no"
    device = os.path.join(folder, "home")
    programs = {
        "the server": (
            [context.server, "--listen", "127.0.0.1:0", "--database", os.path.join(folder, "server.sqlite"), "--sms", "console"],
            line_of),
        "sync --watch": ([context.lifesignal, "--home", device, "sync", "--watch"], seconds(0.5)),
    }
    run_once = Device(context, device)
    run_once.done("alert", "activate", "--yes", "--no-sync")
    run_once.done("config", "set", "endpoint", "http://127.0.0.1:9")
    for name, (command, wait) in programs.items():
        context.count(runs=1, faults=1)
        require(not dumps_core(command, place(name.replace(" ", "-")), wait), f"{name} leaves a core dump, with its tokens in it")
    return "yes"


def check_other_user(context):
    """As an ordinary user: no other process can inspect ours, and everything works as it does for root."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return "no"
    folder = context.scratch("user")
    os.chmod(folder, 0o755)
    for above in (context.folder, os.path.dirname(context.folder)):
        os.chmod(above, 0o711)
    home = os.path.join(folder, "home")
    os.mkdir(home, 0o700)
    os.chown(home, NOBODY, NOBODY)
    programs = os.path.join(folder, "programs")
    os.mkdir(programs)
    for name in ("lifesignal", "lifesignal-server", "liblifesignal-phone.so"):
        shutil.copy(os.path.join(context.binaries, name), programs)
    demoted = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", f"HOME={home}"]

    def done(*arguments):
        command = [*demoted, os.path.join(programs, "lifesignal"), "--home", home, *arguments]
        answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        require(answer.returncode == 0, f"as another user, {' '.join(arguments)}: {answer.stdout}{answer.stderr}")

    done("alert", "activate", "--yes", "--no-sync")
    done("config", "set", "endpoint", "http://127.0.0.1:9")
    worker = subprocess.Popen(
        [*demoted, os.path.join(programs, "lifesignal"), "--home", home, "sync", "--watch"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        worker.stdout.readline()
        context.count(runs=1)
        require(os.stat(f"/proc/{worker.pid}/mem").st_uid == 0, "the worker's memory belongs to its user")
        look = subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "cat", f"/proc/{worker.pid}/environ"],
            capture_output=True)
        require(look.returncode != 0, "another process of the user can look into the worker")
        done("alert", "deactivate", "--yes", "--no-sync")
    finally:
        worker.terminate()
        worker.wait(timeout=TIMEOUT_SECONDS)
    return "yes"


def run(context):
    figures = {}
    steps = {
        "places": lambda: check_session(context),
        "cores": lambda: figures.update(cores_can_be_seen=check_cores(context)),
        "another user": lambda: figures.update(as_another_user=check_other_user(context)),
    }
    context.each(list(steps), lambda case: steps[case](), workers=1)
    return figures
