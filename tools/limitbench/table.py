"""The table: as text, as a table of Markdown inside a page, as JSON."""

import os
import time

from .figures import amount

HEAD = ("what", "ours", "limit", "ratio", "aim", "met")
BEGIN, END = "<!-- table of tools/bench -->", "<!-- end of the table -->"


def cells(figure):
    limit = amount(figure.limit, figure.unit) if figure.limits else "no limit"
    ratio = f"{figure.ratio:.2f} ×" if figure.ratio is not None else ""
    aim = figure.aim.text(figure.unit) if figure.aim else ""
    met = {None: "", True: "met", False: "not met"}[figure.met]
    return figure.what, amount(figure.median, figure.unit), limit, ratio, aim, met


class TextTable:
    """Writes lines as their figures come."""

    WIDTHS = (58, 18, 18, 9, 14, 7)

    def __init__(self, write):
        self.write = write
        self.line(HEAD)

    def line(self, values):
        self.write("  ".join(value.ljust(width) for value, width in zip(values, self.WIDTHS)).rstrip())

    def add(self, figure):
        self.line(cells(figure))


def conditions(context):
    """What the figures depend on."""
    size = "quick sizes, not for comparison with full ones; " if context.is_quick else ""
    load = os.getloadavg()[0]
    return f"{size}{os.cpu_count()} processors, load {load:.1f} at the end, {time.strftime('%Y-%m-%d')}"


def markdown(figures, context):
    rows = [" | ".join(HEAD), " | ".join("---" for _ in HEAD), *(" | ".join(cells(figure)) for figure in figures)]
    return "\n".join([*(f"| {row} |" for row in rows), "", f"Measured with {conditions(context)}.", ""])


def around_table(path):
    """What a page has before and behind the place of the table. Raises `ValueError` if it has none."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    before, begun, rest = page.partition(BEGIN)
    _, ended, behind = rest.partition(END)
    if not begun or not ended:
        raise ValueError(f"{path} has no place for the table: {BEGIN} … {END}")
    return before, behind


def replace_in_page(path, figures, context):
    before, behind = around_table(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{markdown(figures, context)}\n{END}{behind}")


def record(figures, context, seconds):
    """One object for JSON."""
    return {
        "is_quick": context.is_quick, "conditions": conditions(context), "seconds": round(seconds),
        "figures": [figure.record() for figure in figures]
    }
