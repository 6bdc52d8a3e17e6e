"""Programs that open links: scanners of mail, previews of chats, and browsers without a person."""

import re
import urllib.parse

from selenium.common.exceptions import WebDriverException

from .chromium import Browser
from .scene import FORM

AGENTS = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "WhatsApp/2.23.20.0", "TelegramBot (like TwitterBot)", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) BarracudaCentral", "Mozilla/4.0 (compatible; ms-office; MSOffice 16)",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
    "curl/7.88.1", "",
)

# Everything that a script can do without a person: what a browser does for a press has `isTrusted`, and this has not.
EVERYTHING = """
  var events = ["pointerdown", "pointerup", "pointercancel", "mousedown", "mouseup", "touchstart", "touchmove", "touchend", "wheel", "keydown",
    "keyup", "click", "input", "change", "submit", "focus", "scroll", "visibilitychange"];
  scrollTo(0, document.documentElement.scrollHeight);
  scrollBy(0, -10);
  document.querySelectorAll("*").forEach(function (element) {
    if (element.focus) { element.focus(); element.blur(); }
    events.forEach(function (name) { element.dispatchEvent(new Event(name, {bubbles: true, cancelable: true})); });
    if (element.matches("button")) element.click();
  });
  events.forEach(function (name) { window.dispatchEvent(new Event(name)); document.dispatchEvent(new Event(name)); });
  localStorage.setItem("everything", String(Number(localStorage.getItem("everything")) + 1));
  var forms = document.forms, way = arguments[0];
  for (var i = 0; i < forms.length; i++) {
    if (way === 0) forms[i].submit();
    else if (way === 1) forms[i].requestSubmit();
    else if (forms[i].querySelector("button")) {
      try { forms[i].requestSubmit(forms[i].querySelector("button")); } catch (error) { forms[i].submit(); }
    }
  }
"""


def submit_forms(scene, page):
    """As a program without scripts does: every form with the values that stand in it."""
    path = page.removeprefix(scene.origin)
    text = scene.send("GET", path)[2].decode()
    for form in re.findall(r"<form.*?</form>", text, re.S):
        action = re.search(r'action="([^"]*)"', form).group(1)
        fields = {}
        for tag in re.findall(r"<(?:input|button|select|textarea)[^>]*>", form):
            name, value = (re.search(rf'\b{key}="([^"]*)"', tag) for key in ("name", "value"))
            isChosen = 'type="radio"' not in tag and 'type="checkbox"' not in tag or " checked" in tag
            if name and isChosen:
                fields[name.group(1)] = value.group(1) if value else "x"
        scene.send("POST", action, urllib.parse.urlencode(fields), FORM)


def visit_as_programs(scene, page, visits, hasBrowser=True):
    """Visits the page so often, in all ways; returns how often in each."""
    browsers = max(8, visits // 100) if hasBrowser else 0
    path = page.removeprefix(scene.origin)
    counts = {"GET": 0, "HEAD": 0, "forms": 0, "browser": 0}
    for number in range(visits - browsers):
        headers = {"User-Agent": AGENTS[number % len(AGENTS)]}
        kind = ("GET", "HEAD", "forms")[number % 3]
        if kind == "forms":
            submit_forms(scene, page)
        else:
            scene.send(kind, path, headers=headers)
        counts[kind] += 1
    for scripts in (True, False) if hasBrowser else ():
        with Browser(scripts=scripts) as browser:
            rounds = browsers // 2 if scripts else browsers - browsers // 2
            for number in range(rounds):
                browser.open(page)
                try:
                    browser.run(EVERYTHING, number % 3)
                except WebDriverException:
                    pass  # The script's own navigation ended it.
                counts["browser"] += 1
            if scripts:
                browser.open(page)
                done = browser.run("return Number(localStorage.getItem('everything'))")
                assert done == rounds, f"{done} of {rounds} scripts did everything"
    return counts
