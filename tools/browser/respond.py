#!/usr/bin/python3
"""Opens the page of a responder and answers "I'm responding": in Chromium where it is installed, otherwise with the page's form.

usage: respond.py URL
"""

import importlib.util
import os
import sys
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True


def by_browser(url):
    from browser.chromium import Browser

    with Browser() as browser:
        browser.open(url)
        browser.wait_for("needs help")
        shown = browser.text
        browser.press("I'm responding")
        browser.wait_for("You answered: I'm responding")
    return shown


def by_form(url):
    with urllib.request.urlopen(url, timeout=20) as page:
        page.read()
    form = urllib.parse.urlencode({"answer": "responding"}).encode()
    with urllib.request.urlopen(url + "/acknowledgements", data=form, timeout=20) as page:
        if "You answered: I&#39;m responding" not in page.read().decode():
            sys.exit("respond: the answer is not on the page")


def main():
    if len(sys.argv) != 2:
        print("usage: respond.py URL", file=sys.stderr)
        return 64
    if importlib.util.find_spec("selenium") and all(map(os.path.exists, ("/usr/bin/chromium", "/usr/bin/chromedriver"))):
        print("In Chromium, as the responder sees it:\n")
        print("\n".join(f"    {line}" for line in by_browser(sys.argv[1]).splitlines()))
    else:
        by_form(sys.argv[1])
        print("Chromium is not installed, so the page's form is sent as a browser without scripts does.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
