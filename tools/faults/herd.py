"""Thousands of devices and an outage or restart of the server: no stampede, and every alert is accepted."""

import json
import subprocess

from .context import require

NAMES = ("herd",)

# The size that a debug build runs in some seconds, and the size of the promise.
QUICK_DEVICES = 200
DEVICES = 10_000


class Course:
    """One seed: an outage of ten minutes, and a restart."""

    def __init__(self, context, seed):
        self.context, self.seed = context, seed
        self.reports = []

    def __str__(self):
        return f"seed {self.seed}"

    def perform(self):
        devices = DEVICES if self.context.is_long else QUICK_DEVICES
        command = [self.context.program("lifesignal-simulate"), "herd", "--devices", str(devices), "--seed", str(self.seed)]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.reports = [json.loads(line) for line in answer.stdout.splitlines()]
        require(len(self.reports) == 2, f"exit status {answer.returncode}: {answer.stderr or answer.stdout}")
        self.context.count(faults=len(self.reports))
        broken = [f"{report['scenario']}: {text}" for report in self.reports for text in report["violations"]]
        require(not broken and answer.returncode == 0, "; ".join(broken) or f"exit status {answer.returncode}")


def worst(reports, scenario, name):
    """The worst figure over all seeds."""
    reports = [report for report in reports if report["scenario"] == scenario]
    figures = {key: max(report[key] for report in reports) for key in ("ratio", "longest_alert_wait_seconds", "peak_per_second")}
    return {
        "name": name, **figures,
        "steady_per_second": min(report["steady_per_second"] for report in reports),
        "steady_busiest_second": min(report["steady"]["busiest_second"] for report in reports),
        "busiest_second": max(report["after"]["busiest_second"] for report in reports),
        "alerts": sum(report["alerts_accepted"] for report in reports),
    }


def run(context):
    courses = [Course(context, context.seed + number) for number in range(20 if context.is_long else 1)]
    context.each(courses, Course.perform)
    reports = [report for course in courses for report in course.reports]
    if not reports:
        return {}
    return {
        "devices": reports[0]["devices"],
        "seeds": len(reports) // 2,
        "courses": [worst(reports, "outage", "10 minutes away"), worst(reports, "restart", "restarted, 2 s")],
    }
