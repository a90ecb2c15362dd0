"""Claims of papers, judged on printed tables of learners of which the truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from numpy.random import Generator

from calibration.papers import Lines, audited
from calibration.worlds import Judgement, Outcome, World, at_most
from quadrepro.stats import LEVEL

PAIR = {"of": "a", "than": "b"}
CLAIMS = (
    {"kind": "significantly-better", "text": "better", **PAIR},
    {"kind": "lower", "by": "sign-test", "text": "lower", **PAIR},
    {"kind": "not-better", "text": "not better", **PAIR},
    {"kind": "not-told-apart", "text": "not told apart", "between": ["a", "b"]},
)
EQUIVALENT = {"kind": "equivalent", "text": "equivalent", "between": ["a", "b"], "margin": 2}
"""The margin is in points, and risks are fractions."""


def over_rows(rng: Generator, dishonest: bool, *, rows: int) -> tuple[Outcome, ...]:
    """Return which claims hold of equal learners, or of one that is better."""
    risks = rng.uniform(0.1, 0.3, (rows, 1)) + 0.02 * rng.normal(size=(rows, 2))
    risks[:, 0] -= 0.02 * dishonest
    held = _held(risks.tolist(), CLAIMS)
    # Claims of no difference are dishonest where there is one.
    return held["better"], held["lower"], not held["not better"], not held["not told apart"]


def at_the_margin(rng: Generator, dishonest: bool, *, rows: int) -> Outcome:
    """Return whether learners that differ by the margin, or by nothing, are equivalent."""
    risks = rng.uniform(0.1, 0.3, (rows, 1)) + 0.014 * rng.normal(size=(rows, 2))
    risks[:, 0] += 0.02 * (not dishonest)
    return _held(risks.tolist(), [EQUIVALENT])["equivalent"]


def _held(risks: list[list[float]], claims: Sequence[Mapping[str, object]]) -> dict[str, bool]:
    lines: Lines = {
        f"data {i}": {"a": f"{a:.4f}", "b": f"{b:.4f}"} for i, (a, b) in enumerate(risks)
    }
    found = audited({"table": lines}, {}, {"table": {"claims": claims}})
    return {finding.printed: finding.holds is True for finding in found.findings["claims"]}


WORLDS = (
    *(
        World(
            f"{rows} rows",
            (
                Judgement("significantly-better holds", at_most(LEVEL / 2), "1 sd better"),
                Judgement("lower by sign test holds", at_most(LEVEL / 2), "1 sd better"),
                Judgement("not-better does not hold", at_most(LEVEL / 2), "1 sd better"),
                Judgement("not-told-apart does not hold", at_most(LEVEL), "1 sd better"),
            ),
            partial(over_rows, rows=rows),
            800,
            rows == 10,
        )
        for rows in (10, 20)
    ),
    World(
        "10 rows that differ by the margin, 1 sd",
        (Judgement("equivalent holds", at_most(LEVEL), "equal learners"),),
        partial(at_the_margin, rows=10),
        800,
    ),
)
"""All worlds of claims."""
