"""Line charts as SVG, legible on a light and on a dark page: a logarithmic scale from left to right, and one from bottom to top or not."""

import dataclasses
import html
import math

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 72, 24, 70, 52
# Each legible on white and on black; a dash tells limits from ours where colors do not.
COLORS = ("#3a86c8", "#d1495b", "#2a9d5c", "#e08a00", "#8d6cc9", "#888888")
STYLE = """text { fill: #555 } .title { font-size: 15px; font-weight: 600 }
.axis { stroke: #888; fill: none } .grid { stroke: #888; stroke-opacity: 0.25; fill: none }
.line { fill: none; stroke-width: 2; stroke-linejoin: round } .limit { stroke-dasharray: 6 4 }
@media (prefers-color-scheme: dark) { text { fill: #bbb } }"""


@dataclasses.dataclass
class Series:
    """Points from left to right. A limit's line is dashed."""

    name: str
    points: list
    is_limit: bool = False


@dataclasses.dataclass
class Chart:
    """What to draw. The scale from bottom to top begins at zero where it is not logarithmic."""

    title: str
    x_label: str
    y_label: str
    series: list
    is_logarithmic: bool = True


class Scale:
    """From values to pixels, with the values where lines cross the chart."""

    def __init__(self, values, start, end, is_logarithmic):
        self.start, self.end, self.is_logarithmic = start, end, is_logarithmic
        if is_logarithmic:
            self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
            self.high = max(self.high, self.low + 1)
            self.ticks = [10.0 ** power for power in range(self.low, self.high + 1)]
        else:
            step = nice_step(max(values))
            self.low, self.high = 0.0, step * math.ceil(max(values) / step)
            self.ticks = [step * number for number in range(round(self.high / step) + 1)]

    def place(self, value):
        position = math.log10(value) if self.is_logarithmic else value
        return self.start + (self.end - self.start) * (position - self.low) / (self.high - self.low)


def nice_step(highest):
    """Of 1, 2 and 5 times a power of ten, so that four to nine lines fit."""
    power = 10.0 ** math.floor(math.log10(highest or 1))
    return next(power * factor for factor in (0.1, 0.2, 0.5, 1, 2) if highest / (power * factor) <= 8)


def short(value):
    for limit, letter in ((1_000_000, " M"), (1_000, " k")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{html.escape(words)}</text>'


def grid(chart, across, up):
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for value in up.ticks:
        y = up.place(value)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>'
        yield text(LEFT - 8, y + 4, short(value), "end")
    for value in across.ticks:
        x = across.place(value)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>'
        yield text(x, bottom + 18, short(value))
    yield f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
    yield text((LEFT + right) / 2, HEIGHT - 12, chart.x_label)
    yield text(LEFT, TOP - 12, chart.y_label, "start")
    yield text(LEFT, 22, chart.title, "start", ' class="title"')


def lines(chart, across, up):
    for series, color in zip(chart.series, COLORS):
        places = [(across.place(x), up.place(y)) for x, y in series.points]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        dash = " limit" if series.is_limit else ""
        yield f'<polyline class="line{dash}" stroke="{color}" points="{corners}"/>'
        for x, y in places:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>'


def legend(chart):
    x, y = LEFT, TOP - 28
    for series, color in zip(chart.series, COLORS):
        dash = " limit" if series.is_limit else ""
        yield f'<path class="line{dash}" stroke="{color}" d="M{x:.1f} {y - 4}h24"/>'
        yield text(x + 30, y, series.name, "start")
        x += 30 + 6.6 * len(series.name) + 20


def draw(chart):
    """The SVG text."""
    points = [point for series in chart.series for point in series.points]
    across = Scale([x for x, _ in points], LEFT, WIDTH - RIGHT, is_logarithmic=True)
    up = Scale([y for _, y in points], HEIGHT - BOTTOM, TOP, chart.is_logarithmic)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"\n'
        f'  font-family="system-ui, sans-serif" font-size="12" aria-label="{html.escape(chart.title)}">')
    parts = [head, f"<style>\n{STYLE}\n</style>", *grid(chart, across, up), *lines(chart, across, up), *legend(chart), "</svg>", ""]
    return "\n".join(parts)
