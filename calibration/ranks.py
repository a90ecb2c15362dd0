"""Several methods ranked over data sets."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from numpy.random import Generator

from calibration.worlds import Judgement, Outcome, World, about, at_most
from quadrepro.stats import (
    LEVEL,
    critical_difference,
    friedman_test,
    holm,
    rank_p_value,
    wilcoxon_test,
)


def ranked(
    rng: Generator, dishonest: bool, *, methods: int, datasets: int, digits: int, worse: float
) -> tuple[Outcome, ...]:
    """Return what is said of equal methods, of which the last may be worse than all others."""
    risks = rng.uniform(0.1, 0.4, (datasets, 1)) + 0.03 * rng.normal(size=(datasets, methods))
    risks[:, -1] += worse
    risks[:, 0] -= 0.03 * dishonest
    risks = risks.round(digits)
    test = friedman_test(risks.tolist())
    # Only pairs of equal methods count.
    equal = methods - (worse > 0)
    pairs = list(combinations(range(methods), 2))
    true = [a < equal and b < equal for a, b in pairs]
    gaps = [test.mean_ranks[a] - test.mean_ranks[b] for a, b in pairs]
    adjusted = holm([rank_p_value(gap, methods, datasets) for gap in gaps])
    signed = holm([wilcoxon_test(risks[:, a], risks[:, b]).p_value for a, b in pairs])
    reach = critical_difference(methods, datasets)
    return (
        None if worse else test.p_value <= LEVEL,
        None if worse else test.f_p_value <= LEVEL,
        any(abs(gap) > reach for gap, t in zip(gaps, true, strict=True) if t),
        any(p <= LEVEL for p, t in zip(adjusted, true, strict=True) if t),
        any(p <= LEVEL for p, t in zip(signed, true, strict=True) if t),
    )


BETTER = "the first 1 sd better"


def _world(methods: int, datasets: int, digits: int = 6, worse: float = 0.0) -> World:
    words = ", rounded to 2 digits" * (digits == 2) + ", and one far worse" * (worse > 0)
    pairs = (
        Judgement("critical difference (Nemenyi), some pair", at_most(LEVEL), BETTER),
        Judgement("ranks with Holm, some pair", at_most(LEVEL), BETTER),
        Judgement("Wilcoxon with Holm, some pair", at_most(LEVEL), BETTER),
    )
    whole = (
        Judgement("Friedman, p ≤ 0.05", at_most(LEVEL), BETTER),
        Judgement("Iman and Davenport, p ≤ 0.05", about(LEVEL), BETTER),
    )
    setting = f"{methods - (worse > 0)} equal methods{words}, {datasets} data sets"
    draw = partial(ranked, methods=methods, datasets=datasets, digits=digits, worse=worse)
    if worse:
        return World(setting, pairs, lambda rng, dishonest: draw(rng, dishonest)[2:], 1000)
    return World(setting, (*whole, *pairs), draw, 1000, datasets == 10)


WORLDS = (
    _world(3, 5),
    _world(3, 10),
    _world(3, 30),
    _world(5, 10),
    _world(5, 30),
    _world(5, 10, digits=2),
    _world(10, 15),
    _world(6, 20, worse=0.3),
)
"""All worlds of ranks."""
