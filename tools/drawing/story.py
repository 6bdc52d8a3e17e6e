"""A person with a real device and two responders, on a real server."""

import json
import os
import subprocess
import sys
import time

from browser.scene import Scene

PHONE = "+1 202 555 0123"
NAME = "Mia Keller"
RESPONDERS = {"Ana": "+1 202 555 0143", "Ben": "+1 202 555 0144"}
MESSAGE, PLACE = "Fell on the north ridge, cannot walk", "46.5763,7.9905"
# One that has no summer time: times before a change of it are shown with their offset.
TIME_ZONE = "UTC"
# Earlier alerts: how many days ago, at what time (UTC), for how many minutes, and whether it was a drill.
PAST = ((51, "11:15", 5, True), (23, "16:40", 95, False), (9, "07:05", 6, True), (2, "17:30", 4, True))
TIMEOUT_SECONDS = 60


class Story:
    def __init__(self, binaries, folder):
        self.program = os.path.join(binaries, "lifesignal")
        self.scene = Scene(os.path.join(binaries, "lifesignal-server"), folder)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("LIFESIGNAL_")}
        self.environment = {**inherited, "LIFESIGNAL_HOME": os.path.join(folder, "home"), "TZ": TIME_ZONE, "LIFESIGNAL_BACKGROUND": "off",
                            "LIFESIGNAL_POWER_SUPPLY": "/none"}

    def end(self):
        self.scene.end()

    def run(self, *arguments):
        """What `lifesignal` prints; ends this program if it fails."""
        result = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        if result.returncode != 0:
            sys.exit(f"pictures: lifesignal {' '.join(arguments)}: status {result.returncode}: {result.stderr or result.stdout}")
        return result.stdout

    # What happened before

    def past_alerts(self):
        """Raises and ends alerts on another device of the person, who has no responders then."""
        scene = self.scene
        for days, start, minutes, is_drill in PAST:
            hour, minute = map(int, start.split(":"))
            began = (time.time() // 86_400 - days) * 86_400 + hour * 3600 + minute * 60
            alert, _ = scene.raise_alert(started_at=stamp(began), drill=is_drill)
            scene.sync(scene.mutation("alert.deactivate", alert, {"ended_at": stamp(began + minutes * 60)}))

    def set_up(self):
        """Signs the device in, and adds the responders."""
        self.run("config", "set", "endpoint", self.scene.origin)
        self.sign_in()
        self.run("profile", "set", "--name", NAME)
        for name, phone in RESPONDERS.items():
            channel = f"http://127.0.0.1:{self.scene.receiver.server_port}/{name}"
            self.run("contacts", "add", phone, "--name", name, "--responder", "--channel", channel)
            self.scene.responder_count += 1
        self.run("sync")

    def sign_in(self):
        asking = subprocess.Popen([self.program, "sign-in", PHONE], env=self.environment, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        code = self.scene.server.wait_for(r"code for \+12025550123: (\d{6})")
        said, _ = asking.communicate(code + "\n", timeout=TIMEOUT_SECONDS)
        if asking.returncode != 0:
            sys.exit(f"pictures: lifesignal sign-in: status {asking.returncode}: {said}")

    # The alert

    def raise_alert(self):
        """Raises it on the device. Returns the URL of each responder's page by name."""
        self.run("alert", "activate", "--yes", "--message", MESSAGE, "--location", PLACE)
        return self.scene.pages(json.loads(self.run("alert", "status", "--json"))["alert"]["id"])


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))
