"""What the kernel knows of a process."""

import os


def voluntary_switches(process):
    """Of all its threads: each is one wake-up."""
    tasks = os.listdir(f"/proc/{process}/task")
    return sum(int(status_field(f"{process}/task/{task}", "voluntary_ctxt_switches")) for task in tasks)


def processor_seconds(process):
    """Of all its threads so far."""
    total = 0
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def resident_mebibytes(process):
    return int(status_field(process, "VmRSS")) / 1024


def peak_mebibytes(process):
    return int(status_field(process, "VmHWM")) / 1024


def status_field(process, name):
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(line.split()[1] for line in file if line.startswith(name + ":"))
