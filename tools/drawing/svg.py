"""Cells of a terminal as an SVG picture of a window."""

import html
import itertools
import math
import re

# A cell in pixels. The width is that of most monospaced fonts at this size; `textLength` makes all others fit.
WIDTH, HEIGHT, FONT_SIZE, BASELINE = 8.4, 18, 14, 13
PADDING, TITLE_HEIGHT = 14, 34

PAPER, BAR, EDGE, TITLE = "#0d1117", "#161b22", "#484f58", "#8b949e"
COLORS = {"default": "#e6edf3", "faint": "#8b949e", "red": "#f85149", "green": "#56d364", "brown": "#e3b341"}
STYLE = ("text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace}"
         ".b{font-weight:700}.l{fill:none;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}" % FONT_SIZE)

# Lines, from the middle of a cell's left edge (l), right edge (r), top (t) and bottom (b).
ENDS = {"l": (0, HEIGHT / 2), "r": (WIDTH, HEIGHT / 2), "t": (WIDTH / 2, 0), "b": (WIDTH / 2, HEIGHT)}
LINES = {"─": ["lr"], "│": ["tb"], "┌": ["rb"], "┐": ["lb"], "└": ["rt"], "┘": ["lt"], "├": ["tb", "mr"], "┤": ["tb", "ml"],
         "╭": ["rb"], "╮": ["lb"], "╰": ["rt"], "╯": ["lt"]}
ROUND = "╭╮╰╯"
# Marks, which fonts draw at very different sizes: a path in a cell, and whether it is filled.
MARKS = {
    "█": (f"M0 0h{WIDTH}v{HEIGHT}h-{WIDTH}z", True),
    "●": ("M.8 9a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z", True),
    "○": ("M1.2 9a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", False),
    "✓": ("M.6 9.4l2.6 3.2l4.8-7.4", False),
    "✗": ("M1 6l6.4 6.4m0-6.4l-6.4 6.4", False),
    "★": ("M4.2 3.2l1.6 3.8l4.1.4l-3.1 2.7l.9 4l-3.5-2.1l-3.5 2.1l.9-4l-3.1-2.7l4.1-.4z", True),
}


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def left(column):
    return PADDING + column * WIDTH


def top(row):
    return TITLE_HEIGHT + PADDING + row * HEIGHT


def color(cell):
    """Of the text of a cell, and of what is behind it, or None."""
    ink = COLORS["faint" if cell.italics and cell.fg == "default" else cell.fg]
    return (PAPER, ink) if cell.reverse else (ink, None)


def line_path(character, column, row):
    """The path of a character that consists of lines."""
    def at(end):
        x, y = ENDS.get(end, (WIDTH / 2, HEIGHT / 2))
        return f"{number(left(column) + x)} {number(top(row) + y)}"

    if character in ROUND:
        start, end = LINES[character][0]
        return f"M{at(start)}Q{at('m')} {at(end)}"
    return "".join(f"M{at(start)}L{at('m')} {at(end)}" for start, end in LINES[character])


def text_element(text, column, row, ink, is_bold):
    width = f' textLength="{number(len(text) * WIDTH)}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else ""
    weight = ' class="b"' if is_bold else ""
    return (f'<text x="{number(left(column))}" y="{number(top(row) + BASELINE)}" fill="{ink}"{weight}{width}>'
            f"{html.escape(text)}</text>")


def groups(cells, key):
    """Neighbouring cells with the same key, as (column, key, cells)."""
    column = 0
    for value, group in itertools.groupby(cells, key):
        members = list(group)
        yield column, value, members
        column += len(members)


def backgrounds(cells, row):
    for column, behind, group in groups(cells, lambda cell: color(cell)[1]):
        if behind:
            yield (f'<rect x="{number(left(column))}" y="{number(top(row))}" width="{number(len(group) * WIDTH)}" '
                   f'height="{HEIGHT}" fill="{behind}"/>')


def texts(cells, row):
    """Words with single blanks between them: an SVG viewer drops more."""
    def style(cell):
        return color(cell)[0], cell.bold, cell.data in LINES or cell.data in MARKS

    for column, (ink, is_bold, is_drawn), group in groups(cells, style):
        if not is_drawn:
            # A wide character is followed by an empty cell.
            line = "".join(cell.data or " " for cell in group)
            for match in re.finditer(r"\S+(?: \S+)*", line):
                yield text_element(match.group(), column + match.start(), row, ink, is_bold)


def marks(cells, row):
    for column, cell in enumerate(cells):
        if cell.data in MARKS:
            path, is_filled = MARKS[cell.data]
            paint = f'fill="{color(cell)[0]}"' if is_filled else f'class="l" stroke="{color(cell)[0]}"'
            yield f'<path transform="translate({number(left(column))} {number(top(row))})" {paint} d="{path}"/>'


def lines(rows):
    """All lines of one colour are one path."""
    paths = {}
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell.data in LINES:
                paths.setdefault(color(cell)[0], []).append(line_path(cell.data, column, row))
    for ink, parts in paths.items():
        yield f'<path class="l" stroke="{ink}" d="{"".join(parts)}"/>'


def window(width, height, title):
    """A plain window, which stands out on a light and on a dark page."""
    middle = TITLE_HEIGHT / 2
    yield f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9.5" fill="{PAPER}" stroke="{EDGE}"/>'
    yield f'<path fill="{BAR}" d="M1 {TITLE_HEIGHT}V10a9 9 0 0 1 9-9H{width - 10}a9 9 0 0 1 9 9V{TITLE_HEIGHT}z"/>'
    for index in range(3):
        yield f'<circle cx="{20 + 18 * index}" cy="{number(middle)}" r="5.5" fill="{EDGE}"/>'
    yield f'<text x="{number(width / 2)}" y="{number(middle + 5)}" text-anchor="middle" fill="{TITLE}">{html.escape(title)}</text>'


def draw(screen, title):
    """The SVG text that shows a screen of pyte in a window."""
    rows = [[screen.buffer[row][column] for column in range(screen.columns)] for row in range(screen.lines)]
    width = math.ceil(screen.columns * WIDTH + 2 * PADDING)
    height = math.ceil(screen.lines * HEIGHT + 2 * PADDING + TITLE_HEIGHT)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
             f"<title>{html.escape(title)}</title>", f"<style>{STYLE}</style>", *window(width, height, title)]
    for row, cells in enumerate(rows):
        parts += [*backgrounds(cells, row), *texts(cells, row), *marks(cells, row)]
    return "\n".join([*parts, *lines(rows), "</svg>", ""])
