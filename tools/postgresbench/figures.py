"""How figures are written, and a scenario's lines."""

import statistics

from serverbench import load


def per_second(rate):
    return f"{rate:,.0f} a second"


def ratio(value, base):
    return f"({value / base:.2f} x)" if base else "(no base)"


def milliseconds(value):
    return f"{value:,.2f} ms"


def spread(values):
    """p50 and p99 of milliseconds."""
    if not values:
        return "none came"
    return f"p50 {milliseconds(load.percentile(values, 0.5))}, p99 {milliseconds(load.percentile(values, 0.99))}"


def median(values):
    return statistics.median(values)
