from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.protocol import SplitRule
from quadrepro.core.splits import Division, KnownRows, Split
from quadrepro.data.card import load_card
from quadrepro.papers.paper import load_paper

TABLE = load_paper("quadboost").printed("table1")
NAMES = TABLE.rows
DRAWS = 0, "toy", 3


def division(
    n_rows: int, folds: int = 0, holdout: bool = False, of: int | None = None, **rule: Any
) -> Division:
    return Division("toy", SplitRule.model_validate(rule), n_rows, folds, holdout, 1, of)


def split_of(n_rows: int, folds: int = 0, holdout: bool = False, **rule: Any) -> Split:
    return division(n_rows, folds, holdout, **rule).split(DRAWS)


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_risk_is_a_count_over_the_rules_test_set(name: str) -> None:
    n_rows = load_card(name).rows
    n_test = n_rows - SplitRule().training_size(n_rows)
    for column in TABLE.columns:
        printed = TABLE.number(name, column)
        assert printed is not None
        assert abs(round(printed * n_test) / n_test - printed) <= 0.0005 + 1e-12


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("bupa", (173, 172)),
        ("zoo", (51, 50)),
        ("letter_ab", (500, 1055)),
        ("yeast", (500, 984)),
        ("pima", (384, 384)),
    ],
)
def test_the_rule_rounds_up_and_caps(name: str, sizes: tuple[int, int]) -> None:
    n_rows = load_card(name).rows
    assert (SplitRule().training_size(n_rows), n_rows - SplitRule().training_size(n_rows)) == sizes


def test_a_share_is_rounded_up_and_uncapped_where_there_is_no_cap() -> None:
    rule = SplitRule(train=0.999, at_most=None)
    assert [rule.training_size(n) for n in (11_791, 1000, 5)] == [11_780, 999, 5]


@given(st.integers(10, 300), st.integers(5, 200), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_a_split_is_a_partition_with_even_folds(
    n_rows: int, at_most: int, folds: int, seed: int
) -> None:
    rows = division(n_rows, folds, at_most=at_most)
    split = rows.split((seed, "toy", 0))
    assert len(split.train) == rows.rule.training_size(n_rows)
    assert sorted([*split.train, *split.test]) == list(range(n_rows))
    sizes = np.bincount(split.fold, minlength=folds)
    assert sizes.sum() == len(split.train)
    assert sizes.max() - sizes.min() <= 1


def test_a_hash_knows_the_folds_and_which_part_is_the_test() -> None:
    split = split_of(20, 5)
    assert split.hash == replace(split).hash
    assert split.hash != replace(split, fold=split.fold[::-1]).hash
    assert split.hash != replace(split, train=split.test, test=split.train).hash


@given(st.integers(4, 3000), st.integers(2, 600))
def test_a_hold_out_halves_what_is_not_trained_on(n_rows: int, at_most: int) -> None:
    split = split_of(n_rows, holdout=True, at_most=at_most)
    assert split.valid is not None
    parts = [split.train, split.valid, split.test]
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(n_rows))
    np.testing.assert_array_equal(split.train, split_of(n_rows, at_most=at_most).train)
    assert len(split.test) - len(split.valid) in (0, 1)
    assert not split.fold.size


def test_validation_rows_belong_to_the_hash() -> None:
    split = split_of(40, holdout=True)
    assert split.valid is not None
    other = replace(split, valid=split.valid[::-1])
    assert len({split.hash, other.hash, replace(split, valid=None).hash}) == 3


@given(st.integers(6, 60), st.integers(2, 4), st.sampled_from([0, 2]), st.booleans(), st.data())
def test_a_division_knows_the_sizes_of_its_splits_and_draws_the_same_again(
    n_rows: int, n_train: int, folds: int, holdout: bool, data: st.DataObject
) -> None:
    of = data.draw(st.none() | st.integers(n_rows, 100))
    overlaps = not holdout and not folds and data.draw(st.booleans())
    rule = {"train": "all"} if overlaps else {"train": 0.9, "at_most": n_train}
    rows = division(n_rows, folds, holdout, of, **rule)
    split = rows.split(DRAWS)
    valid = [] if split.valid is None else split.valid
    assert rows.sizes == (len(split.train), len(valid), len(split.test))
    assert len(split.train) == (n_rows if overlaps else n_train)
    parts = [*split.train, *valid, *([] if overlaps else split.test)]
    assert len(set(parts)) == len(parts) == n_rows
    assert max(parts) < (of or n_rows)
    assert rows.split(DRAWS).hash == split.hash
    assert rows.split((0, "toy", 4)).hash != split.hash


@pytest.mark.parametrize(
    ("rule", "n_rows", "repeats"),
    [
        ({"train": "half"}, 101, 3),
        ({"train": 0.8, "at_most": 30}, 101, 3),
        ({"train": "half", "test": 20}, 101, 3),
        ({"outer": 10}, 101, 10),
        ({"outer": "2x3"}, 101, 6),
        ({"time": "day", "train": 0.2}, 100, 4),
        ({"time": "day", "train": 0.2, "at_most": 50}, 100, 4),
    ],
)
@pytest.mark.parametrize("holdout", [False, True])
def test_the_share_of_tests_is_that_of_the_splits_that_are_drawn(
    rule: dict[str, Any], n_rows: int, repeats: int, holdout: bool
) -> None:
    if holdout and not {"outer", "time"}.isdisjoint(rule):
        return
    rows = Division("toy", SplitRule.model_validate(rule), n_rows, 0, holdout, repeats)
    known = KnownRows(times=np.arange(n_rows) if "time" in rule else None)
    splits = [rows.split((0, "toy", i), known) for i in range(repeats)]
    n_test = fmean(len(split.test) for split in splits)
    valid = [0 if split.valid is None else len(split.valid) for split in splits]
    n_all = fmean(len(s.train) + n + len(s.test) for s, n in zip(splits, valid, strict=True))
    assert rows.test_share(n_test) == pytest.approx(n_test / n_all)


def test_given_test_parts_are_tested_against_all_other_rows() -> None:
    assert division(432, openml_task=59).test_share(108) == 108 / 432


def test_rows_that_are_trained_on_as_well_are_all_tested() -> None:
    assert division(90, train="all").test_share(90) == 1


@given(st.integers(2, 60), st.integers(2, 9), st.integers(0, 5))
def test_outer_folds_test_each_row_once_and_are_drawn_again(
    n_rows: int, outer: int, times: int
) -> None:
    outer = min(outer, n_rows)
    rows = division(n_rows, outer=outer)
    splits = [rows.split((0, "toy", times * outer + r)) for r in range(outer)]
    tested = np.concatenate([split.test for split in splits])
    np.testing.assert_array_equal(np.sort(tested), np.arange(n_rows))
    for split in splits:
        assert not {*split.train} & {*split.test}
        assert len(split.train) + len(split.test) == n_rows
        assert len(split.test) in (n_rows // outer, -(-n_rows // outer))
    assert rows.sizes == tuple(len(part) for part in (splits[0].train, [], splits[0].test))
    assert rows.split((0, "toy", 0)).hash == rows.split((0, "toy", 0)).hash


def test_outer_folds_have_even_inner_folds_that_differ_by_repeat() -> None:
    rows = division(60, 4, outer=3)
    first, second = (rows.split((0, "toy", repeat)) for repeat in (0, 1))
    assert np.bincount(first.fold).tolist() == [10] * 4
    assert first.fold.tolist() != second.fold.tolist()
    other = rows.split((0, "toy", 3))
    assert {*first.test} != {*other.test}
