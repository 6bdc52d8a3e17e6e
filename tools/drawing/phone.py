"""The picture of a page in the frame of a telephone."""

import base64
import io

from PIL import Image

from browser.chromium import Browser

# Telephones show pages in a font of their own. A fixed one makes pictures of different machines alike.
FONT = "Roboto"
FONT_SETTINGS = f"""<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include>/etc/fonts/fonts.conf</include>
  <match target="pattern">
    <edit name="family" mode="prepend" binding="strong"><string>{FONT}</string></edit>
  </match>
</fontconfig>
"""
FRAME = """<!doctype html><meta name="viewport" content="width=device-width"><style>body { margin: 0 } img { display: block; border-radius: 30px }
div { width: max-content; padding: 9px; border: 1px solid #6e7781; border-radius: 40px; background: #24292f }</style>
<div><img src="data:image/png;base64,%s" width="%d" height="%d"></div>"""
COLORS = 128


def page_picture(browser, width, height):
    """The page, on a screen of this size that is longer if the page is."""
    height = max(height, browser.run("return document.documentElement.scrollHeight"))
    browser.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=True)
    browser.run("scrollTo(0, 0)")
    return browser.command("Page.captureScreenshot", format="png")["data"], height


def framed(folder, picture, width, height):
    """PNG data of the picture in a frame, with few colours and a transparent surrounding."""
    path = f"{folder}/frame.html"
    with open(path, "w", encoding="utf-8") as file:
        file.write(FRAME % (picture, width, height))
    with Browser(size=(width + 20, height + 20)) as browser:
        browser.open(f"file://{path}")
        browser.command("Emulation.setDefaultBackgroundColorOverride", color={"r": 0, "g": 0, "b": 0, "a": 0})
        data = base64.b64decode(browser.command("Page.captureScreenshot", format="png")["data"])
    small = io.BytesIO()
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    image.quantize(COLORS, method=Image.Quantize.LIBIMAGEQUANT, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()
