"""A real gpsd, fed by gpsfake with the sentences of a receiver (NMEA 0183) that are made here."""

import json
import os
import signal
import socket
import subprocess
import time

TIMEOUT_SECONDS = 30


def sentence(body):
    checksum = 0
    for byte in body.encode("ascii"):
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def degrees(value, width, positive, negative):
    """Degrees and minutes, as in 4634.57800,N."""
    minutes = abs(value) * 60
    return f"{int(minutes // 60):0{width}d}{minutes % 60:08.5f},{positive if value >= 0 else negative}"


def log(latitude=None, longitude=None):
    """A minute of a receiver: at this place, or without a fix."""
    has_fix = latitude is not None
    place = f"{degrees(latitude, 2, 'N', 'S')},{degrees(longitude, 3, 'E', 'W')}" if has_fix else ",,,"
    lines = []
    for second in range(60):
        clock = f"1200{second:02d}.00"
        if has_fix:
            lines += [f"GPRMC,{clock},A,{place},0.0,0.0,261126,,,A", f"GPGGA,{clock},{place},1,08,1.1,1800.0,M,48.0,M,,",
                      "GPGSA,A,3,02,05,07,09,13,16,20,29,,,,,1.9,1.1,1.6"]
        else:
            lines += [f"GPRMC,{clock},V,{place},,,261126,,,N", f"GPGGA,{clock},{place},0,00,,,M,,M,,", "GPGSA,A,1,,,,,,,,,,,,,,,"]
    return "".join(map(sentence, lines))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class GPSD:
    """On a port of 127.0.0.1, with the receiver's sentences from `text`, over and over. Unless `is_eager` it reads them when it is asked."""

    def __init__(self, folder, name, text, is_eager=True):
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        path = os.path.join(folder, f"{name}.nmea")
        with open(path, "w", encoding="ascii", newline="") as file:
            file.write(text)
        self.words = open(os.path.join(folder, f"{name}.log"), "w+", encoding="utf-8")
        # Ten sentences a second. Its socket for control is made in TMPDIR.
        command = ["/usr/bin/gpsfake", *(["--nowait"] if is_eager else []), "--quiet", "--cycle", "0.1", "--port", str(self.port), path]
        self.feeder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.words, stderr=self.words, cwd=folder,
                                       env={**os.environ, "TMPDIR": folder})
        self.daemon = None

    def wait_for_report(self, has_fix):
        """Returns once it reports what the receiver says, as it does to every client."""
        def is_reported(client):
            client.sendall(b'?WATCH={"enable":true,"json":true};\n')
            for line in client.makefile():
                report = json.loads(line)
                if report["class"] == "TPV" and (report["mode"] >= 2) == has_fix:
                    return True
            return False

        self.wait_until(is_reported)

    def wait_until(self, is_ready=lambda client: True):
        """Returns once a connection can be made of which this is true; ends the program if there is none."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline and self.feeder.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5) as client:
                    if is_ready(client):
                        self.daemon = self.child()
                        return
            except OSError:
                pass
            time.sleep(0.05)
        self.end()
        self.words.seek(0)
        raise SystemExit(f"check-gpsd: gpsd does not report: {self.words.read()}")

    def child(self):
        """The id of the gpsd that gpsfake started."""
        with open(f"/proc/{self.feeder.pid}/task/{self.feeder.pid}/children", encoding="ascii") as file:
            return int(file.read().split()[0])

    def kill(self):
        """Ends gpsd at once, by its id."""
        os.kill(self.daemon, signal.SIGKILL)

    def end(self):
        """Ends gpsfake by its id, which ends gpsd."""
        if self.feeder.poll() is None:
            self.feeder.send_signal(signal.SIGTERM)
        try:
            self.feeder.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.feeder.kill()
            self.feeder.wait()
