from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.learners.grid import Grid
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record

Write = Callable[..., Path]


def counted(errors: list[int], others: list[int], n_test: int = 30) -> Outcomes:
    """Return one row of two columns with these errors."""
    records = {
        ("monks", column, i): Record("k", "ok", count, n_test)
        for column, counts in (("a", errors), ("b", others))
        for i, count in enumerate(counts)
    }
    return Outcomes(("monks",), ("a", "b"), len(errors), records)


def test_a_plans_records_stand_in_the_order_of_the_config_with_their_grids(
    small_config: Write,
) -> None:
    plan = make_plan(load_experiment(small_config(), repeats=2))
    records = [Record(str(i), "ok", i, 100) for i in range(len(plan.cells))]
    outcomes = Outcomes.of(plan.cells, records)
    assert outcomes.rows == ("monks", "people")
    assert outcomes.columns == ("quadboost-l2", "ada")
    assert outcomes.repeats == 2
    for cell, record in zip(plan.cells, records, strict=True):
        place = cell.dataset, cell.algorithm, cell.repeat
        assert outcomes.records[place] is record
        assert outcomes.grids[place] == cell.grids
    assert outcomes.cell("people", "ada") == [
        outcomes.records["people", "ada", 0],
        outcomes.records["people", "ada", 1],
    ]


counts = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@given(counts.flatmap(lambda xs: st.tuples(st.just(xs), st.permutations(xs))))
def test_equal_counts_have_equal_means_in_whatever_order(
    lists: tuple[list[int], list[int]],
) -> None:
    outcomes = counted(*lists)
    assert outcomes.mean("monks", "a") == outcomes.mean("monks", "b")


@given(
    counts.flatmap(
        lambda xs: st.tuples(
            st.just(xs), st.lists(st.integers(0, 30), min_size=len(xs), max_size=len(xs))
        )
    )
)
def test_means_are_ordered_as_the_sums_of_counts_are(lists: tuple[list[int], list[int]]) -> None:
    a, b = lists
    mean_a, mean_b = (counted(a, b).mean("monks", c) for c in ("a", "b"))
    assert mean_a is not None
    assert mean_b is not None
    assert (mean_a < mean_b, mean_a == mean_b) == (sum(a) < sum(b), sum(a) == sum(b))
    assert mean_a == Fraction(sum(a), 30 * len(a))
    assert float(mean_a) == sum(a) / (30 * len(a))


def test_a_sum_of_floats_would_tell_equal_counts_apart() -> None:
    outcomes = counted([1, 2, 3], [3, 2, 1], 10)
    # Since Python 3.12, `sum` itself makes up for what rounding loses.
    sums = [reduce(operator.add, outcomes.values("monks", c)) for c in ("a", "b")]
    assert sums[0] != sums[1]
    assert outcomes.mean("monks", "a") == outcomes.mean("monks", "b") == Fraction(1, 5)


def test_splits_of_different_sizes_count_alike() -> None:
    outcomes = counted([1, 1], [0, 0])
    records = {**outcomes.records, ("monks", "a", 1): Record("k", "ok", 1, 2)}
    outcomes = replace(outcomes, records=records)
    assert outcomes.mean("monks", "a") == (Fraction(1, 30) + Fraction(1, 2)) / 2
    assert outcomes.fractions("monks", "a") == [Fraction(1, 30), Fraction(1, 2)]


@pytest.mark.parametrize("status", ["missing", "failed", "crashed"])
def test_an_entry_that_lacks_a_split_has_no_mean_but_the_risks_of_the_others(status: str) -> None:
    outcomes = counted([3, 6, 9], [0, 0, 0])
    lost = Record("k", status)  # type: ignore[arg-type]
    outcomes = replace(outcomes, records={**outcomes.records, ("monks", "a", 1): lost})
    assert not outcomes.complete("monks", "a")
    assert outcomes.mean("monks", "a") is None
    assert outcomes.mean_of_computed("monks", "a") == Fraction(12, 60)
    assert outcomes.values("monks", "a") == [0.1, 0.3]
    assert outcomes.complete("monks", "b")
    assert outcomes.mean("monks", "b") == 0


def test_of_numbers_the_mean_is_that_of_the_rmses() -> None:
    rmses = [0.1, 0.7, 0.2]
    records = {("m1", "a", i): Record("k", "ok", n_test=10, rmse=x) for i, x in enumerate(rmses)}
    outcomes = Outcomes(("m1",), ("a",), 3, records)
    assert outcomes.regression("m1")
    assert outcomes.values("m1", "a") == rmses
    assert outcomes.mean("m1", "a") == pytest.approx(1 / 3)
    assert isinstance(outcomes.mean("m1", "a"), float)
    assert not counted([1], [1]).regression("monks")


def test_the_mean_time_is_over_all_cells_that_were_computed() -> None:
    records = {
        ("x", "a", 0): Record("k", "ok", 1, 2, seconds=1.0),
        ("x", "a", 1): Record("k", "failed", seconds=100.0),
        ("y", "a", 0): Record("k", "ok", 1, 2, seconds=4.0),
        ("y", "a", 1): Record("k", "missing"),
        **{(row, "b", i): Record("k", "missing") for row in "xy" for i in range(2)},
    }
    outcomes = Outcomes(("x", "y"), ("a", "b"), 2, records)
    assert outcomes.mean_seconds("a") == 2.5
    assert outcomes.mean_seconds("b") is None


def with_grids(*of_splits: tuple[Grid, ...]) -> Outcomes:
    records = {("x", "a", i): Record("k", "missing") for i in range(len(of_splits))}
    grids = {("x", "a", i): grids for i, grids in enumerate(of_splits)}
    return Outcomes(("x",), ("a",), len(of_splits), records, grids)


ROUNDS = Grid.of({"lam": [0.5], "n_rounds": [1, 2, 4]})


@pytest.mark.parametrize(
    ("of_splits", "values"),
    [
        ([(ROUNDS,)], (1, 2, 4)),
        ([(ROUNDS,), (ROUNDS,)], (1, 2, 4)),
        ([(Grid.of({"C": [1.0]}),)], ()),
        ([(Grid.of({}),)], ()),
        # Another hyper-parameter varies, with or without this one.
        ([(Grid.of({"lam": [2, 1], "n_rounds": [1, 2]}),)], None),
        ([(Grid.of({"C": [1, 2]}),)], None),
        # One drawn hyper-parameter differs between the splits; two make a grid for each point.
        ([(ROUNDS,), (Grid.of({"lam": [0.5], "n_rounds": [1, 3, 4]}),)], None),
        ([(ROUNDS, ROUNDS)], None),
        ([()], None),
    ],
)
def test_there_are_values_along_a_hyper_parameter_if_it_alone_varies_and_is_not_drawn(
    of_splits: list[tuple[Grid, ...]], values: tuple[int, ...] | None
) -> None:
    assert with_grids(*of_splits).values_along("x", "a", "n_rounds") == values


def test_the_values_of_a_plans_cells_are_those_of_its_config(small_config: Write) -> None:
    def values(old: str, new: str) -> tuple[object, ...] | None:
        plan = make_plan(load_experiment(small_config(old, new), repeats=2))
        records = [Record("k", "missing")] * len(plan.cells)
        return Outcomes.of(plan.cells, records).values_along("monks", "ada", "n_rounds")

    assert values("grid: {n_rounds: 5}", "grid: {n_rounds: [5, 7]}") == (5, 7)
    assert values("grid: {n_rounds: 5}", "draw: {n_rounds: {integers: [1, 99]}}") is None


def measured(*splits: list[float], grids: tuple[Grid, ...] = ()) -> Outcomes:
    records = {
        ("x", "a", i): Record("k", "ok", 1, 10, measures={"loss": split})
        for i, split in enumerate(splits)
    }
    of_splits = {("x", "a", i): (grid,) for i, grid in enumerate(grids)}
    return Outcomes(("x",), ("a",), len(splits), records, of_splits)


def test_a_curve_is_the_mean_over_the_splits_with_their_deviation() -> None:
    splits = [0.1, 0.2, nan], [0.3, 0.6, 0.5], [0.2, 0.7, 0.5]
    curve = measured(*splits).curve("x", "a", "loss")
    assert curve is not None
    np.testing.assert_allclose(curve.mean, np.mean(splits, axis=0))
    np.testing.assert_allclose(curve.sd, np.std(splits, axis=0, ddof=1))
    one = measured(splits[1]).curve("x", "a", "loss")
    assert one is not None
    assert (one.mean.tolist(), one.sd.tolist()) == (splits[1], [0, 0, 0])


def test_there_is_no_curve_of_a_lost_split_another_measure_or_other_candidates() -> None:
    outcomes = measured([0.1, 0.2], [0.3, 0.6])
    assert outcomes.curve("x", "a", "error") is None
    lost = {**outcomes.records, ("x", "a", 1): Record("k", "missing")}
    assert replace(outcomes, records=lost).curve("x", "a", "loss") is None
    grids = Grid.of({"n_rounds": [1, 2]}), Grid.of({"n_rounds": [1, 2, 3]})
    assert measured([0.1, 0.2], [0.3, 0.6, 0.9], grids=grids).curve("x", "a", "loss") is None


def test_the_share_of_tests_is_that_of_the_plans_splits(small_config: Write) -> None:
    split = "view: quadboost\n  split: {train: half, test: 50}"
    plan = make_plan(load_experiment(small_config("view: quadboost", split), repeats=2))
    records = [Record("k", "ok", 5, 50) for _ in plan.cells]
    # Of the 432 rows of monks, 216 are trained on.
    assert Outcomes.of(plan.cells, records).test_shares["monks"] == 50 / (216 + 50)
