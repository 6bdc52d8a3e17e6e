"""A program in a terminal of a fixed size, and what the terminal shows."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

COLUMNS, ROWS = 80, 24
TIMEOUT_SECONDS = 30
# The screen is drawn whole if the program writes nothing for so long.
QUIET_SECONDS = 0.2

# pyte ignores the attribute "faint" (SGR 2). Nothing here is italic, so that flag stands for it.
pyte.graphics.TEXT[2] = "+italics"


class Terminal:
    """A pseudo-terminal with one program, which is ended at the end of a `with`."""

    def __init__(self, command, environment):
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        # pyte emulates the terminal that terminfo calls "linux".
        variables = {**environment, "TERM": "linux", "LC_ALL": "C.UTF-8"}
        for name in ("LINES", "COLUMNS", "NO_COLOR"):
            variables.pop(name, None)
        self.process = subprocess.Popen(
            command, stdin=terminal, stdout=terminal, stderr=terminal, env=variables, start_new_session=True)
        os.close(terminal)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        try:
            # A program that ends restores its terminal, which must take that output.
            while self.read(TIMEOUT_SECONDS):
                pass
            self.process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.controller)

    def read(self, seconds):
        """Shows what the program writes within so long; False if that is nothing, or if the program has ended."""
        if not select.select([self.controller], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.controller, 1 << 16)
        except OSError:  # EIO: nothing has the terminal open.
            return False
        self.stream.feed(data)
        return bool(data)

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait_for(self, *patterns):
        """Returns when the terminal shows all patterns, and nothing more is written. Ends this program if that takes too long."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            is_quiet = not self.read(QUIET_SECONDS)
            missing = [pattern for pattern in patterns if not re.search(pattern, self.text, re.I)]
            if is_quiet and not missing:
                return
            if self.process.poll() is not None:
                sys.exit(f"pictures: the screen ended with status {self.process.returncode}:\n{self.text}")
        sys.exit(f"pictures: the screen does not show {missing}:\n{self.text}")
