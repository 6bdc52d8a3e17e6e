"""A terminal of 80 columns and 24 lines with a program in it."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

LINES, COLUMNS = 24, 80


class Terminal:
    """Runs `command` with this as its terminal, until the block ends."""

    def __init__(self, command):
        self.controller, program_end = pty.openpty()
        fcntl.ioctl(program_end, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        environment = os.environ | {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=program_end, stdout=program_end, stderr=program_end, env=environment, start_new_session=True)
        os.close(program_end)

    def press(self, key):
        os.write(self.controller, key)

    def wait_for(self, text=b"", seconds=30):
        """When `text` was drawn, or anything, in seconds of the monotonic clock."""
        deadline = time.monotonic() + seconds
        while select.select([self.controller], [], [], max(0, deadline - time.monotonic()))[0]:
            if text in os.read(self.controller, 1 << 16):
                return time.monotonic()
        raise RuntimeError("the program drew nothing")

    def settle(self, quiet_seconds):
        """Reads until nothing was drawn for so long."""
        while select.select([self.controller], [], [], quiet_seconds)[0]:
            os.read(self.controller, 1 << 16)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        # What it draws at its end is in the way until it is read. Reading fails where nobody is left to write.
        with contextlib.suppress(OSError):
            self.settle(0.2)
        self.process.wait()
        os.close(self.controller)
