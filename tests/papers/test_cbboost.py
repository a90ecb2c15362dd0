from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan

import pytest

from quadrepro.core.learners.grid import Grid
from quadrepro.engine.records import Record
from tests.papers.measured import (
    MISSING,
    UNKNOWN,
    Judged,
    Measures,
    columns_of,
    failing,
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
        return Grid.of(rounds if n_rounds > 1 and column != level else {})

    return ours(judged(experiment, outcomes_of(rows, columns_of(experiment), 2, record, grid)))


def counts(of: Callable[[int, str], int]) -> Make:
    """Return records of so many errors in 1000 by row's place and column, one more or less."""
    return lambda i, column, split: Record("k", "ok", of(i, column) + (-1) ** split, 1000)


def measured(of: dict[str, Measures], i: int, column: str, split: int) -> Record:
    return Record("k", "ok", n_test=10, measures=of.get(column, {}))


# Table 2: twelve of its thirteen data sets are at hand, so one short of a count is undecided.
TABLE_2 = {"mincq": 100, "cqboost": 110, "cb-boost": 101, "gb-cb-boost": 102}


def table_2(
    *, worse: int = 0, best: int = 3, gb: int = 102, lost: tuple[int, str] | None = None
) -> Judged:
    """Judge Table 2 with CB-Boost far off on the first rows and ahead on the last."""

    def count(i: int, column: str) -> int:
        if column == "cb-boost":
            return 200 if i < worse else 99 if i >= 12 - best else 101
        return gb if column == "gb-cb-boost" else TABLE_2[column]

    whole = counts(count)
    return judge(
        "cbboost-table2", lambda i, c, split: MISSING if (i, c) == lost else whole(i, c, split)
    )


def test_table_2s_claims_are_counted_over_its_data_sets() -> None:
    assert table_2(best=3) == [
        ("12 of 12", "holds"),
        ("lowest mean on 3 of 12", "holds"),
        ("lowest mean on 9 of 12; what is missing of 13 decides", "not comparable"),
        ("0 wins, 12 losses, 0 ties, p < 0.001", "holds"),
    ]
    words = [word for _, word in table_2(best=2)]
    assert words == ["holds", "not comparable", "holds", "holds"]
    words = [word for _, word in table_2(best=1)]
    assert words == ["holds", "does not hold", "holds", "holds"]


def test_cb_boost_may_be_worse_than_the_programs_on_two_of_thirteen_data_sets() -> None:
    assert table_2(worse=1)[0] == ("11 of 12; not on australian", "holds")
    assert table_2(worse=2)[0] == (
        "10 of 12; not on australian, balance; what is missing of 13 decides",
        "not comparable",
    )
    assert table_2(worse=3)[0][1] == "does not hold"


def test_significantly_fewer_errors_of_gb_cb_boost_are_an_improvement() -> None:
    assert table_2(gb=90)[3] == ("12 wins, 0 losses, 0 ties, p < 0.001", "does not hold")


def test_a_lowest_mean_is_open_while_any_algorithm_lacks_a_cell() -> None:
    found = table_2(lost=(4, "gb-cb-boost"))
    assert [claim == UNKNOWN for claim in found] == [False, True, True, True]


SECONDS = {"mincq": 9.0, "cqboost": 6.0, "gb-cb-boost": 3.0, "cb-boost": 1.0, "adaboost": 2.0}


def figure_1(slow: tuple[int, str] | None = None) -> Judged:
    """Judge the times with those of one entry, if any, of 8 seconds."""

    def record(i: int, column: str, split: int) -> Record:
        seconds = 8.0 if (i, column) == slow else SECONDS[column]
        return Record("k", "ok", n_test=10, seconds=seconds)

    return judge("cbboost-figure1", record)


def test_times_are_compared_at_every_point_of_the_sweep() -> None:
    times = "faster at 18 of 18 points; {0} to {0} times as fast, median {0}"
    assert figure_1() == [(times.format(ratio), "holds") for ratio in ("2", "2", "3")]
    found = figure_1(slow=(3, "adaboost"))
    assert failing(found) == [0]
    assert found[0][0].startswith("faster at 17 of 18 points; 0.75 to 2 times as fast")


def figure_2(**changed: Measures) -> Judged:
    """Return the judgements on 200 rounds with some measures other than those that hold."""
    ends = {
        "mincq": {"test_error": 0.05, "train_error": 0.04, "voters": 300.0},
        "cqboost": {"test_error": 0.04, "train_error": 0.02, "voters": 9.0},
        "gb-cb-boost": {"test_error": 0.03, "voters": 50.0},
        "cb-boost": {"test_error": 0.02, "train_error": 0.03, "voters": 50.0},
        "adaboost": {"test_error": 0.025, "train_error": 0.01},
    }
    curves = {
        column: {name: [value] * (1 if column == "mincq" else 200) for name, value in of.items()}
        for column, of in ends.items()
    }
    for column, measures in changed.items():
        curves[column.replace("_", "-")].update(measures)
    return judge("cbboost-figure2", partial(measured, curves), 200, level="mincq")


def test_figure_2s_claims_say_what_was_compared() -> None:
    assert figure_2() == [
        (
            "mean training error over rounds 10 to 50: CB-Boost 3.00%, AdaBoost 1.00%, "
            "CqBoost 2.00%",
            "holds",
        ),
        (
            "test error at the end: MinCq 5.00%, CqBoost 4.00%, GB-CB-Boost 3.00%, CB-Boost 2.00%, "
            "AdaBoost 2.50%",
            "holds",
        ),
        ("CB-Boost at most 2.00%, CqBoost at most 4.00%; MinCq 5.00%", "holds"),
        ("voters at the end: CB-Boost 50.0 ± 0.0, GB-CB-Boost 50.0 ± 0.0", "holds"),
    ]


@pytest.mark.parametrize(
    ("changed", "against"),
    [
        ({"cqboost": {"train_error": [0.01] * 9 + [0.04] * 41 + [0.01] * 150}}, [0]),
        ({"cqboost": {"train_error": [0.9] * 9 + [0.01] * 41 + [0.9] * 150}}, []),
        ({"adaboost": {"test_error": [0.9] * 199 + [0.01]}}, [1]),
        ({"cqboost": {"test_error": [0.04] * 29 + [0.06] + [0.04] * 170}}, [2]),
        ({"cqboost": {"test_error": [0.9] * 29 + [0.04] * 171}}, []),
        ({"gb_cb_boost": {"voters": [50.0] * 199 + [51.0]}}, [3]),
    ],
)
def test_figure_2s_claims_are_judged_on_the_rounds_they_name(
    changed: dict[str, Measures], against: list[int]
) -> None:
    assert failing(figure_2(**changed)) == against


def test_a_loss_of_robustness_is_named_but_for_ionospheres_first_levels() -> None:
    titles = rows_of(load("cbboost-figure3"))

    def with_loss(place: str) -> Judged:
        errors = counts(lambda i, c: 126 if (titles[i], c) == (place, "cb-boost") else 100)
        return judge("cbboost-figure3", errors)

    (exempt,) = with_loss("ionosphere, noise 0.2")
    assert exempt == ("at most 0.00 points (australian, noise 0); above 2.5 in 0 of 92", "holds")
    for place in ("ionosphere, noise 0.4", "bupa, noise 0"):
        (found,) = with_loss(place)
        assert found == (f"at most 2.60 points ({place}); above 2.5 in 1 of 92", "does not hold")


def test_algorithms_are_equivalent_if_their_mean_difference_is_within_the_margin() -> None:
    def count(i: int, column: str) -> int:
        errors = {"cb-boost": 100 + (-1) ** i, "adaboost": 100, "bagging": 101}
        return errors.get(column, 50 if column == "random-forest" else 100 - 60 * (i % 2))

    found = judge("cbboost-figure4", counts(count))
    # An error is a tenth of a point: five points off, and up to six points off.
    assert [word for _, word in found[:3]] == ["holds", "does not hold", "cannot be judged"]
    assert found[0][0].startswith("mean difference +0.00, 90% interval -0.05 to +0.05, margin 2.5")
    # Bagging is two errors worse in every second row, and equal in the others.
    assert found[3] == ("on 12 of 24 splits", "does not hold")


def test_bagging_is_frequently_worse_on_more_than_half_of_the_splits() -> None:
    errors = counts(lambda i, c: 101 if c == "bagging" and i < 7 else 100)
    found = judge("cbboost-figure4", errors)
    assert found[3] == ("on 14 of 24 splits", "holds")


def figure_5(**changed: list[float]) -> Judged:
    """Return the judgements with some of MinCq's curves other than those that hold.

    The errors of the two splits are 5 points above and below the curves, for both algorithms.
    """
    own = {name: [0.5, 0.4, 0.3] for name in ("c_bound", "train_error", "test_error")}
    mincq = {
        "c_bound": [0.5, nan, 0.25],
        "train_error": [0.49, nan, 0.305],
        "test_error": [0.5, nan, 0.31],
    }
    curves = {"cb-boost": own, "mincq-on-cb-boost": {**mincq, **changed}}

    def record(i: int, column: str, split: int) -> Record:
        off = 0.05 * (-1) ** split
        measures = {
            name: [x + off if name.endswith("error") else x for x in values]
            for name, values in curves[column].items()
        }
        return Record("k", "ok", n_test=10, measures=measures)

    return judge("cbboost-figure5", record, 3)


def test_figure_5_is_judged_where_mincq_has_a_solution() -> None:
    assert figure_5() == [
        ("by 0.0000 to 0.0500, 0.0500 at the end", "holds"),
        ("difference 0.25 points [0.25, 0.25], standard deviation 7.07", "holds"),
        ("difference -0.50 points [-0.50, -0.50], standard deviation 7.07", "holds"),
    ]


@pytest.mark.parametrize(
    ("measure", "curve", "against"),
    [
        ("c_bound", [0.51, nan, 0.25], 0),
        ("c_bound", [0.5, nan, 0.3], 0),
        ("train_error", [0.3, nan, 0.305], 1),
        ("test_error", [0.5, nan, 0.45], 2),
    ],
)
def test_one_curve_on_the_wrong_side_is_enough_against_its_claim(
    measure: str, curve: list[float], against: int
) -> None:
    assert failing(figure_5(**{measure: curve})) == [against]


def test_only_the_first_rounds_count() -> None:
    late = [0.5] * 30 + [0.9] * 70
    curves = {"train_error": [0.5] * 100, "test_error": [0.5] * 100, "c_bound": [0.4] * 100}
    own = {"train_error": late, "test_error": late, "c_bound": [0.5] * 100}
    both = {"cb-boost": own, "mincq-on-cb-boost": curves}
    _, train, test = judge("cbboost-figure5", partial(measured, both), 100)
    assert train[0].startswith("difference 0.00 points [")
    assert test[0].startswith("difference 25.00 points [")
