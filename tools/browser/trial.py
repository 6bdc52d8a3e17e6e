"""What people do with the page of a responder, and what it must do then."""

import os
import signal
import statistics
import time

from selenium.webdriver import ActionChains, Keys

from .chromium import Browser
from .robots import visit_as_programs
from .scene import FORM

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AXE = os.path.join(ROOT, ".build", "axe", "axe_playwright_python", "axe.min.js")
LONG_NAME = "שרה " + "Wolfeschlegelsteinhausenbergerdorff " * 2 + "<b>x</b>"

# In milliseconds: three times what is wanted, as other programs may run beside this one.
FIRST_PAINT_LIMIT = 300
RELOAD_SECONDS = 15
SILENCE_SECONDS = 90

found = []


def expect(condition, text):
    if not condition:
        found.append(text)
        print(f"check-page: {text}", flush=True)


class Trial:
    def __init__(self, scene, pictures):
        self.scene = scene
        self.pictures = pictures
        with open(AXE, encoding="utf-8") as file:
            self.axe = file.read()

    def look(self, browser, name):
        """Checks what can be seen and heard, and keeps a picture."""
        for violation in browser.violations(self.axe):
            expect(False, f"{name}: axe: {violation}")
        for fault in browser.faults():
            expect(False, f"{name}: the browser says: {fault}")
        width = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        expect(width[0] <= width[1], f"{name}: wider than the screen: {width}")
        for element in browser.find("button, a.button, label"):
            if element.is_displayed() and element.text:
                expect(element.size["height"] >= 48, f"{name}: {element.text!r} is {element.size['height']} px high")
        if self.pictures:
            browser.picture(os.path.join(self.pictures, f"{name}.png"))

    # The trials

    def answering(self):
        scene = self.scene
        place = {"latitude": 52.5163, "longitude": 13.3777}
        alert, pages = scene.raise_alert(message="I fell in the stairwell", location=place)
        with Browser() as browser, Browser() as other:
            browser.open(pages["Ana"])
            other.open(pages["Ben"])
            for text in ("+12025550123 needs help", "I fell in the stairwell", "Ben: message sent"):
                browser.wait_for(text)
            self.look(browser, "help")
            expect(scene.states(alert) == {"Ana": "sent", "Ben": "sent"}, f"opening made {scene.states(alert)}")
            browser.find("h1")[0].click()
            self.wait_for_states(alert, {"Ana": "seen", "Ben": "sent"})
            other.wait_for("Ana opened the page")

            field = browser.find("[name=text]")[0]
            field.send_keys("Ten min")
            scene.update(alert, message="Third floor")
            browser.wait_for("Third floor")
            field = browser.find("[name=text]")[0]
            expect(field.get_attribute("value") == "Ten min", "what is typed is lost when the page changes")
            expect(browser.run("return document.activeElement.name") == "text", "the focus is lost when the page changes")
            field.send_keys("utes")
            browser.press("I'm responding")
            browser.wait_for("You answered: I'm responding")
            self.wait_for_states(alert, {"Ana": "acknowledged", "Ben": "sent"})
            other.wait_for("Ana is responding: “Ten minutes”")
            self.look(browser, "responding")
            self.look(other, "others")
            browser.press("I'm on my way")
            other.wait_for("Ana is on the way")
            other.press("I can't")
            browser.wait_for("Ben can't respond")
            expect(scene.states(alert)["Ben"] == "seen", "a refusal acknowledged")
            scene.end_alert(alert)
            browser.wait_for("is safe now")
            expect(not browser.find("form"), "there is a form after the end")
            self.look(browser, "safe")

    def wait_for_states(self, alert, wanted, seconds=10):
        deadline = time.monotonic() + seconds
        while self.scene.states(alert) != wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        expect(self.scene.states(alert) == wanted, f"{self.scene.states(alert)} in place of {wanted}")

    def keyboard(self):
        """With the keyboard alone, and what a screen reader tells."""
        alert, pages = self.scene.raise_alert()
        with Browser() as browser:
            browser.open(pages["Ana"])
            browser.wait_for("needs help")
            told = browser.accessible_names()
            for wanted in (("heading", "+12025550123 needs help"), ("button", "I'm responding"), ("button", "I can't"),
                           ("textbox", "Add a note (optional)"), ("link", "Call +12025550123")):
                expect(list(wanted) in told, f"a screen reader is not told {wanted}: {told}")
            browser.run("document.querySelector('#answer-responding').focus()")
            ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
            browser.wait_for("You answered")
            self.wait_for_states(alert, {"Ana": "acknowledged", "Ben": "sent"})
            self.wait_for_focus(browser, "given")
        self.scene.end_alert(alert)

    def overlapping(self):
        """There is news while an answer is on its way. What the page was before the answer does not come back."""
        alert, pages = self.scene.raise_alert()
        with Browser() as browser, Browser() as other:
            for each, name in ((browser, "Ana"), (other, "Ben")):
                each.open(pages[name])
                each.wait_for("needs help")
            # The answer is held back before the server has it, and loads after the server answered.
            browser.run("""
              const fetch = window.fetch, isAnswered = new Promise(go => { window.letLoads = go; });
              window.fetch = async function (place, options) {
                if (options.method === "POST") await new Promise(go => { window.letAnswer = go; });
                const response = await fetch(place, options);
                if (options.method !== "POST") await isAnswered;
                return response;
              };
            """)
            browser.run("document.querySelector('#answer-responding').focus()")
            ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
            browser.wait_until("return !!window.letAnswer")
            self.scene.update(alert, message="Fourth floor")
            other.wait_for("Fourth floor")
            # A page may wait that long before it loads.
            time.sleep(1.5)
            browser.run("letAnswer()")
            browser.wait_for("You answered")
            browser.run("""
              new MutationObserver(() => { window.isLost = window.isLost || !document.querySelector("#given"); })
                .observe(document.body, {childList: true, subtree: true});
              letLoads();
            """)
            browser.wait_for("Fourth floor")
            self.wait_for_focus(browser, "given")
            expect(not browser.run("return window.isLost"), "the answer vanished from the page")
        self.scene.end_alert(alert)

    @staticmethod
    def wait_for_focus(browser, part):
        browser.wait_until(f"return document.activeElement.id === '{part}'")

    def scrolling(self):
        """Whoever scrolls with a finger has seen it; a script or a wheel that scrolls may be a program that takes pictures."""
        for source, state in (("mouse", "sent"), ("touch", "seen")):
            alert, pages = self.scene.raise_alert(message="I fell in the stairwell")
            with Browser(size=(320, 240)) as browser:
                browser.command("Emulation.setTouchEmulationEnabled", enabled=source == "touch")
                browser.open(pages["Ana"])
                browser.wait_for("needs help")
                browser.run("scrollTo(0, 60)")
                before = browser.run("return scrollY")
                browser.scroll(100, source)
                time.sleep(0.5)
                expect(browser.run("return scrollY") > before, f"a {source} scrolls nothing")
                self.wait_for_states(alert, {"Ana": state, "Ben": "sent"})
            self.scene.end_alert(alert)

    def long_press(self):
        """The page changes while a finger is on a button."""
        alert, pages = self.scene.raise_alert()
        with Browser() as browser, Browser() as other:
            browser.open(pages["Ana"])
            browser.wait_for("needs help")
            other.open(pages["Ben"])
            other.wait_for("needs help")

            def others_answer():
                other.press("I can't")
                other.wait_for("You answered")
                self.scene.update(alert, message="Fourth floor")
                other.wait_for("Fourth floor")
                time.sleep(0.5)

            browser.find("[name=text]")[0].send_keys("by car")
            browser.hold("I'm responding", others_answer)
            browser.wait_for("You answered: I'm responding")
            browser.wait_for("“by car”")
            browser.wait_for("Fourth floor")
            browser.wait_for("Ben can't respond")
        self.scene.end_alert(alert)

    def without_scripts(self):
        alert, pages = self.scene.raise_alert()
        with Browser(scripts=False) as browser:
            browser.open(pages["Ana"])
            browser.wait_for("needs help")
            expect('http-equiv="refresh"' in self.scene.send("GET", pages["Ana"].removeprefix(self.scene.origin))[2].decode(), "no reload")
            if self.pictures:
                browser.picture(os.path.join(self.pictures, "without-scripts.png"))
            browser.press("Send")
            time.sleep(0.2)
            expect(self.scene.states(alert)["Ana"] == "sent", "a form without a choice acknowledged")
            browser.press("I'm responding")
            browser.press("Send")
            browser.wait_for("You answered: I'm responding")
            expect(browser.driver.current_url == pages["Ana"], f"the form led to {browser.driver.current_url}")
            expect(self.scene.states(alert)["Ana"] == "acknowledged", "the form did not acknowledge")
        self.scene.end_alert(alert)

    def another_alert(self):
        """The person needs help again: the page of the alert that is over says so, with and without scripts, and leads to the new one."""
        alert, pages = self.scene.raise_alert()
        with Browser() as browser, Browser(scripts=False) as plain:
            for each in (browser, plain):
                each.open(pages["Ana"])
            self.scene.end_alert(alert)
            browser.wait_for("is safe now")
            newer, newer_pages = self.scene.raise_alert()
            for each in (browser, plain):
                each.driver.refresh()
                each.wait_for("Another alert is active.")
                expect("safe" not in each.text and "Nobody needs" not in each.text, "a page says safe while the person is in danger")
                each.find("#active")[0].click()
                expect(each.driver.current_url == newer_pages["Ana"], f"the link led to {each.driver.current_url}")
            browser.open(pages["Ana"])
            self.look(browser, "another-alert")
            self.scene.end_alert(newer)
            browser.wait_for("is safe now")

    def reloading(self):
        """Without scripts the page loads itself again while the alert is active."""
        alert, pages = self.scene.raise_alert()
        with Browser(scripts=False) as browser:
            browser.open(pages["Ana"])
            browser.wait_for("needs help")
            self.scene.update(alert, message="Fifth floor")
            seconds = browser.wait_for("Fifth floor", seconds=RELOAD_SECONDS + 10)
            expect(seconds > 1, "the page was not open before the change")
            self.scene.end_alert(alert)
            browser.wait_for("is safe now", seconds=RELOAD_SECONDS + 10)

    def silence(self):
        """The person's device falls silent while the page is open. Nobody else may use this device meanwhile."""
        alert, pages = self.scene.raise_alert()
        last = time.monotonic()
        silent = "No contact with the device since"
        # It looks every 30 seconds: so that the third time is right after the device has been silent for long enough.
        time.sleep(4)
        with Browser() as browser:
            browser.open(pages["Ana"])
            browser.wait_for("needs help")
            expect(silent not in browser.text, "a device is called silent that was just heard from")
            browser.wait_for(silent, seconds=SILENCE_SECONDS + 40)
            seconds = time.monotonic() - last
            expect(seconds >= SILENCE_SECONDS - 1, f"a device is called silent after {seconds:.0f} s")
            self.look(browser, "silent")
            self.scene.update(alert, message="Sixth floor")
            browser.wait_for("Sixth floor")
            expect(silent not in browser.text, "a device is called silent that was heard from again")
        self.scene.end_alert(alert)
        print(f"check-page: a silent device is shown after {seconds:.0f} s")

    def wrong_clock(self):
        """The responder's device has a wrong clock: durations follow the server's all the same."""
        alert, pages = self.scene.raise_alert()
        for hours in (3, -3):
            with Browser() as browser:
                browser.set_clock(hours)
                browser.open(pages["Ana"])
                browser.wait_for("needs help")
                error = browser.run("return Date.now()") / 1000 - time.time()
                expect(abs(error - hours * 3600) < 60, f"the page's clock is wrong by {error:.0f} s")
                self.expect_running(browser, f"{hours:+} h")
                self.scene.update(alert, message=f"Floor {hours}")
                browser.wait_for(f"Floor {hours}")
                self.expect_running(browser, f"{hours:+} h, after a change")
        self.scene.end_alert(alert)

    @staticmethod
    def expect_running(browser, name):
        """How long the alert, raised less than a minute ago, has lasted: seconds that advance."""
        read = "return document.querySelector('[data-since]').textContent"
        first, deadline = browser.run(read), time.monotonic() + 5
        while (second := browser.run(read)) == first and time.monotonic() < deadline:
            time.sleep(0.05)
        expect(first.endswith(" s") and second.endswith(" s") and first != second, f"{name}: the alert has lasted {first!r}, then {second!r}")

    def drill(self):
        alert, pages = self.scene.raise_alert(drill=True)
        with Browser() as browser:
            browser.open(pages["Ana"])
            browser.wait_for("DRILL: only a test")
            expect("needs help" not in browser.text, "a drill says that somebody needs help")
            self.look(browser, "drill")
            browser.press("I got this")
            browser.wait_for("You answered: I got this")
            expect(self.scene.states(alert)["Ana"] == "acknowledged", "a drill's press was not recorded")
        self.scene.end_alert(alert)

    def small_and_dark(self):
        """320 px, dark, the longest name from right to left, and the other languages."""
        self.scene.add_responder(LONG_NAME, "+12025550177")
        alert, pages = self.scene.raise_alert(message="<img src=x onerror=alert(1)> " + "w" * 200,
                                              location={"latitude": 90, "longitude": -180})
        for language, word in (("en", "I'm responding"), ("de", "Ich kümmere mich"), ("es", "Yo me encargo"), ("fr", "Je m'en occupe")):
            with Browser(size=(320, 568), dark=True, language=language) as browser:
                browser.open(pages["Ana"])
                browser.wait_for(word)
                expect("<b>x</b>" in browser.text and "<img src=x" in browser.text, f"{language}: markup is not shown as text")
                self.look(browser, f"small-{language}")
        self.scene.end_alert(alert)

    def without_network(self):
        """The server is out of reach for a while."""
        alert, pages = self.scene.raise_alert()
        with Browser() as browser:
            browser.open(pages["Ana"])
            browser.wait_for("needs help")
            browser.command("Network.enable")
            browser.command("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
            browser.press("I'm responding")
            browser.wait_for("NOT CONFIRMED")
            expect("You answered" not in browser.text, "an answer that was not sent is shown as sent")
            browser.command("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
            browser.press("I'm responding")
            browser.wait_for("You answered")
            expect("NOT CONFIRMED" not in browser.text, "the warning stays")
        self.scene.end_alert(alert)

    def stopped_server(self):
        """The server takes the connection and does not answer."""
        alert, pages = self.scene.raise_alert()
        with Browser() as browser:
            browser.open(pages["Ana"])
            browser.wait_for("needs help")
            process = self.scene.server.process
            process.send_signal(signal.SIGSTOP)
            try:
                browser.press("I'm responding")
                browser.wait_for("NOT CONFIRMED", seconds=15)
            finally:
                process.send_signal(signal.SIGCONT)
            # The answer may have been taken meanwhile.
            try:
                browser.wait_for("You answered", seconds=3)
            except AssertionError:
                browser.press("I'm responding")
                browser.wait_for("You answered")
            expect("NOT CONFIRMED" not in browser.text, "the warning stays")
            self.wait_for_states(alert, {**dict.fromkeys(pages, "sent"), "Ana": "acknowledged"})
        self.scene.end_alert(alert)

    def speed(self):
        alert, pages = self.scene.raise_alert()
        with Browser() as browser:
            # A machine that is busy with something else gets three tries.
            median = min(self.first_paint(browser, pages["Ana"]) for _ in range(3))
            body = self.scene.send("GET", pages["Ana"].removeprefix(self.scene.origin))[2]
            print(f"check-page: first paint {median:.0f} ms (median of 10, best of 3), {len(body)} bytes")
            expect(median <= FIRST_PAINT_LIMIT, f"the first paint took {median:.0f} ms")
            expect(len(body) <= 14_000, f"the page has {len(body)} bytes")
        self.scene.end_alert(alert)

    @staticmethod
    def first_paint(browser, page):
        """In milliseconds: the median of ten."""
        paints = []
        for _ in range(10):
            browser.open(page)
            paints.append(browser.wait_for("needs help") and browser.first_paint())
        return statistics.median(paints)

    def form(self):
        """The form as a browser without scripts sends it."""
        alert, pages = self.scene.raise_alert()
        path = pages["Ana"].removeprefix(self.scene.origin)
        expect(self.scene.send("GET", path)[0] == 200, "the page is not shown")
        status, headers, _ = self.scene.send("POST", path + "/acknowledgements", "answer=responding", FORM)
        expect((status, headers.get("Location")) == (303, path), f"the form is answered with {status} {headers.get('Location')}")
        expect(self.scene.states(alert)["Ana"] == "acknowledged", "the form did not acknowledge")
        self.scene.end_alert(alert)

    def programs(self, visits, hasBrowser):
        alert, pages = self.scene.raise_alert()
        self.wait_for_states(alert, dict.fromkeys(pages, "sent"))
        before = self.scene.states(alert)
        counts = visit_as_programs(self.scene, pages["Ana"], visits, hasBrowser)
        # What a touch would have sent is there by then.
        time.sleep(1)
        after = self.scene.states(alert)
        expect(before == after, f"programs made {after} of {before}")
        ways = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        print(f"check-page: {sum(counts.values())} visits of programs ({ways}): {list(after.values()).count('seen')} seen, "
              f"{list(after.values()).count('acknowledged')} acknowledged")
        self.scene.end_alert(alert)
