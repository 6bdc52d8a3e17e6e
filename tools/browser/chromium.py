"""Headless Chromium, and what a person does with it."""

import json
import time

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common import utils

TIMEOUT_SECONDS = 20
PHONE = (390, 844)


def failure_to_start():
    """Why Chromium does not start on this machine; None if it does."""
    for attempt in range(3):
        try:
            with Browser() as browser:
                browser.open("data:text/html,<title>it works</title>")
            return None
        except WebDriverException as error:
            reason = str(error).splitlines()[0]
    return reason


class Driver(Service):
    """chromedriver by its address: a machine may have no name for it."""

    @property
    def service_url(self):
        return f"http://127.0.0.1:{self.port}"

    def is_connectable(self):
        return utils.is_connectable(self.port, "127.0.0.1")


class Browser:
    """One browser, closed at the end of a `with`."""

    def __init__(self, size=PHONE, scripts=True, dark=False, language="en"):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-extensions",
                         "--disable-background-networking", "--no-first-run", f"--lang={language}"):
            options.add_argument(argument)
        preferences = {"intl.accept_languages": language}
        if not scripts:
            preferences["profile.managed_default_content_settings.javascript"] = 2
        options.add_experimental_option("prefs", preferences)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Driver("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(TIMEOUT_SECONDS)
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=2, mobile=True)
        if dark:
            self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.driver.quit()

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def set_clock(self, hours):
        """Has the clock of every page that is opened from now on go wrong by so many hours."""
        self.command("Page.addScriptToEvaluateOnNewDocument", source="""(function (Right, shift) {
          Date = class extends Right {
            constructor(...parts) { if (parts.length) super(...parts); else super(Right.now() + shift); }
            static now() { return Right.now() + shift; }
          };
        })(Date, %d * 3600000);""" % hours)

    def open(self, url):
        self.driver.get(url)

    @property
    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, text):
        """Presses the button, or chooses the option, with this text, as a finger does."""
        element = self.button(text)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def button(self, text):
        for element in self.find("button, label"):
            if element.text.strip() == text and element.is_displayed():
                return element
        raise AssertionError(f"there is no button {text!r} in: {self.text}")

    def hold(self, text, meanwhile):
        """Presses a button, does something, and releases it."""
        ActionChains(self.driver).click_and_hold(self.button(text)).perform()
        meanwhile()
        ActionChains(self.driver).release().perform()

    def scroll(self, pixels, source):
        """Scrolls down as a finger ("touch") or a wheel ("mouse") does."""
        if source == "mouse":
            self.command("Input.dispatchMouseEvent", type="mouseWheel", x=100, y=100, deltaX=0, deltaY=pixels)
            return
        places = [{"x": 100, "y": 200 - moved} for moved in range(0, pixels + 1, 10)]
        for kind, place in zip(["touchStart"] + ["touchMove"] * len(places), places):
            self.command("Input.dispatchTouchEvent", type=kind, touchPoints=[place])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def wait_for(self, text, seconds=TIMEOUT_SECONDS):
        """Returns after how many seconds the page shows the text."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            try:
                if text in self.text:
                    return time.monotonic() - start
            except WebDriverException:
                pass  # The page was replaced while it was read.
            time.sleep(0.01)
        raise AssertionError(f"{text!r} did not appear in {seconds} s: {self.text}")

    def wait_until(self, script, seconds=TIMEOUT_SECONDS):
        """Waits until the script returns a value that is true."""
        deadline = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < deadline, f"{script!r} stays false for {seconds} s: {self.text}"
            time.sleep(0.01)

    def first_paint(self):
        """When the page was first painted, in milliseconds. Waits until it was: its text can be read earlier."""
        return self.driver.execute_async_script("""
          const done = arguments[0], name = "first-contentful-paint";
          new PerformanceObserver(entries => entries.getEntriesByName(name).forEach(entry => done(entry.startTime)))
            .observe({type: "paint", buffered: true});""")

    def faults(self):
        """What the browser complains about, except answers that are errors on purpose."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]

    def violations(self, axe):
        """What axe finds against WCAG 2.2 AA and its own best practices, a line each."""
        # Past the page's policy, which allows no script from elsewhere.
        self.run(axe)
        result = self.driver.execute_async_script("""
            var done = arguments[arguments.length - 1];
            axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
              .then(done, function (error) { done({violations: [{id: String(error), nodes: []}]}); });""")
        return [f"{found['id']}: {[node['html'][:120] for node in found['nodes']]}" for found in result["violations"]]

    def picture(self, path):
        self.driver.save_screenshot(path)

    def accessible_names(self):
        """The role and name of each part that a screen reader tells."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored") and "role" in node]
        return json.loads(json.dumps(told))
