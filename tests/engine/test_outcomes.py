"""Records by row, column and repeat."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.metrics import find_metric
from quadrepro.core.training.grid import Grid
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from tests.make import plan_of


def counted(errors: list[int], others: list[int], n_test: int = 30) -> Outcomes:
    """Return one row of two columns with these errors."""
    records = {
        ("monks", column, i): Record("k", "ok", count, n_test)
        for column, counts in (("a", errors), ("b", others))
        for i, count in enumerate(counts)
    }
    return Outcomes(("monks",), ("a", "b"), len(errors), records)


def test_records_are_placed_in_the_order_of_the_plan_with_grids_and_shares_of_tests() -> None:
    split = {"view": "quadboost", "split": {"train": "half", "test": 50}}
    names = ["monks", {"name": "titanic", "as": "people"}]
    plan = plan_of(2, protocol=split, datasets=names).cells
    records = [Record(str(i), "ok", 5, 50) for i in range(len(plan))]
    outcomes = Outcomes.from_records(plan, records, None)
    assert (outcomes.rows, outcomes.columns) == (("monks", "people"), ("adaboost",))
    assert outcomes.repeats == 2
    for cell, record in zip(plan, records, strict=True):
        place = cell.dataset, cell.algorithm, cell.repeat
        assert outcomes.records[place] is record
        assert outcomes.grids[place] == cell.grids
    assert outcomes.cell("people", "adaboost") == records[2:]
    # Of the 432 rows of monks, 216 are trained on.
    assert outcomes.test_shares["monks"] == 50 / (216 + 50)


COUNTS = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@given(COUNTS.flatmap(lambda xs: st.tuples(st.just(xs), st.permutations(xs))))
def test_equal_counts_have_equal_means_in_whatever_order(
    lists: tuple[list[int], list[int]],
) -> None:
    outcomes = counted(*lists)
    mean = outcomes.mean("monks", "a")
    assert mean == outcomes.mean("monks", "b") == pytest.approx(sum(lists[0]) / 30 / len(lists[0]))


@pytest.mark.parametrize("status", ["missing", "failed", "crashed"])
def test_an_entry_that_lacks_a_split_has_no_mean_but_the_risks_of_the_others(status: str) -> None:
    outcomes = counted([3, 6, 9], [0, 0, 0])
    lost = Record("k", status)  # type: ignore[arg-type]
    outcomes = replace(outcomes, records={**outcomes.records, ("monks", "a", 1): lost})
    assert [outcomes.complete("monks", column) for column in "ab"] == [False, True]
    assert (outcomes.mean("monks", "a"), outcomes.mean("monks", "b")) == (None, 0)
    assert outcomes.values("monks", "a") == [0.1, 0.3]
    assert outcomes.tested() is outcomes
    assert outcomes.mean_losses() == {"b": [0]}


def test_a_metric_takes_the_place_of_the_risk_in_the_rows_that_it_judges() -> None:
    records = dict(counted([3], [6]).records)
    codes = np.array([0, 0, 1, 1])
    kept = {"classes": ("no", "yes"), "actual": codes}
    records["monks", "a", 0] = Record("k", "ok", 1, 4, predicted=np.array([0, 0, 1, 0]), **kept)
    outcomes = Outcomes(("monks", "other"), ("a", "b"), 1, records)
    f1 = outcomes.by(find_metric("f1"), ["monks"])
    assert f1 is outcomes.by(find_metric("f1"), ["monks"])
    assert (f1.rows, f1.label, f1.by_metric, f1.compared) == (("monks",), "F1", " by F1", ("a",))
    assert (f1.greater_is_better, f1.sign, f1.counts_errors) == (True, -1.0, False)
    assert f1.values("monks", "a") == [pytest.approx(2 / 3)]
    assert (f1.complete("monks", "a"), f1.complete("monks", "b")) == (True, False)
    assert f1.mean_losses() == {"a": [pytest.approx(-2 / 3)]}
    plain = counted([3], [6])
    facts = (plain.label, plain.by_metric, plain.sign, plain.counts_errors)
    assert facts == ("risk", "", 1.0, True)


def split_codes(*splits: list[int], scores: bool = True) -> Outcomes:
    """Return outcomes of one row whose splits test these codes of three classes."""
    records = {}
    for (r, codes), column in product(enumerate(splits), ("a", "b")):
        p = np.eye(3)[codes] * 0.6 + 0.1
        given = p if scores or column == "a" else None
        outputs = {"actual": np.array(codes), "predicted": np.array(codes), "probabilities": given}
        classes = ("x", "y", "z")
        records["row", column, r] = Record("k", "ok", 0, len(codes), classes=classes, **outputs)
    return Outcomes(("row",), ("a", "b"), len(splits), records)


def test_splits_without_examples_of_a_class_are_counted_and_may_not_count_for_a_metric() -> None:
    outcomes = split_codes([0, 1, 2, 0], [0, 1, 1, 0], [0, 0, 0, 0])
    assert outcomes.untested("row") == {"y": 1, "z": 2}
    assert split_codes([0, 1, 2]).untested("row") == {}
    outcomes = outcomes.by(find_metric("auc"), ["row"])
    assert outcomes.undefined == {"row": 1}
    assert outcomes.values("row", "a") == [1.0, 1.0]
    assert outcomes.complete("row", "a")
    assert outcomes.mean("row", "b") == 1.0
    assert not split_codes([0, 0], [1, 1]).by(find_metric("auc"), ["row"]).complete("row", "a")


def test_a_column_lacks_output_if_no_cell_gives_what_the_metric_needs() -> None:
    outcomes = split_codes([0, 1, 2], [0, 1, 1], scores=False)
    assert outcomes.lacking("b") == "results are missing"
    by_auc = outcomes.by(find_metric("auc"), ["row"])
    reasons = ["results are missing", "they give no scores"]
    assert [by_auc.lacking(column) for column in ("a", "b")] == reasons
    assert outcomes.by(find_metric("f1"), ["row"]).lacking("b") == "results are missing"


def test_shares_of_errors_have_test_examples_and_the_resolution_of_one() -> None:
    records = {
        ("x", column, i): Record("k", "ok", 1, n)
        for column in "ab"
        for i, n in enumerate((20, 30, 40))
    }
    records["x", "b", 1] = Record("k", "failed")
    records |= {("y", c, i): Record("k", "ok", n_test=30, rmse=0.5) for c in "ab" for i in range(3)}
    records |= {("z", c, i): Record("k", "missing") for c in "ab" for i in range(3)}
    outcomes = Outcomes(("x", "y", "z"), ("a", "b"), 3, records)
    assert (outcomes.n_test("x", "a"), outcomes.n_test("x", "b")) == ((20, 30, 40), (20, 40))
    # The sizes of the splits with a result, of all columns.
    assert outcomes.resolution("x") == pytest.approx(5 / (20 + 30 + 40 + 20 + 40))
    # An RMSE and an empty row count no errors; one example changes another metric too.
    for row in "yz":
        assert (outcomes.n_test(row, "a"), outcomes.resolution(row)) == ((), 0.0)
    by_f1 = replace(outcomes, metric=find_metric("f1"))
    assert (by_f1.n_test("x", "a"), by_f1.resolution("x")) == ((), outcomes.resolution("x"))


def test_the_mean_of_a_regression_is_the_mean_of_its_rmses() -> None:
    rmses = [0.1, 0.7, 0.2]
    records = {("m1", "a", i): Record("k", "ok", n_test=10, rmse=x) for i, x in enumerate(rmses)}
    outcomes = Outcomes(("m1",), ("a",), 3, records)
    assert outcomes.regression("m1")
    assert outcomes.values("m1", "a") == rmses
    assert outcomes.mean("m1", "a") == pytest.approx(1 / 3)
    assert outcomes.label == "RMSE"
    assert not outcomes.counts_errors
    assert not outcomes.counted("m1")
    assert not counted([1], [1]).regression("monks")


def test_the_mean_time_is_over_all_cells_that_were_computed() -> None:
    records = {
        ("x", "a", 0): Record("k", "ok", 1, 2, seconds=1.0),
        ("x", "a", 1): Record("k", "failed", seconds=100.0),
        ("y", "a", 0): Record("k", "ok", 1, 2, seconds=4.0),
        ("y", "a", 1): Record("k", "missing"),
    }
    assert Outcomes(("x", "y"), ("a",), 2, records).mean_seconds("a") == 2.5
    assert with_grids(()).mean_seconds("a") is None


def with_grids(*splits: tuple[Grid, ...]) -> Outcomes:
    records = {("x", "a", i): Record("k", "missing") for i in range(len(splits))}
    grids = {("x", "a", i): grids for i, grids in enumerate(splits)}
    return Outcomes(("x",), ("a",), len(splits), records, grids)


ROUNDS = Grid.from_values({"lam": [0.5], "n_rounds": [1, 2, 4]})


@pytest.mark.parametrize(
    ("splits", "values"),
    [
        ([(ROUNDS,)], (1, 2, 4)),
        ([(ROUNDS,), (ROUNDS,)], (1, 2, 4)),
        ([(Grid.from_values({"C": [1.0]}),)], ()),
        ([(Grid.from_values({}),)], ()),
        # Another hyper-parameter varies, with or without this one.
        ([(Grid.from_values({"lam": [2, 1], "n_rounds": [1, 2]}),)], None),
        ([(Grid.from_values({"C": [1, 2]}),)], None),
        # One drawn hyper-parameter differs between the splits; two make a grid for each point.
        ([(ROUNDS,), (Grid.from_values({"lam": [0.5], "n_rounds": [1, 3, 4]}),)], None),
        ([(ROUNDS, ROUNDS)], None),
        ([()], None),
    ],
)
def test_there_are_values_along_a_hyper_parameter_if_it_alone_varies_and_is_not_drawn(
    splits: list[tuple[Grid, ...]], values: tuple[int, ...] | None
) -> None:
    assert with_grids(*splits).values_along("x", "a", "n_rounds") == values
