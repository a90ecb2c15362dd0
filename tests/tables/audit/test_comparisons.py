from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.stats import better_over_all, poisson_binomial_test
from quadrepro.tables.audit.comparisons import on_most, possible_probabilities
from quadrepro.tables.audit.report import audit
from tests.tables.audit.papers import found, subject, verdicts

MATRIX = "{{holds: comparisons, compares: t}}\nalgorithm,a,b\na,0.50,{}\nb,{},0.50\n"
SIZES = "{unit: fraction, n_test: {x: 20, y: 20}}"
TABLE = "d,a,b\nx,0.10,0.30\ny,0.20,0.25\n"


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [("0.55", "0.45", True), ("0.55", "0.46", True), ("0.55", "0.47", False)],
)
def test_both_directions_add_up_to_one_but_for_rounding(
    tmp_path: Path, one: str, other: str, holds: bool
) -> None:
    of = subject(tmp_path, t=TABLE, m=MATRIX.format(one, other))
    assert verdicts("pairs", of) == {"m a a": True, "m a b": holds, "m b b": True}


def brute_force(of_a: list[int], of_b: list[int], n: int) -> list[float]:
    """Return the test's probability for every number of shared errors on every data set."""

    def wrong(errors: int, first: int) -> np.ndarray:
        return np.isin(np.arange(n), np.arange(first, first + errors))

    every = []
    shared = [range(max(a + b - n, 0), min(a, b) + 1) for a, b in zip(of_a, of_b, strict=True)]
    for both in product(*shared):
        a = [wrong(k, 0) for k in of_a]
        b = [wrong(k, i - s) for k, i, s in zip(of_b, of_a, both, strict=True)]
        every.append(poisson_binomial_test(a, b).probability)
    return every


def test_bounds_are_the_extremes_of_the_test_over_all_shared_errors(tmp_path: Path) -> None:
    of = subject(tmp_path, facts=SIZES, t=TABLE, m=MATRIX.format("0.9", "0.1"))
    ends = possible_probabilities(of, of.tables[1], "a", "b")
    bounds = [better_over_all(of_end) for of_end in ends]
    every = brute_force([2, 4], [6, 5], 20)
    assert bounds == pytest.approx([min(every), max(every)])


ONE_SIZE, FOLDS = SIZES.replace(", y: 20", ""), SIZES.replace("unit", "of: {cv: 10}, unit")
ACCURACY = SIZES.replace("fraction", "percent, metric: accuracy")


@pytest.mark.parametrize(
    ("facts", "table", "printed", "holds", "why"),
    [
        (SIZES, TABLE, "0.70", True, "t allows 0."),  # A has fewer errors on both data sets.
        (SIZES, TABLE, "0.40", False, "t allows 0."),
        (ACCURACY, "d,a,b\nx,90,70\ny,80,75\n", "0.70", True, "t allows 0."),
        (ACCURACY, "d,a,b\nx,90,70\ny,80,75\n", "0.30", False, "t allows 0."),
        (ONE_SIZE, "d,a,b\nx,0.111,0.3\n", "0.70", None, "x: no number of errors gives what t pri"),
        (ONE_SIZE, "d,a,b\nx,0.1,\n", "0.70", None, "x: no number of errors gives what t prints"),
        (ONE_SIZE, TABLE, "0.70", None, "y: neither a config nor n_test says"),
        (FOLDS, TABLE, "0.70", None, "t has means, of which no errors of single examples follow"),
    ],
)
def test_a_probability_is_possible_with_the_printed_risks_or_not(
    tmp_path: Path, facts: str, table: str, printed: str, holds: bool | None, why: str
) -> None:
    matrix = MATRIX.format(printed, f"{1 - float(printed):.2f}")
    [finding] = found("sources", subject(tmp_path, facts=facts, t=table, m=matrix))
    assert (finding.place, finding.holds) == (("m", "a", "b"), holds)
    assert finding.why.startswith(why)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_winning_on_most_is_the_binomial_tail_with_half_of_a_tie(p: list[float]) -> None:
    outcomes = list(product((0, 1), repeat=len(p)))
    chances = [
        math.prod(q if won else 1 - q for q, won in zip(p, o, strict=True)) for o in outcomes
    ]
    scores = [(2 * sum(o) > len(p)) + (2 * sum(o) == len(p)) / 2 for o in outcomes]
    assert on_most(p) == pytest.approx(float(np.dot(chances, scores)))


GROUPS = """claims:
  t:
    claims:
      - {kind: wins-or-ties, text: two, of: a, than: b, at_least: 2}
      - {kind: wins-or-ties, text: three, of: a, than: b, at_least: 3}
      - {kind: times-faster, text: fast, of: a, than: b, times: 2}
  other:
    claims:
      - {kind: lower-on-average, text: end, of: a, than: b, measure: train_error}
      - {kind: lower-on-average, text: again, of: b, than: a, measure: train_error}
"""


def test_claims_are_judged_on_print_and_others_are_counted(tmp_path: Path) -> None:
    of = subject(tmp_path, claims=GROUPS, t="dataset,a,b\nmonks,0.1,0.2\nwine,0.1,0.1\nzoo,0.3,0.2")
    claims = found("claims", of)
    assert {f.printed: f.holds for f in claims} == {"two": True, "three": False, "fast": None}
    assert claims[0].why == "2 of 3 (1 wins, 1 ties)"
    assert audit(of.paper).notes[-1].startswith("claims: 2 are about nothing that is printed")
