from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan

import pytest

from quadrepro.core.training.grid import Grid
from quadrepro.engine.records import Record
from tests.papers.measured import (
    Judged,
    Measures,
    columns_of,
    contradicted,
    judged,
    load,
    ours,
    outcomes_of,
    rows_of,
)

Make = Callable[[int, str, int], Record]
"""Returns a record by row's place, column and split."""


def judge(config: str, make: Make, n_rounds: int = 1, level: str = "") -> Judged:
    """Return the judgements on two splits with measures along rounds, but for one algorithm."""
    experiment = load(config)
    rows = rows_of(experiment)

    def record(row: str, column: str, split: int) -> Record:
        return make(rows.index(row), column, split)

    def grid(column: str) -> Grid:
        rounds = {"n_rounds": list(range(1, n_rounds + 1))}
        return Grid.from_values(rounds if n_rounds > 1 and column != level else {})

    return ours(judged(experiment, outcomes_of(rows, columns_of(experiment), 2, record, grid)))


def counts(errors: Callable[[int, str], int]) -> Make:
    """Return records of these errors in 1000 by row's place and column, one more or less."""
    return lambda i, column, split: Record("k", "ok", errors(i, column) + (-1) ** split, 1000)


def measured(measures: dict[str, Measures], i: int, column: str, split: int) -> Record:
    # Equal splits deviate by one test example, which decides nothing here.
    return Record("k", "ok", n_test=10**6, measures=measures.get(column, {}))


def figure_2(**changed: Measures) -> Judged:
    """Return the judgements on 200 rounds with some measures other than those that hold."""
    ends = {
        "mincq": {"test_error": 0.05, "train_error": 0.04, "voters": 300.0},
        "cqboost": {"test_error": 0.04, "train_error": 0.02, "voters": 9.0},
        "gb-cb-boost": {"test_error": 0.03},
        "cb-boost": {"test_error": 0.02, "train_error": 0.03},
        "adaboost": {"test_error": 0.025, "train_error": 0.01},
    }
    curves = {
        column: {name: [end] * (1 if column == "mincq" else 200) for name, end in measures.items()}
        for column, measures in ends.items()
    }
    for column in ("gb-cb-boost", "cb-boost"):
        curves[column]["voters"] = [float(n) for n in range(1, 201)]
    for column, measures in changed.items():
        curves[column.replace("_", "-")].update(measures)
    return judge("cbboost-figure2", partial(measured, curves), 200, level="mincq")


@pytest.mark.parametrize(
    ("changed", "against"),
    [
        ({"cqboost": {"train_error": [0.01] * 9 + [0.04] * 41 + [0.01] * 150}}, [0]),
        ({"cqboost": {"train_error": [0.9] * 9 + [0.01] * 41 + [0.9] * 150}}, []),
        ({"adaboost": {"test_error": [0.9] * 199 + [0.01]}}, [1]),
        ({"cqboost": {"test_error": [0.04] * 29 + [0.06] + [0.04] * 170}}, [2]),
        ({"cqboost": {"test_error": [0.9] * 29 + [0.04] * 171}}, []),
    ],
)
def test_figure_2s_claims_are_judged_on_the_rounds_they_name(
    changed: dict[str, Measures], against: list[int]
) -> None:
    judgements = figure_2(**changed)[:3]
    assert contradicted(judgements) == against
    assert all(judgements[i][1] == "refuted" for i in against)


def test_sparsity_is_judged_at_equal_numbers_of_distinct_voters() -> None:
    # GB-CB-Boost takes two rounds for each voter, and has the same error at each number of them.
    falling = [0.5 - 0.001 * n for n in range(200)]
    twice = [falling[i // 2] for i in range(200)]
    counts = [1.0 + i // 2 for i in range(200)]
    same = {"test_error": twice, "voters": counts}
    text, word = figure_2(cb_boost={"test_error": falling}, gb_cb_boost=same)[3]
    assert text.startswith("mean test error over voters: CB-Boost ")
    assert " (+0 [" in text
    assert word == "undecided"
    higher = {"test_error": [x + 0.01 for x in twice], "voters": counts}
    assert figure_2(cb_boost={"test_error": falling}, gb_cb_boost=higher)[3][1] == "refuted"


def test_a_loss_of_robustness_is_named_but_for_ionospheres_first_levels() -> None:
    titles = rows_of(load("cbboost-figure3"))

    def with_loss(place: str) -> Judged:
        errors = counts(lambda i, c: 126 if (titles[i], c) == (place, "cb-boost") else 100)
        return judge("cbboost-figure3", errors)

    for place in ("ionosphere, noise 0.2", "bupa, noise 0"):
        ((text, word),) = with_loss(place)
        start = "at most 0.00 percentage points (australian, noise 0); above 2.5 in 0 of 44"
        assert text.startswith(start)
        assert word == "supported"
    for place in ("ionosphere, noise 0.4", "MNIST 0 against 9, noise 0"):
        ((text, word),) = with_loss(place)
        assert text.startswith(f"at most 2.60 percentage points ({place}); above 2.5 in 1 of 44")
        assert word == "disagrees"


def figure_5(rounds: int = 100, **gaps: Callable[[int], float]) -> Judged:
    """Return the judgements where MinCq's curves are below CB-Boost's by some points, by round.

    The errors of the two splits are 5 points above and below the curves, for both algorithms.
    """
    below = {"c_bound": lambda t: 1.0, "train_error": lambda t: 1.0, "test_error": lambda t: 1.0}

    def record(i: int, column: str, split: int) -> Record:
        off = 0.05 * (-1) ** split
        mincq = column == "mincq-on-cb-boost"
        measures = {
            name: [
                nan if mincq and t == 2 else 0.5 + off - mincq * points(t) / 100
                for t in range(1, rounds + 1)
            ]
            for name, points in (below | gaps).items()
        }
        return Record("k", "ok", n_test=1000, measures=measures)

    return judge("cbboost-figure5", record, rounds)


@pytest.mark.parametrize(
    ("measure", "gaps", "against"),
    [
        ("c_bound", lambda t: -1.0 if t == 50 else 1.0, [0]),
        ("c_bound", lambda t: 0.0, [0]),
        ("train_error", lambda t: 3.0 if t <= 30 else 0.0, [1]),
        ("train_error", lambda t: 3.0 if t > 30 else 0.0, [3]),
        ("test_error", lambda t: -3.0 if t <= 80 else 0.0, [2]),
        ("test_error", lambda t: -3.0 if t > 80 else 0.0, [4]),
    ],
)
def test_figure_5s_claims_are_judged_in_their_rounds_in_both_readings(
    measure: str, gaps: Callable[[int], float], against: list[int]
) -> None:
    assert contradicted(figure_5(**{measure: gaps})) == against


def falls(c_bound: list[float], sums: list[float]) -> Judged:
    """Return the judgements on the bounds, with these curves of CB-Boost."""
    curve = {
        "c_bound": c_bound,
        "cbboost_corollary2": sums,
        "train_error": [0.1] * len(c_bound),
        "test_error": [0.2] * len(c_bound),
        "cbboost_pac_bayes": [0.9] * len(c_bound),
    }
    columns = ("cb-boost", "gb-cb-boost", "adaboost")
    return judge("cbboost-bounds", partial(measured, dict.fromkeys(columns, curve)), len(c_bound))


@pytest.mark.parametrize(
    ("c_bound", "sums", "against"),
    [
        ([0.5, 0.4, 0.3], [0.5, 0.4, 0.3], []),
        ([0.5, 0.4, 0.4], [0.5, 0.4, 0.4], []),
        ([0.5, 0.4, 0.41], [0.5, 0.4, 0.41], [1]),
        ([0.5, 0.4, 0.3], [0.5, 0.4, 0.31], [1]),
        ([0.5, 0.4, 0.05], [0.5, 0.4, 0.05], [0, 2]),
    ],
)
def test_the_c_bound_falls_by_property_1_and_stays_above_the_training_error(
    c_bound: list[float], sums: list[float], against: list[int]
) -> None:
    assert contradicted(falls(c_bound, sums)) == against
