"""The pictures of README.md."""

import os
import xml.etree.ElementTree

from browser.chromium import PHONE, Browser

from .phone import FONT_SETTINGS, framed, page_picture
from .story import MESSAGE, TIME_ZONE, Story
from .svg import LINES, MARKS, draw
from .terminal import Terminal

NOTE = "With ropes, 40 minutes"
TITLE = "lifesignal screen"
# What the screen must show, whatever its exact words.
ON_THE_SCREEN = (r"connected", r"alert active", r"Ana\s.*(responding|way)", r"Ben\s.*(seen|opened)", r"drill")


def draw_all(binaries, folder):
    """The data of both pictures by the file's name. `folder` is for what is left behind."""
    settings = os.path.join(folder, "fonts.conf")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(FONT_SETTINGS)
    os.environ.update(FONTCONFIG_FILE=settings, TZ=TIME_ZONE)
    story = Story(binaries, folder)
    try:
        story.past_alerts()
        story.set_up()
        return {"page.png": page(story.raise_alert(), folder), "screen.svg": screen(story)}
    finally:
        story.end()


def page(pages, folder):
    """Ana is on her way. Ben has opened his page and touched it: this is his page."""
    with Browser() as ana, Browser() as ben:
        ana.open(pages["Ana"])
        ben.open(pages["Ben"])
        ana.press("I'm responding")
        ana.wait_for("You answered")
        ana.find("[name=text]")[0].send_keys(NOTE)
        ana.press("I'm on my way")
        ben.find("h1")[0].click()
        ana.wait_for("Ben opened the page")
        for text in ("needs help", MESSAGE, "I can't", "Ana is on the way", NOTE):
            ben.wait_for(text)
        picture, height = page_picture(ben, *PHONE)
    return framed(folder, picture, PHONE[0], height)


def screen(story):
    with Terminal([story.program, "screen"], story.environment) as terminal:
        terminal.wait_for(*ON_THE_SCREEN)
        picture = draw(terminal.screen, TITLE)
        check(picture, terminal.text)
    return picture.encode()


def check(picture, text):
    """The picture has all characters of the terminal's text, apart from blanks and from what is drawn as lines and marks."""
    elements = xml.etree.ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    drawn = TITLE + "".join(character for character in text if character not in LINES and character not in MARKS)
    written = "".join(element.text for element in elements)
    assert "".join(written.split()) == "".join(drawn.split()), f"screen.svg lacks text: {written}"
