"""Faults in system calls, by strace: the real program, and a kernel that refuses."""

import re
import shutil
import subprocess
import tempfile

from .context import NotRun, Violation

DISK = ("EIO", "EIO+", "ENOSPC", "ENOSPC+")
# The errors that a kernel may return for each call, by its manual page. Each call may also kill the process.
KINDS = {
    "openat": (*DISK, "EINTR", "EMFILE+", "EACCES+"),
    "pwrite64": (*DISK, "EINTR"),
    "write": (*DISK, "EINTR"),
    "fdatasync": (*DISK, "EINTR"),
    "fsync": (*DISK, "EINTR"),
    "ftruncate": ("EIO", "EIO+", "EINTR"),
    "fallocate": (*DISK, "EINTR", "EOPNOTSUPP"),
    "unlink": ("EIO", "EIO+"),
    "rename": DISK,
    "link": (*DISK, "EPERM"),
    "mkdir": DISK,
    "mknod": DISK,
    "flock": ("EINTR", "ENOLCK", "ENOLCK+"),
    "pread64": ("EIO", "EIO+", "EINTR"),
    "read": ("EIO", "EIO+", "EINTR"),
    "newfstatat": ("EIO", "EIO+"),
    "fchmod": ("EIO", "EIO+", "EINTR"),
    "utimensat": ("EIO", "EIO+"),
    "fcntl": (),
}
NETWORK_KINDS = {
    "socket": ("EMFILE", "EACCES+"),
    "connect": ("ECONNREFUSED", "ENETUNREACH+", "EINTR"),
    "sendto": ("ECONNRESET", "EPIPE+", "EINTR"),
    "sendmsg": ("ECONNRESET", "EPIPE+", "EINTR"),
    "recvfrom": ("ECONNRESET", "ECONNRESET+", "EINTR"),
    "poll": ("EINTR", "ENOMEM"),
    "epoll_wait": ("EINTR",),
    "accept4": ("ECONNABORTED", "EMFILE", "EINTR"),
    "inotify_init1": ("EMFILE",),
    "inotify_add_watch": ("ENOSPC",),
    "timerfd_create": ("EMFILE",),
}


class Fault:
    """One fault: `kind` happens at call number `number` (from 1, counted by thread) of `call`.

    `kind` is KILL (the process ends before the call), an error's name (EIO: the call fails once), or one with a plus (EIO+:
    this call and all later ones fail).
    """

    def __init__(self, call, kind, number):
        self.call, self.kind, self.number = call, kind, number

    def __str__(self):
        return f"{self.call} {self.kind} {self.number}"

    @property
    def options(self):
        if self.kind == "KILL":
            effect = "signal=SIGKILL"
        else:
            effect = f"error={self.kind.rstrip('+')}"
        when = f"{self.number}{'+' if self.kind.endswith('+') else ''}"
        return ["-e", f"trace={self.call}", "-e", f"inject={self.call}:{effect}:when={when}"]


def require_strace():
    """Raises `NotRun` if strace is missing or may not trace."""
    if shutil.which("strace") is None:
        raise NotRun("strace is not installed: tools/setup installs it")
    trial = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True, text=True)
    if trial.returncode != 0:
        raise NotRun(f"strace cannot trace here: {trial.stderr.strip().splitlines()[-1:]}")


def before(trace, *options):
    """The words before a command that make strace run it and write to the file `trace`."""
    # The filter makes it fast and sends no signals (seen with strace 6.1).
    filtering = [] if any("signal=" in option for option in options) else ["--seccomp-bpf"]
    return ["strace", "-f", *filtering, "-qq", "-s", "0", "-o", trace, *options]


class Trace:
    """What strace wrote."""

    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            self.lines = file.read().splitlines()

    @property
    def injected(self):
        """The number of faults; one may kill several threads."""
        return sum("(INJECTED)" in line for line in self.lines) or any("killed by SIGKILL" in line for line in self.lines)

    def numbers(self, beginning):
        """The numbers of each call in any thread, from the first line with one of the texts `beginning`: the earlier ones are the
        loader's and Swift's runtime's."""
        seen, numbers, begun = {}, {}, False
        for line in self.lines:
            match = re.match(r"(\d+) +(\w+)\(", line)
            if not match:
                continue
            begun = begun or any(text in line for text in beginning)
            seen[match.groups()] = seen.get(match.groups(), 0) + 1
            if begun:
                numbers.setdefault(match.group(2), set()).add(seen[match.groups()])
        return numbers


def faults_in(perform, folder, beginning, kinds=None):
    """Every kind of fault at every call that `perform(before)` makes, which runs a program with `before` in front of it. `kinds`
    is by call, as `KINDS` is; `beginning` as in `Trace.numbers`."""
    kinds = kinds or KINDS
    with tempfile.NamedTemporaryFile(dir=folder) as trace:
        perform(before(trace.name, "-e", "trace=" + ",".join(kinds)))
        numbers = Trace(trace.name).numbers(beginning)
    return [
        Fault(call, kind, number) for call in kinds for kind in ("KILL", *kinds[call]) for number in sorted(numbers.get(call, ()))
    ]


def run_with(context, fault, device, *arguments):
    """Runs a command of the device with a fault, and counts it. Raises `Violation` if an unexpected signal ended it."""
    with tempfile.NamedTemporaryFile(dir=context.folder) as trace:
        answer = device.run(*arguments, before=before(trace.name, *fault.options))
        injected = Trace(trace.name).injected
    context.count(faults=injected, unreached=not injected)
    if answer.status < 0 and not (fault.kind == "KILL" and answer.status == -9):
        raise Violation(f"it crashed: {answer}")
    if fault.kind == "KILL" and injected and answer.status >= 0:
        raise Violation(f"it was killed and ended by itself: {answer}")
    return answer
