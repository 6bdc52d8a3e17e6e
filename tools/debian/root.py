"""Two Debians of the packages' own. In one they are installed without systemd and purged unused; in the other systemd runs, and trial.sh is
an operator's day: they are installed, run, upgraded, removed and purged.

mmdebstrap makes them, which gets everything through apt: a minimal Debian with the packages that ours depend on in apt's cache, and no
network. It is kept in .build as an archive. systemd-nspawn runs commands in an unpacked copy, and systemd as its first process.
"""

import os
import shutil
import subprocess
import tempfile
import zlib

from .steps import fail, passed, run

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(os.path.dirname(HERE)), ".build")
SUITE = "bookworm"
# What the packages depend on is installed from apt's cache; the rest is for the trial of the units.
FETCHED = "ca-certificates libcurl4 libphonenumber8 libsqlite3-0 libncursesw6 libsodium23 libmicrohttpd12 libgnutls30 libpq5 systemd"
BOOTED = "systemd-sysv libpam-systemd dbus dbus-user-session util-linux openssl curl"
LIMIT_SECONDS = 420


class Debian:
    """An unpacked copy, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        run("tar", "--extract", "--file", base(), "--directory", folder, "--exclude=./dev/*")

    def command(self, *words):
        return ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--directory", self.folder, *words]

    def run(self, *words, user="root"):
        return run(*self.command(f"--user={user}", "--pipe", "--setenv=DEBIAN_FRONTEND=noninteractive", "--", *words))

    def fails(self, *words):
        """The exit status."""
        done = subprocess.run(
            self.command("--pipe", "--", *words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        return done.returncode

    def put(self, files, folder):
        os.makedirs(self.path(folder), exist_ok=True)
        for path in files:
            shutil.copy(path, self.path(folder))

    def install(self, packages):
        self.put(packages, "/packages/first")
        names = [f"/packages/first/{os.path.basename(path)}" for path in packages]
        return self.run("apt-get", "install", "--yes", "--no-install-recommends", *names)

    def path(self, name):
        return os.path.join(self.folder, name.lstrip("/"))

    def boot(self):
        """Starts systemd, which runs trial.sh and ends. Returns what that says."""
        shutil.copy(os.path.join(HERE, "trial.sh"), self.path("/root/trial.sh"))
        with open(self.path("/etc/systemd/system/trial.service"), "w", encoding="utf-8") as file:
            file.write(TRIAL)
        command = self.command("--boot", "--", "systemd.unit=multi-user.target", "systemd.wants=trial.service")
        machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            machine.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            # It switches the machine off.
            machine.terminate()
            machine.wait()
        with open(self.path("/root/trial.log"), encoding="utf-8", errors="replace") as file:
            return file.read()


TRIAL = """[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/bin/bash /root/trial.sh
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/root/trial.log
StandardError=inherit
"""


def base():
    """The archive, made if none has these packages."""
    archive = os.path.join(BUILD, "debian", f"{SUITE}-{zlib.crc32(f'{FETCHED} {BOOTED}'.encode()):08x}.tar")
    if not os.path.exists(archive):
        os.makedirs(os.path.dirname(archive), exist_ok=True)
        passed(f"making {archive}, once")
        fetch = f'chroot "$1" apt-get install --yes --download-only --no-install-recommends {FETCHED} {BOOTED}'
        run("mmdebstrap", "--variant=minbase", "--skip=cleanup/apt", f"--customize-hook={fetch}", SUITE, archive + ".new.tar")
        os.rename(archive + ".new.tar", archive)
    return archive


def check_install(debian, packages):
    debian.install(packages)
    for program in ("lifesignal", "lifesignal-screen", "lifesignal-server"):
        debian.run(program, "--version")
    if any(os.path.exists(debian.path(place)) for place in ("/usr/lib/swift", "/opt/swift", "/usr/bin/swift")):
        fail("there is a Swift in the trial's Debian")
    passed("installed where neither Swift nor systemd runs, with what the packages depend on and nothing else")


def add_person(debian):
    debian.run("useradd", "--create-home", "--uid", "1001", "ana")


def check_use(debian):
    add_person(debian)
    words = debian.run("env", "HOME=/home/ana", "LIFESIGNAL_BACKGROUND=off", "lifesignal", "alert", "activate", "--yes", user="ana")
    if "saved" not in words.lower():
        fail(f"an alert without a network was not saved:\n{words}")
    settings = "/etc/lifesignal-server/server.conf"
    debian.run("lifesignal-server", "--config", settings, "--check-config", user="lifesignal-server")
    if not debian.fails("runuser", "-u", "ana", "--", "cat", settings):
        fail(f"any user can read {settings}")
    passed("an alert is raised offline, the settings can be used, and other users cannot read them")


def check_unused(debian):
    """A server that never ran has no data to keep."""
    debian.run("apt-get", "purge", "--yes", "lifesignal", "lifesignal-server")
    if left := files(debian):
        fail(f"a purge of a server that never ran leaves {', '.join(sorted(left))}")
    check_home(debian)
    passed("a purge of a server that never ran leaves nothing but a person's own data")


def check_units(debian, packages, newer, hasOtherPrograms):
    debian.put(packages, "/packages/first")
    debian.put(newer, "/packages/newer")
    debian.run("apt-get", "install", "--yes", "--no-install-recommends", *BOOTED.split())
    add_person(debian)
    os.makedirs(debian.path("/var/lib/systemd/linger"), exist_ok=True)
    open(debian.path("/var/lib/systemd/linger/ana"), "w", encoding="utf-8").close()
    words = debian.boot()
    steps = [line.removeprefix("step: ") for line in words.splitlines() if line.startswith("step: ")]
    for step in steps:
        passed(f"under systemd: {step}")
    if "all steps done" not in words:
        fail(f"the trial under systemd ended early:\n{words}")
    if hasOtherPrograms and "an upgrade to other programs" not in words:
        fail("the older programs are the newer ones")


def promtool():
    """Of this machine: Prometheus is no part of the trial's Debian."""
    path = shutil.which("promtool") or os.path.join(BUILD, "prometheus", "usr", "bin", "promtool")
    if not os.path.exists(path):
        fail("promtool is missing: tools/setup --packages")
    return path


def check_metrics(debian):
    """What the server answered to /metrics in the trial, after an alert, a drill and their messages."""
    with open(debian.path("/root/metrics"), encoding="utf-8") as file:
        done = subprocess.run(
            [promtool(), "check", "metrics"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        words = done.stdout.strip()
        if done.returncode != 0 or words:
            fail(f"promtool says of /metrics:\n{words}")
        file.seek(0)
        count = sum(line.startswith("# TYPE ") for line in file)
    passed(f"promtool accepts /metrics, with {count} metrics")


def files(debian):
    """What of ours is there, without the data of people."""
    found = debian.run("find", "/usr", "/etc", "/var", "/lib", "-xdev", "-iname", "*lifesignal*").splitlines()
    return {path for path in found if not path.startswith(("/var/lib/dpkg/", "/var/log/"))}


def check_home(debian):
    if not os.path.exists(debian.path("/home/ana/.local/share/lifesignal/store.sqlite")):
        fail("a purge took a person's data along")


def check_purge(debian):
    data, settings = "/var/lib/lifesignal-server", "/etc/lifesignal-server"
    words = debian.run("apt-get", "purge", "--yes", "lifesignal", "lifesignal-server")
    if f"{data} is kept" not in words:
        fail(f"a purge does not say that it keeps the database:\n{words}")
    if not os.path.exists(debian.path(f"{data}/server.sqlite")):
        fail("a purge took the database along")
    if sorted(os.listdir(debian.path(settings))) != ["chain.pem", "key.pem"]:
        fail(f"a purge leaves {os.listdir(debian.path(settings))} of the settings, not the operator's certificate alone")
    if left := files(debian) - {data, settings}:
        fail(f"a purge leaves {', '.join(sorted(left))}")
    check_home(debian)
    passed("a purge keeps the database, everybody's own data and the operator's certificate, says so, and leaves nothing else")


def check(packages, newer, older=None):
    """`older` are packages of an earlier build, if the upgrade is to begin with them."""
    if os.geteuid() != 0:
        fail("--root needs root")
    promtool()
    with tempfile.TemporaryDirectory() as folder:
        debian = Debian(folder)
        check_install(debian, packages)
        check_use(debian)
        check_unused(debian)
    with tempfile.TemporaryDirectory() as folder:
        debian = Debian(folder)
        check_units(debian, older or packages, newer, older is not None)
        check_metrics(debian)
        check_purge(debian)
