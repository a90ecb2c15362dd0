from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.errors import ConfigError
from quadrepro.stats import better_over_all, poisson_binomial_test
from quadrepro.tables.audit.comparisons import (
    ALLOWED,
    judge_claims,
    judge_pairs,
    judge_sources,
    on_most,
    possible_probabilities,
)
from quadrepro.tables.audit.subject import Subject
from tests.tables.audit.papers import failures, findings, notes, places, shipped, subject

MATRIX = "{{holds: comparisons, compares: t}}\nalgorithm,a,b\na,0.50,{}\nb,{},0.50\n"


def with_matrix(tmp_path: Path, one: str, other: str) -> Subject:
    facts = "{unit: fraction, n_test: {x: 20, y: 20}}"
    table = "d,a,b\nx,0.10,0.30\ny,0.20,0.25\n"
    return subject(tmp_path, facts=facts, t=table, m=MATRIX.format(one, other))


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [("0.55", "0.45", True), ("0.55", "0.46", True), ("0.55", "0.47", False)],
)
def test_both_directions_add_up_to_one_but_for_rounding(
    tmp_path: Path, one: str, other: str, holds: bool
) -> None:
    found = with_matrix(tmp_path, one, other)
    assert places(judge_pairs, found)["m", "a", "b"] is holds
    assert places(judge_pairs, found)["m", "a", "a"]


def brute_force(of_a: list[int], of_b: list[int], n: int) -> list[float]:
    """Return the test's probability for every number of shared errors on every data set."""

    def wrong(errors: int, first: int) -> np.ndarray:
        return np.isin(np.arange(n), np.arange(first, first + errors))

    found = []
    shared = [range(max(a + b - n, 0), min(a, b) + 1) for a, b in zip(of_a, of_b, strict=True)]
    for both in product(*shared):
        a = [wrong(k, 0) for k in of_a]
        b = [wrong(k, i - s) for k, i, s in zip(of_b, of_a, both, strict=True)]
        found.append(poisson_binomial_test(a, b).probability)
    return found


def test_bounds_are_the_extremes_of_the_test_over_all_shared_errors(tmp_path: Path) -> None:
    found = with_matrix(tmp_path, "0.9", "0.1")
    ends = possible_probabilities(found, found.holding("errors")[0], "a", "b")
    bounds = [better_over_all(of_end) for of_end in ends]
    every = brute_force([2, 4], [6, 5], 20)
    assert bounds == pytest.approx([min(every), max(every)])


@pytest.mark.parametrize(
    ("one", "other", "holds"), [("0.70", "0.30", True), ("0.40", "0.60", False)]
)
def test_a_probability_out_of_reach_of_the_risks_fails(
    tmp_path: Path, one: str, other: str, holds: bool
) -> None:
    # A has fewer errors on both data sets.
    assert places(judge_sources, with_matrix(tmp_path, one, other)) == {("m", "a", "b"): holds}


def test_risks_that_no_count_gives_leave_it_open(tmp_path: Path) -> None:
    facts, table = "{unit: fraction, n_test: {x: 20}}", "d,a,b\nx,0.111,0.3\n"
    found = subject(tmp_path, facts=facts, t=table, m=MATRIX.format("0.7", "0.3"))
    [finding] = findings(judge_sources, found)
    assert finding.holds is None
    assert finding.why == "x: no number of errors gives what t prints"


def test_an_unknown_source_is_refused_with_its_place(tmp_path: Path) -> None:
    matrix = MATRIX.format("0.7", "0.3").replace("compares: t", "compares: tt")
    found = subject(tmp_path, t="d,a,b\nx,0.1,0.3\n", m=matrix)
    with pytest.raises(
        ConfigError, match=r"paper\.yaml:5:.*unknown printed table of errors 'tt'; did you"
    ):
        findings(judge_sources, found)


def test_quadboosts_table_2_cannot_come_from_its_table_1() -> None:
    found = shipped("quadboost")
    assert all(places(judge_pairs, found).values())
    failed = {f.place[1:]: (f.printed, f.why) for f in failures(judge_sources, found)}
    assert len(failed) == 8
    assert failed["quadboost-linf", "lpboost"] == ("0.49", "table1 allows 0.803 to 0.991")
    assert all({"lpboost", "adaboost"} & {*pair} for pair in failed)
    allowed = [pair for pair, (_, why) in failed.items() if why.endswith(ALLOWED)]
    assert allowed == [("adaboost", "quadboost-l1")]
    assert "Of the 8 that fail, 7 would also fail" in notes(judge_sources, found)[0]


def test_accuracies_in_percent_are_taken_for_the_errors_they_leave(tmp_path: Path) -> None:
    facts = "{metric: accuracy, unit: percent, n_test: {x: 20, y: 20}}"
    matrix = MATRIX.format("0.70", "0.30")
    found = subject(tmp_path, facts=facts, t="d,a,b\nx,90,70\ny,80,75\n", m=matrix)
    assert places(judge_sources, found) == {("m", "a", "b"): True}


def test_means_over_splits_are_not_compared_example_by_example(tmp_path: Path) -> None:
    facts = "{unit: fraction, of: {cv: 10}, n_test: {x: 20}}"
    found = subject(tmp_path, facts=facts, t="d,a,b\nx,0.1,0.3\n", m=MATRIX.format("0.1", "0.9"))
    assert places(judge_sources, found) == {("m", "a", "b"): None}


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
    table = "dataset,a,b\nmonks,0.1,0.2\nwine,0.1,0.1\nzoo,0.3,0.2\n"
    of = subject(tmp_path, claims=GROUPS, t=table)
    found = findings(judge_claims, of)
    assert [(f.printed, f.holds) for f in found] == [
        ("two", True),
        ("three", False),
        ("fast", None),
    ]
    assert found[0].why == "2 of 3 (1 wins, 1 ties)"
    assert notes(judge_claims, of)[0].startswith("claims: 2 are about nothing that is printed")


def test_quadboosts_counts_hold_and_its_three_stars_do_not_follow() -> None:
    judged = {f.printed: f.holds for f in findings(judge_claims, shipped("quadboost"))}
    assert judged["QuadBoost wins or ties against AdaBoost on 17 of 25 data sets"]
    assert judged["QuadBoost-L1 outperforms or ties with LPBoost on 16 of 25 data sets"]
    failed = [finding.why for finding in failures(judge_claims, shipped("quadboost"))]
    assert [why.rpartition("p = ")[2] for why in failed[:3]] == ["0.057", "0.238", "0.096"]
    assert len(failed) == 4  # the three, and that there are no others
