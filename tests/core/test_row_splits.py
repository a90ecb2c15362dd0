from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

from quadrepro.base.types import IntArray
from quadrepro.core.protocol import SplitRule
from quadrepro.core.seeds import Draws
from quadrepro.core.splits import Division, KnownRows, Split
from quadrepro.errors import ConfigError

RNG = np.random.default_rng(0)
CLASSES = np.repeat([0, 1, 2], [60, 30, 30])[RNG.permutation(120)]
GROUPS = np.concatenate([np.arange(12), RNG.integers(12, size=108)])
TIMES = RNG.permutation(120).astype(np.float64)
PART = np.repeat([0, 1, 2], 40)[np.argsort(GROUPS, kind="stable").argsort()]
KNOWN = KnownRows(CLASSES)


def division(
    folds: int = 0, repeats: int = 1, of: int | None = None, holdout: bool = False, **rule: Any
) -> Division:
    n_rows = 120 if of is None else 100
    found = SplitRule.model_validate(rule)
    return Division("toy", found, n_rows, folds, holdout, repeats, of)


def draws(repeat: int = 0) -> Draws:
    return 0, "toy", repeat


def known(**fields: IntArray) -> KnownRows:
    return KnownRows(CLASSES, **fields)  # type: ignore[arg-type]


def parts_of(split: Split) -> list[IntArray]:
    return [split.train, *([] if split.valid is None else [split.valid]), split.test]


def assert_partition(split: Split, n_rows: int = 120) -> None:
    np.testing.assert_array_equal(np.sort(np.concatenate(parts_of(split))), np.arange(n_rows))


@pytest.mark.parametrize("holdout", [False, True])
@given(repeat=st.integers(0, 100), share=st.sampled_from(["half", 0.3, 0.7]))
def test_all_parts_and_folds_have_equal_shares_of_each_class(
    holdout: bool, repeat: int, share: float | str
) -> None:
    rows = division(4, stratify=True, train=share, holdout=holdout)
    split = rows.split(draws(repeat), KNOWN)
    assert_partition(split)
    sizes = tuple(len(p) for p in parts_of(split))
    assert sizes == tuple(size for size in rows.sizes if size)
    for part in parts_of(split):
        expected = np.bincount(CLASSES) * len(part) / 120
        assert np.abs(np.bincount(CLASSES[part]) - expected).max() <= 1
    assert len(split.fold) == (0 if holdout else len(split.train))
    for c in range(3) if not holdout else ():
        assert np.ptp(np.bincount(split.fold[CLASSES[split.train] == c], minlength=4)) <= 1


@pytest.mark.parametrize("stratify", [False, True])
@given(repeat=st.integers(0, 100))
def test_no_group_is_in_two_parts_or_folds(stratify: bool, repeat: int) -> None:
    rows = division(3, groups="g", stratify=stratify)
    split = rows.split(draws(repeat), known(groups=GROUPS))
    assert_partition(split)
    groups = [{*GROUPS[part]} for part in parts_of(split)]
    assert list(map(len, groups)) == [6, 6]
    folds = [{*GROUPS[split.train][split.fold == f]} for f in range(3)]
    for found in (groups, folds):
        assert len(set().union(*found)) == sum(map(len, found))


def test_training_rows_beyond_the_most_are_left_out_and_not_tested() -> None:
    full = division(groups="g").split(draws(), known(groups=GROUPS))
    fewer = division(groups="g", at_most=20).split(draws(), known(groups=GROUPS))
    assert len(full.train) > 20
    assert len({*fewer.train}) == 20
    assert {*fewer.train} < {*full.train}
    np.testing.assert_array_equal(fewer.test, full.test)


@pytest.mark.parametrize("at_most", [None, 25])
@pytest.mark.parametrize(("share", "repeats"), [(0.6, 1), (0.25, 3), (0.2, 4), (0.9, 12)])
def test_windows_grow_in_the_order_of_time_as_in_time_series_split(
    at_most: int | None, share: float, repeats: int
) -> None:
    rows = division(2, repeats, time="t", train=share, at_most=at_most)
    order = np.argsort(TIMES)
    rest = round((1 - share) * 120)
    splitter = TimeSeriesSplit(max(repeats, 2), test_size=rest // repeats, max_train_size=at_most)
    expected = list(splitter.split(TIMES))[-repeats:]
    for repeat, (train, test) in enumerate(expected):
        split = rows.split(draws(repeat), known(times=TIMES))
        np.testing.assert_array_equal(split.train, order[train])
        np.testing.assert_array_equal(split.test, order[test])
        assert (np.diff(split.fold) >= 0).all()
        assert TIMES[split.train].max() < TIMES[split.test].min()
        # Folds are windows of the training rows, which stand in the order of time.
        for f, (seen, out) in enumerate(TimeSeriesSplit(2).split(split.train)):
            np.testing.assert_array_equal(np.flatnonzero(split.fold == f), out)
            np.testing.assert_array_equal(np.flatnonzero(split.fold < f), seen)
    assert rows.sizes == (len(split.train), 0, len(split.test))


@pytest.mark.parametrize(
    "rule", [{"stratify": True}, {"groups": "g"}, {"groups": "g", "stratify": True}]
)
def test_each_row_is_tested_once_by_the_repeats_of_one_division(rule: dict[str, Any]) -> None:
    rows = division(2, 6, outer="2x3", **rule)
    marked = known(groups=GROUPS) if "groups" in rule else KNOWN
    splits = [rows.split(draws(repeat), marked) for repeat in range(6)]
    for of_division in (splits[:3], splits[3:]):
        tested = np.concatenate([split.test for split in of_division])
        np.testing.assert_array_equal(np.sort(tested), np.arange(120))
        for split in of_division:
            assert_partition(split)
            if "groups" in rule:
                assert not {*GROUPS[split.train]} & {*GROUPS[split.test]}
            else:
                assert np.bincount(CLASSES[split.test]).tolist() == [20, 10, 10]
    assert {*splits[0].test} != {*splits[3].test}


def test_as_many_outer_folds_as_groups_leave_out_one_group_each() -> None:
    rows = division(3, 12, outer=12, groups="g")
    splits = [rows.split(draws(repeat), known(groups=GROUPS)) for repeat in range(12)]
    tested = [{*GROUPS[split.test].tolist()} for split in splits]
    assert sorted(map(sorted, tested)) == [[group] for group in range(12)]


def test_numbered_parts_are_tested_by_the_repeat_of_their_number() -> None:
    tested = np.where(np.arange(120) < 20, -1, np.arange(120) % 4)
    for repeat in range(4):
        split = division(repeats=4, column="c").split(draws(repeat), known(tested=tested))
        assert_partition(split)
        np.testing.assert_array_equal(split.test, np.flatnonzero(tested == repeat))


def test_named_parts_are_taken_as_they_are() -> None:
    split = division(holdout=True, column="c").split(draws(), known(part=PART))
    for place, rows in enumerate(parts_of(split)):
        np.testing.assert_array_equal(rows, np.flatnonzero(place == PART))


def test_rows_drawn_for_a_repeat_are_divided_by_their_own_classes() -> None:
    rows = division(2, stratify=True, of=120)
    splits = [rows.split(draws(repeat), KNOWN) for repeat in range(2)]
    for split in splits:
        found = np.concatenate([split.train, split.test])
        assert len({*found}) == 100
        halves = [np.bincount(CLASSES[part]) for part in (split.train, split.test)]
        assert np.ptp(halves, axis=0).max() <= 1
    assert {*splits[0].train, *splits[0].test} != {*splits[1].train, *splits[1].test}


@pytest.mark.parametrize("rule", [{"stratify": True}, {"groups": "g"}, {"outer": 4, "groups": "g"}])
def test_splits_differ_by_repeat_and_are_drawn_again_the_same(rule: dict[str, Any]) -> None:
    marked = known(groups=GROUPS) if "groups" in rule else KNOWN
    rows = division(2, 4, **rule)
    first, second = (rows.split(draws(repeat), marked).hash for repeat in (0, 1))
    assert first != second
    assert rows.split(draws(0), marked).hash == first


def test_a_split_is_named_by_its_draws_and_windows_by_their_number_as_well() -> None:
    assert division(repeats=4, stratify=True).named(draws(2)) == {"draws": (0, "toy", 2)}
    named = division(repeats=4, time="t").named(draws(2))
    assert named == {"draws": (0, "toy", 2), "repeats": 4}


TESTED = np.arange(120) % 4
ALIKE = KnownRows(np.repeat([0, 1], 60), times=np.arange(120.0))


@pytest.mark.parametrize(
    ("rows", "marked", "message"),
    [
        (
            division(55, stratify=True, train=0.9),
            KNOWN,
            "toy, repeat 0: 54 rows of the largest class are too few for 55 folds",
        ),
        (
            division(7, groups="g"),
            known(groups=GROUPS),
            "toy, repeat 0: 6 groups are too few for 7 folds",
        ),
        (
            division(groups="g"),
            known(groups=np.zeros(120, dtype=int)),
            "toy, repeat 0: 1 of 1 groups are trained on: too few are left",
        ),
        (
            division(outer=13, groups="g", repeats=13),
            known(groups=GROUPS),
            "toy, repeat 0: 12 groups are too few for 13 folds",
        ),
        (
            division(repeats=61, time="t"),
            known(times=TIMES),
            "toy, repeat 0: too few rows are left for 61 test parts",
        ),
        (
            division(repeats=3, column="c"),
            known(tested=TESTED),
            "toy: c makes 4 test parts: set repeats to 4, not 3",
        ),
        (
            division(repeats=2, column="c"),
            known(part=PART),
            "toy: c gives one split: set repeats to 1, not 2",
        ),
        (
            division(holdout=True, repeats=4, column="c"),
            known(tested=TESTED),
            "toy, repeat 0: c numbers the test parts, so none is held out: use folds",
        ),
        (
            division(column="c"),
            known(part=PART),
            "toy, repeat 0: c names valid rows, which only a holdout uses",
        ),
        (
            division(holdout=True, column="c"),
            known(part=np.arange(120) % 2 * 2),
            "toy, repeat 0: c names no valid rows, which the holdout needs",
        ),
        (
            division(column="c", groups="g"),
            known(part=np.where(PART == 0, 0, 2), groups=GROUPS),
            "toy, repeat 0: attribute c divides a group of g",
        ),
        (
            division(repeats=4, column="c", groups="g"),
            known(tested=TESTED, groups=GROUPS),
            "toy, repeat 0: attribute c divides a group of g",
        ),
        (
            division(time="t"),
            ALIKE,
            "toy, repeat 0: all rows for training have the same class",
        ),
        (
            division(3, time="t", train=0.7, at_most=None),
            ALIKE,
            "toy, repeat 0: all rows before fold 0 have the same class",
        ),
    ],
)
def test_what_cannot_be_divided_or_learned_is_refused(
    rows: Division, marked: KnownRows, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        rows.check([draws(repeat) for repeat in range(rows.repeats)], marked)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("rows", "marked"),
    [
        (division(3, stratify=True), KNOWN),
        (division(3, groups="g", at_most=30), known(groups=GROUPS)),
        (division(3, 3, time="t"), known(times=TIMES)),
        # A test part of one class, and numbers, are no fault.
        (division(0, time="t", train=0.6), ALIKE),
        (division(3, time="t"), KnownRows(None, times=TIMES)),
    ],
)
def test_what_can_be_divided_passes(rows: Division, marked: KnownRows) -> None:
    rows.check([draws(repeat) for repeat in range(rows.repeats)], marked)


def test_a_column_may_divide_the_rows_where_groups_end() -> None:
    rows = division(2, column="c", groups="g")
    split = rows.split(draws(), known(part=np.where(GROUPS < 6, 0, 2), groups=GROUPS))
    folds = [{*GROUPS[split.train][split.fold == f]} for f in (0, 1)]
    assert not folds[0] & folds[1]
    rows = division(2, 2, column="c", groups="g")
    split = rows.split(draws(1), known(tested=GROUPS % 2, groups=GROUPS))
    np.testing.assert_array_equal(split.test, np.flatnonzero(GROUPS % 2 == 1))


@given(repeat=st.integers(0, 100), train=st.integers(2, 60), test=st.integers(1, 60))
def test_parts_have_the_sizes_that_are_given(repeat: int, train: int, test: int) -> None:
    rows = division(train=train, test=test)
    split = rows.split(draws(repeat))
    assert (len(split.train), 0, len(split.test)) == rows.sizes == (train, 0, test)
    assert not np.intersect1d(split.train, split.test).size


def test_stratified_parts_of_given_sizes_have_equal_shares_of_each_class() -> None:
    split = division(stratify=True, train=40, test=20).split(draws(), KNOWN)
    np.testing.assert_array_equal(np.bincount(CLASSES[split.train]), [20, 10, 10])
    np.testing.assert_array_equal(np.bincount(CLASSES[split.test]), [10, 5, 5])


def test_classes_with_fewer_rows_than_folds_are_in_some_of_them() -> None:
    rare = KnownRows(np.array([0] * 80 + [1] * 37 + [2] * 2 + [3]))
    assert rare.classes is not None
    split = division(4, stratify=True, train=0.75).split(draws(), rare)
    of_fold = [
        np.bincount(rare.classes[split.train[split.fold == f]], minlength=2) for f in range(4)
    ]
    assert np.ptp([counts[0] for counts in of_fold]) <= 1
    assert np.ptp([counts[1] for counts in of_fold]) <= 1
    assert_partition(split)
    assert_partition(division(4, 10, stratify=True, outer=10).split(draws(), rare))


@pytest.mark.parametrize(("n_rows", "of"), [(40, None), (30, 40)])
@pytest.mark.parametrize("holdout", [False, True])
def test_classes_of_one_and_two_rows_are_divided_in_every_repeat(
    holdout: bool, n_rows: int, of: int | None
) -> None:
    rare = KnownRows(np.array([0, 1, 1] + [2] * 37))
    rows = Division("toy", SplitRule(stratify=True), n_rows, 0, holdout, 200, of)
    for repeat in range(200):
        found = np.concatenate(parts_of(rows.split(draws(repeat), rare)))
        assert len({*found}) == n_rows
