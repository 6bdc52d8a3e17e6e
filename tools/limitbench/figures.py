"""Figures of a row: what was measured, beside its limit, and what was aimed for."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Aim:
    """A bound of the ratio to the limit, or of the figure itself."""

    bound: float
    is_least: bool  # else it is the most
    is_ratio: bool

    def is_met(self, value):
        return value >= self.bound if self.is_least else value <= self.bound

    def text(self, unit):
        sign = "≥" if self.is_least else "≤"
        return f"{sign} {self.bound:g} ×" if self.is_ratio else f"{sign} {amount(self.bound, unit)}"


def ratio_at_least(bound):
    return Aim(bound, is_least=True, is_ratio=True)


def ratio_at_most(bound):
    return Aim(bound, is_least=False, is_ratio=True)


def at_least(bound):
    return Aim(bound, is_least=True, is_ratio=False)


def at_most(bound):
    return Aim(bound, is_least=False, is_ratio=False)


@dataclasses.dataclass
class Figure:
    """One line of the table. `ours` and `limits` have a value for each round; `limits` is empty where there is no limit."""

    what: str
    unit: str
    ours: list
    limits: list = dataclasses.field(default_factory=list)
    aim: Aim | None = None
    row: str = ""

    @property
    def median(self):
        return statistics.median(self.ours)

    @property
    def limit(self):
        return statistics.median(self.limits) if self.limits else None

    @property
    def ratio(self):
        """The median of the rounds' ratios, ours to the limit's: drift of the machine hurts both of a round."""
        ratios = [ours / limit for ours, limit in zip(self.ours, self.limits) if limit]
        return statistics.median(ratios) if ratios else None

    @property
    def met(self):
        """None where nothing was aimed for."""
        return None if self.aim is None else self.aim.is_met(self.ratio if self.aim.is_ratio else self.median)

    def record(self):
        """For JSON."""
        aim = self.aim and {"bound": self.aim.bound, "is_least": self.aim.is_least, "is_ratio": self.aim.is_ratio}
        return {
            "row": self.row, "what": self.what, "unit": self.unit, "ours": self.median, "limit": self.limit, "ratio": self.ratio,
            "aim": aim, "met": self.met, "rounds": {"ours": self.ours, "limit": self.limits}
        }


def amount(value, unit):
    """A figure with its unit, with as many digits as it deserves."""
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
