"""Commands that have to succeed, and what is said of them."""

import os
import subprocess


def fail(words):
    raise SystemExit(f"check-package: {words}")


def passed(words):
    print(f"check-package: {words}", flush=True)


def run(*command, environment=None, umask=-1, together=False):
    """The output of a command, with its errors if `together`. Shows all of it, and ends, if the command fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if together else subprocess.PIPE, text=True,
        env=environment or os.environ, umask=umask, errors="replace")
    if done.returncode != 0:
        fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr or ''}")
    return done.stdout.strip()
