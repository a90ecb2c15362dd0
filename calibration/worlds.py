"""A world: something to judge of which the truth is known, and the rates at which it is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import TypeAlias
from zlib import crc32

import numpy as np

TOLERANCE = 0.015
"""Difference between an actual and a stated rate that is not reported."""

ERRORS = 2.0
"""Standard errors of the simulation by which a rate must leave its band to be reported."""

POWER_SHARE = 4
"""Part of the draws from which the power is estimated."""

QUICK_SHARE, FEWEST = 30, 15
"""Part of the draws of the quick version, and the fewest that it makes."""


@dataclass(frozen=True)
class Said:
    """An event in a draw, with the probability that was stated for it there."""

    event: float
    stated: float | None
    """None in draws for which it is not computed."""


Outcome: TypeAlias = "bool | float | Said | None"
"""Whether a judgement is made in a draw, or its share; None if the draw has nothing to judge."""

Draw: TypeAlias = Callable[[np.random.Generator, bool], "Outcome | tuple[Outcome, ...]"]
"""Draws a world, honest or not, and returns the outcome of each of its judgements."""


@dataclass(frozen=True)
class Stated:
    """A stated rate and the band in which the actual one should be."""

    text: str
    value: float | None
    """None if every draw has one of its own."""
    below: float
    """How far the actual rate may be below."""
    above: float
    """How far it may be above."""


def about(rate: float, tolerance: float = TOLERANCE) -> Stated:
    """Return a rate that should be met."""
    return Stated(f"{rate:.3g}", rate, tolerance, tolerance)


def at_most(rate: float, tolerance: float = TOLERANCE) -> Stated:
    """Return a rate that should not be exceeded."""
    return Stated(f"≤ {rate:.3g}", rate, inf, tolerance)


def at_least(rate: float, tolerance: float = TOLERANCE) -> Stated:
    """Return a rate that should be reached."""
    return Stated(f"≥ {rate:.3g}", rate, tolerance, inf)


def as_said(tolerance: float = TOLERANCE, above: float | None = None) -> Stated:
    """Return a rate that the package computes in each draw."""
    return Stated("", None, tolerance, tolerance if above is None else above)


NEVER = Stated("0", 0.0, 0.0, 0.0)
"""The rate of what cannot happen."""


@dataclass(frozen=True)
class Judgement:
    """What the package says in a world."""

    name: str
    """Its name on the page."""
    stated: Stated
    """The rate at which it should be made in an honest world."""
    against: str = ""
    """What the dishonest world is, in which it should be made often; empty if there is none."""
    remark: str = ""
    """What to know of the rate, such as where its true value is stated."""
    true_rate: tuple[float, float] | None = None
    """Ends of the actual rate, where it is known to be off and stated as `remark` says."""


@dataclass(frozen=True)
class World:
    """Judgements made on the same draws."""

    setting: str
    """How the world is made."""
    judgements: tuple[Judgement, ...]
    """What is judged."""
    draw: Draw
    """Draws it once, with an outcome for each judgement; dishonest if the second argument is."""
    draws: int = 6000
    """How often it is drawn for the page."""
    quick: bool = True
    """Whether the quick version has it, which has each judgement once or more."""

    @property
    def name(self) -> str:
        """Its name in tests."""
        return f"{self.judgements[0].name}: {self.setting}"


@dataclass(frozen=True)
class Rate:
    """How often a judgement was made in a world."""

    judgement: Judgement
    setting: str
    stated: float
    actual: float
    error: float
    """Standard error of the simulation."""
    power: float | None

    @property
    def off(self) -> str:
        """Return "above" or "below" if the actual rate leaves the band of the stated one."""
        band = self.judgement.stated
        return self._side(self.stated - band.below, self.stated + band.above, ERRORS)

    def leaves(self, errors: float) -> bool:
        """Return whether it is more than this many standard errors from its stated rate."""
        band = self.judgement.stated
        ends = self.judgement.true_rate
        low, high = ends or (self.stated - band.below, self.stated + band.above)
        return bool(self._side(low, high, errors))

    def _side(self, low: float, high: float, errors: float) -> str:
        # What cannot happen is off as soon as it does.
        slack = 0.0 if self.judgement.stated is NEVER else errors * self.error
        return "above" if self.actual > high + slack else "below" * (self.actual < low - slack)


def measure(world: World, *, quick: bool = False) -> list[Rate]:
    """Return the rates of a world; its draws depend on its name alone."""
    draws = max(world.draws // QUICK_SHARE, FEWEST) if quick else world.draws
    honest = _outcomes(world, False, draws)
    dishonest: list[list[Outcome]] = [[] for _ in world.judgements]
    if not quick and any(judgement.against for judgement in world.judgements):
        dishonest = _outcomes(world, True, world.draws // POWER_SHARE)
    return [
        _rate(world.setting, judgement, found, caught)
        for judgement, found, caught in zip(world.judgements, honest, dishonest, strict=True)
    ]


def _outcomes(world: World, dishonest: bool, draws: int) -> list[list[Outcome]]:
    """Return the outcomes of all draws by judgement."""
    rng = np.random.default_rng([crc32(world.name.encode()), dishonest])
    found = [world.draw(rng, dishonest) for _ in range(draws)]
    rows = [outcome if isinstance(outcome, tuple) else (outcome,) for outcome in found]
    return [list(of_judgement) for of_judgement in zip(*rows, strict=True)]


def _rate(
    setting: str, judgement: Judgement, honest: Sequence[Outcome], dishonest: Sequence[Outcome]
) -> Rate:
    events = _events(honest)
    said = [o.stated for o in honest if isinstance(o, Said) and o.stated is not None]
    stated = judgement.stated.value
    n, actual = len(events), float(np.mean(events))
    # Two events more than were seen, so that a rate of 0 or 1 has an error as well.
    smooth = (float(np.sum(events)) + 1) / (n + 2)
    least = sqrt(smooth * (1 - smooth) / n) if np.ptp(events) == 0 else 0.0
    return Rate(
        judgement,
        setting,
        float(np.mean(said)) if stated is None else stated,
        actual,
        max(float(np.std(events)) / sqrt(n), least),
        float(np.mean(_events(dishonest))) if judgement.against and dishonest else None,
    )


def _events(outcomes: Sequence[Outcome]) -> list[float]:
    return [float(o.event if isinstance(o, Said) else o) for o in outcomes if o is not None]
