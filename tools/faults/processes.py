"""Processes below a process, read from /proc."""

import contextlib
import glob


def children_of(pid):
    """The process ids of its children; none if it is gone. Threads that end meanwhile are left out."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            found += [int(child) for child in file.read().split()]
    return found


def all_below(pid):
    """The process ids of its children, of their children, and so on."""
    children = children_of(pid)
    return children + [found for child in children for found in all_below(child)]
