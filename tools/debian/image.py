"""The server's image: built from packaging/Containerfile and run, where no container engine runs and no registry can be reached.

mmdebstrap makes the base, under the name in the recipe's FROM. buildah builds in a chroot and keeps the images in a folder of their own.
crun runs the image as its configuration says and as the recipe's comment says to run it: its user, entry point, command and volume, all
else read-only, no capability and no new rights. It has a network of its own.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from .root import BUILD, SUITE
from .steps import fail, passed, run

TOOLS = ("mmdebstrap", "buildah", "crun", "nsenter", "curl")
BASE = f"docker.io/library/debian:{SUITE}-slim"
DATA = "/var/lib/lifesignal-server"
SETTINGS = "/etc/lifesignal-server/server.conf"
LIMIT_SECONDS = 30
CAPABILITY_SETS = ("bounding", "effective", "inheritable", "permitted", "ambient")
ONLY_SECOND_VERSION = "umount --recursive /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup"
NAMESPACES = ("pid", "network", "ipc", "uts", "mount")


def reason_to_skip():
    """Why this machine cannot build and run the image; None if it can."""
    missing = [name for name in TOOLS if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} is missing: tools/setup --packages"
    return None if os.geteuid() == 0 else "it needs root"


def base():
    """The archive of the base, made if it is not there."""
    archive = os.path.join(BUILD, "debian", f"{SUITE}-slim.tar")
    if not os.path.exists(archive):
        os.makedirs(os.path.dirname(archive), exist_ok=True)
        passed(f"making {archive}, once")
        run("mmdebstrap", "--variant=minbase", SUITE, archive + ".new.tar")
        os.rename(archive + ".new.tar", archive)
    return archive


class Images:
    """The images in a folder. They need nobody's settings and touch nobody's images."""

    def __init__(self, folder):
        settings = os.path.join(folder, "storage.conf")
        with open(settings, "w", encoding="utf-8") as file:
            file.write(f'[storage]\ndriver = "vfs"\ngraphroot = "{folder}/images"\nrunroot = "{folder}/running"\n')
        self.environment = {**os.environ, "CONTAINERS_STORAGE_CONF": settings, "BUILDAH_ISOLATION": "chroot"}

    def buildah(self, *words):
        return run("buildah", *words, environment=self.environment)

    def add(self, archive, name):
        container = self.buildah("from", "scratch")
        self.buildah("add", "--quiet", container, archive, "/")
        self.buildah("commit", "--quiet", "--rm", container, name)

    def configuration(self, tag):
        return json.loads(self.buildah("inspect", "--type", "image", tag))["OCIv1"]["config"]

    def unpack(self, tag):
        return self.buildah("mount", self.buildah("from", "--pull-never", tag))

    def remove_all(self):
        self.buildah("rm", "--all")
        self.buildah("rmi", "--all", "--force")


class Container:
    """A run of the image. `arguments` come in the place of its command, and files of this machine over its own, read-only."""

    count = 0

    def __init__(self, root, configuration, volume, scratch, arguments=None, files=None):
        Container.count += 1
        self.name = f"lifesignal-check-{os.getpid()}-{Container.count}"
        bundle = os.path.join(scratch, self.name)
        os.mkdir(bundle)
        with open(os.path.join(bundle, "config.json"), "w", encoding="utf-8") as file:
            json.dump(specification(root, configuration, volume, arguments, files or {}), file)
        self.user = configuration["User"]
        self.log = os.path.join(bundle, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*crun(scratch), "run", "--bundle", bundle, self.name], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.scratch = scratch

    def words(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def process_id(self):
        return json.loads(run(*crun(self.scratch), "state", self.name))["pid"]

    def execute(self, *words):
        return run(*crun(self.scratch), "exec", f"--user={self.user}", self.name, *words)

    def get(self, url, *options):
        """The body, as a program beside the container gets it; nothing if there is no answer of 200."""
        command = ["nsenter", "--target", str(self.process_id()), "--net", "curl", "--silent", "--fail", "--max-time", "2", *options, url]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()

    def await_ready(self):
        end = time.monotonic() + LIMIT_SECONDS
        while "listening on" not in self.words() or self.get("http://127.0.0.1:8080/ready") != "ready":
            if self.process.poll() is not None or time.monotonic() > end:
                fail(f"the server in the image does not become ready:\n{self.words()}")
            time.sleep(0.1)

    def end(self, name):
        """Sends it a signal. Returns its exit status."""
        run(*crun(self.scratch), "kill", self.name, name)
        return self.exit_status()

    def exit_status(self):
        try:
            return self.process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            run(*crun(self.scratch), "delete", "--force", self.name)
            fail(f"the server in the image does not end:\n{self.words()}")

    def remove(self):
        if self.process.poll() is None:
            subprocess.run([*crun(self.scratch), "delete", "--force", self.name], check=False)
            self.process.wait()


def crun(scratch):
    command = ["crun", f"--root={scratch}/crun", "--cgroup-manager=disabled"]
    if not os.path.exists("/sys/fs/cgroup/unified"):
        return command
    # It refuses machines with both versions of control groups, also where it is to use none: it sees the second version alone.
    return ["unshare", "--mount", "sh", "-c", f"{ONLY_SECOND_VERSION} && exec \"$@\"", "sh", *command]


def specification(root, configuration, volume, arguments, files):
    """What crun reads (OCI runtime specification), from the image's configuration (OCI image specification)."""
    user, group = configuration["User"].split(":")
    mounts = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=64k"]},
    ]
    mounts += [bind(volume, place, "rw") for place in configuration["Volumes"]]
    mounts += [bind(source, place, "ro") for place, source in files.items()]
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": int(user), "gid": int(group)},
            "args": configuration["Entrypoint"] + (configuration["Cmd"] if arguments is None else arguments),
            "env": configuration["Env"],
            "cwd": configuration.get("WorkingDir") or "/",
            "capabilities": {name: [] for name in CAPABILITY_SETS},
            "noNewPrivileges": True,
        },
        "root": {"path": root, "readonly": True},
        "mounts": mounts,
        "linux": {"namespaces": [{"type": name} for name in NAMESPACES]},
    }


def bind(source, place, access):
    return {"destination": place, "type": "bind", "source": source, "options": ["bind", access, "nosuid", "nodev"]}


def make_volume(root, folder):
    """An empty one, which belongs to whom the folder in the image belongs, as engines make it."""
    os.mkdir(folder)
    owner = os.stat(root + DATA)
    os.chown(folder, owner.st_uid, owner.st_gid)
    os.chmod(folder, owner.st_mode & 0o7777)
    return folder


def check_rights(container):
    with open(f"/proc/{container.process_id()}/status", encoding="utf-8") as file:
        status = file.read()
    for line in (r"Uid:\t900\t900\t900\t900", r"Gid:\t900\t900\t900\t900", r"CapBnd:\t0+", r"NoNewPrivs:\t1"):
        if re.search(f"^{line}$", status, re.M) is None:
            fail(f"the server in the image has other rights than {line}:\n{status}")


def check_first_run(start):
    container = start()
    container.await_ready()
    check_rights(container)
    container.execute("lifesignal-server", "admin", "backup", f"{DATA}/copy.sqlite")
    begun = time.monotonic()
    if container.end("TERM") != 0 or "ended by SIGTERM" not in container.words():
        fail(f"SIGTERM does not end the server in the image as it should:\n{container.words()}")
    passed(f"the image becomes ready as user 900 without any right, and ends {time.monotonic() - begun:.1f} s after SIGTERM")


def check_volume(start):
    container = start()
    container.await_ready()
    if container.end("KILL") != 128 + signal.SIGKILL:
        fail(f"the server in the image outlives SIGKILL:\n{container.words()}")
    again = start()
    again.await_ready()
    if "empty database" in container.words() + again.words():
        fail(f"the database did not stay in the image's volume:\n{again.words()}")
    again.end("TERM")
    passed("its volume keeps the database, also when it is killed")


def check_settings(start, volume, scratch):
    own = os.path.join(scratch, "server.conf")
    with open(own, "w", encoding="utf-8") as file:
        file.write(f"database = {DATA}/server.sqlite\noperator = unix:{DATA}/operator.sock\n")
    os.chmod(own, 0o644)
    container = start(files={SETTINGS: own})
    container.await_ready()
    if "lifesignal_alerts 0" not in container.get("http://localhost/metrics", "--unix-socket", f"{volume}/operator.sock"):
        fail(f"the operator's pages are not at the socket in the image's volume:\n{container.words()}")
    container.end("TERM")
    with open(own, "a", encoding="utf-8") as file:
        file.write("lisen = 0.0.0.0:8080\n")
    wrong = start(files={SETTINGS: own})
    if wrong.exit_status() != 65 or "Did you mean “listen”" not in wrong.words():
        fail(f"wrong settings do not end the server in the image:\n{wrong.words()}")
    passed("it uses settings from outside, the operator's pages are at a socket in its volume, and wrong settings end it")


def check_postgres(start):
    container = start(arguments=["--database", "postgresql://lifesignal@127.0.0.1:9/lifesignal"])
    if container.exit_status() != 69 or "cannot be reached" not in container.words():
        fail(f"the image cannot use PostgreSQL:\n{container.words()}")
    passed("it has what PostgreSQL needs")


def check(build):
    """`build` builds the image in an environment, and returns its tag."""
    if reason := reason_to_skip():
        return passed(f"the image is NOT checked: {reason}")
    with tempfile.TemporaryDirectory() as scratch:
        images = Images(scratch)
        containers = []
        try:
            images.add(base(), BASE)
            tag = build(images.environment)
            passed(f"buildah builds {tag} from {BASE} of this machine")
            root, configuration = images.unpack(tag), images.configuration(tag)
            if os.listdir(root + "/var/lib/apt/lists") or [name for name in os.listdir(root + "/var/cache/apt/archives") if ".deb" in name]:
                fail("the image contains what apt fetched")
            volume = make_volume(root, os.path.join(scratch, "volume"))

            def start(**wanted):
                containers.append(Container(root, configuration, volume, scratch, **wanted))
                return containers[-1]

            check_first_run(start)
            check_volume(start)
            check_settings(start, volume, scratch)
            check_postgres(start)
        finally:
            for container in containers:
                container.remove()
            images.remove_all()
