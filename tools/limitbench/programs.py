"""The programs of a run: ours, those that time the library, and the limit programs, which are built into its folder."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "limits")
PACKAGE = os.path.join(ROOT, "tools", "Benchmarks")
OURS = ("lifesignal", "lifesignal-server", "lifesignal-screen", "lifesignal-simulate")
TIMINGS = ("activation-timing", "alert-timing", "history-timing", "spawn-timing", "store-timing")
LIMITS = {
    "commits": ["-lsqlite3"], "one-commit": ["-lsqlite3"], "bulk": ["-lsqlite3"], "page": ["-lsqlite3"], "status": ["-lsqlite3"],
    "line-server": ["-lmicrohttpd", "-lsqlite3", "-lpthread"], "drain": ["-lcurl", "-lsqlite3"], "exchanges": ["-lsqlite3"]
}
C_OPTIONS = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-Wall", "-Wextra", "-Werror"]
SWIFT_OPTIONS = ["-O", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors"]


class Missing(Exception):
    """A program that is needed is not there."""


def last_line(command):
    """The last line that a build prints: the folder of its binaries."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]


def find(folder, names):
    """The paths by name. Raises `Missing`."""
    paths = {name: os.path.join(folder, name) for name in names}
    absent = [name for name, path in paths.items() if not os.access(path, os.X_OK)]
    if absent:
        raise Missing(f"there is no {absent[0]} in {folder}")
    return paths


def ours(folder):
    """In `folder`, or built where it is None."""
    return find(folder or last_line([os.path.join(ROOT, "tools", "build"), "lifesignal-simulate"]), OURS)


def timings(folder):
    """In `folder` if they are there; else built, which says so on standard error."""
    try:
        return find(folder or "", TIMINGS)
    except Missing:
        command = ["swift", "build", "--package-path", PACKAGE, "-c", "release", "--static-swift-stdlib"]
        subprocess.run(command, check=True, stdout=2)
        return find(last_line([*command, "--show-bin-path"]), TIMINGS)


def limits(folder):
    """Builds them into `folder`."""
    os.mkdir(folder)
    paths = {}
    for name, libraries in LIMITS.items():
        paths[name] = os.path.join(folder, name)
        subprocess.run(["cc", *C_OPTIONS, os.path.join(SOURCES, name + ".c"), "-o", paths[name], *libraries], check=True)
    paths["floor"] = os.path.join(folder, "floor")
    subprocess.run(["swiftc", *SWIFT_OPTIONS, os.path.join(SOURCES, "floor.swift"), "-o", paths["floor"]], check=True)
    return paths
