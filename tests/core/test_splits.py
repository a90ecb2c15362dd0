"""Splits against scikit-learn's splitters, and by what holds for each: parts, groups, shares."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import model_selection as skl

from quadrepro.base.types import IntArray
from quadrepro.core.protocol import SplitRule
from quadrepro.core.seeds import generator
from quadrepro.core.splits import UNKNOWN, KnownRows, Split, Splitter, deal, draw
from quadrepro.data.cache import TEST, TRAIN
from quadrepro.errors import ConfigError

RNG = np.random.default_rng(0)
CLASSES = np.repeat([0, 1, 2], [60, 30, 30])[RNG.permutation(120)]
GROUPS = np.concatenate([np.arange(12), RNG.integers(12, size=108)])
TIMES = RNG.permutation(120).astype(np.float64)
VALID = 3
seeds = st.integers(0, 2**32 - 1)
repeats = st.integers(0, 100)


def splitter(
    folds: int = 0,
    n_repeats: int = 1,
    n_rows: int = 120,
    of: int | None = None,
    holdout: bool = False,
    **rule: Any,
) -> Splitter:
    found = SplitRule.model_validate(rule)
    return Splitter("toy", found, n_rows, folds, holdout, n_repeats, of)


def split_of(rows: Splitter, repeat: int = 0, **known: Any) -> Split:
    """Return the split of a repeat, with the classes of the rule."""
    if rows.rule.stratify and "classes" not in known:
        known["classes"] = CLASSES
    return rows.split((0, "toy", repeat), KnownRows(**known))


def parts_of(split: Split) -> list[IntArray]:
    return [split.train, *([] if split.valid is None else [split.valid]), split.test]


def assert_partition(split: Split, n_rows: int = 120) -> None:
    np.testing.assert_array_equal(np.sort(np.concatenate(parts_of(split))), np.arange(n_rows))


def codes(seed: int, n_rows: int, n_codes: int) -> IntArray:
    """Return codes of which each occurs."""
    drawn = generator(seed, "toy").integers(n_codes, size=n_rows)
    return np.unique(drawn, return_inverse=True)[1]


@given(st.integers(10, 300), st.integers(5, 200), st.integers(2, 5), st.booleans(), seeds)
def test_a_share_is_a_partition_with_even_folds_or_halves(
    n_rows: int, at_most: int, folds: int, holdout: bool, seed: int
) -> None:
    rows = splitter(0 if holdout else folds, n_rows=n_rows, holdout=holdout, at_most=at_most)
    split = rows.split((seed, "toy", 0))
    assert_partition(split, n_rows)
    assert len(split.train) == rows.rule.training_size(n_rows)
    n_train, n_test = len(split.train), len(split.test)
    assert rows.sizes == (n_train, n_rows - n_train - n_test, n_test)
    if holdout:
        assert len(split.test) - len(split.valid) in (0, 1)
        assert not split.fold.size
    else:
        assert np.ptp(np.bincount(split.fold, minlength=folds)) <= 1
    plain = splitter(n_rows=n_rows, at_most=at_most).split((seed, "toy", 0))
    np.testing.assert_array_equal(split.train, plain.train)
    # Training and other rows are the ends of one permutation, which the published tables hang on.
    order = generator(seed, "toy", 0, "split").permutation(n_rows)
    np.testing.assert_array_equal(np.concatenate(parts_of(split)), order)


@pytest.mark.parametrize("holdout", [False, True])
@given(repeat=repeats, share=st.sampled_from(["half", 0.3, 0.7]))
def test_all_parts_and_folds_have_equal_shares_of_each_class(
    holdout: bool, repeat: int, share: float | str
) -> None:
    rows = splitter(0 if holdout else 4, stratify=True, train=share, holdout=holdout)
    split = split_of(rows, repeat)
    assert_partition(split)
    assert [len(part) for part in parts_of(split)] == [size for size in rows.sizes if size]
    for part in parts_of(split):
        expected = np.bincount(CLASSES) * len(part) / 120
        assert np.abs(np.bincount(CLASSES[part]) - expected).max() <= 1
    for c in range(3) if not holdout else ():
        assert np.ptp(np.bincount(split.fold[CLASSES[split.train] == c], minlength=4)) <= 1


@pytest.mark.parametrize("stratify", [False, True])
@given(repeat=repeats)
def test_no_group_is_in_two_parts_or_folds_and_rows_beyond_the_most_are_left_out(
    stratify: bool, repeat: int
) -> None:
    split = split_of(splitter(3, groups="g", stratify=stratify), repeat, groups=GROUPS)
    assert_partition(split)
    groups = [{*GROUPS[part]} for part in parts_of(split)]
    assert list(map(len, groups)) == [6, 6]
    folds = [{*GROUPS[split.train][split.fold == f]} for f in range(3)]
    for found in (groups, folds):
        assert len(set().union(*found)) == sum(map(len, found))
    if not stratify:
        fewer = split_of(splitter(groups="g", at_most=20), repeat, groups=GROUPS)
        assert len({*fewer.train}) == 20 < len(split.train)
        assert {*fewer.train} < {*split.train}
        np.testing.assert_array_equal(fewer.test, split.test)


@pytest.mark.parametrize("at_most", [None, 25])
@pytest.mark.parametrize(("share", "n_repeats"), [(0.6, 1), (0.25, 3), (0.2, 4), (0.9, 12)])
def test_windows_grow_in_the_order_of_time_as_in_time_series_split(
    at_most: int | None, share: float, n_repeats: int
) -> None:
    rows = splitter(2, n_repeats, time="t", train=share, at_most=at_most)
    order, rest = np.argsort(TIMES), round((1 - share) * 120)
    outer = skl.TimeSeriesSplit(
        max(n_repeats, 2), test_size=rest // n_repeats, max_train_size=at_most
    )
    sizes = []
    for repeat, (train, test) in enumerate([*outer.split(TIMES)][-n_repeats:]):
        split = split_of(rows, repeat, times=TIMES)
        np.testing.assert_array_equal(split.train, order[train])
        np.testing.assert_array_equal(split.test, order[test])
        for f, (seen, out) in enumerate(skl.TimeSeriesSplit(2).split(split.train)):
            np.testing.assert_array_equal(np.flatnonzero(split.fold == f), out)
            np.testing.assert_array_equal(np.flatnonzero(split.fold < f), seen)
        sizes.append(len(train))
    assert rows.sizes == (round(np.mean(sizes)), 0, len(split.test))
    # Rows of the same time stay in their order.
    split = split_of(splitter(time="t"), times=np.arange(120) % 3)
    order = [row for time in range(3) for row in range(time, 120, 3)]
    assert [*split.train, *split.test] == order


@pytest.mark.parametrize(
    "rule", [{}, {"stratify": True}, {"groups": "g"}, {"groups": "g", "stratify": True}]
)
def test_outer_folds_test_each_row_once_and_are_dealt_again(rule: dict[str, Any]) -> None:
    rows, known = splitter(2, 6, outer="2x3", **rule), {}
    if "groups" in rule:
        known = {"groups": GROUPS}
    splits = [split_of(rows, repeat, **known) for repeat in range(6)]
    for of_division in (splits[:3], splits[3:]):
        tested = np.concatenate([split.test for split in of_division])
        np.testing.assert_array_equal(np.sort(tested), np.arange(120))
        for split in of_division:
            assert_partition(split)
            if "groups" in rule:
                assert not {*GROUPS[split.train]} & {*GROUPS[split.test]}
            elif rule:
                assert np.bincount(CLASSES[split.test]).tolist() == [20, 10, 10]
            else:
                assert rows.sizes == (len(split.train), 0, len(split.test))
    assert {*splits[0].test} != {*splits[3].test}
    assert splits[0].fold.tolist() != splits[1].fold.tolist()


@pytest.mark.parametrize("giver", [{"column": "c"}, {"openml_task": 59}])
def test_parts_that_are_given_are_taken_as_they_are_with_folds_of_groups(
    giver: dict[str, Any],
) -> None:
    rng = np.random.default_rng(0)
    parts = rng.choice([0, TRAIN, TEST], size=(120, 4)).astype(np.uint8)
    rows = splitter(n_repeats=4, **giver)
    for repeat in range(4):
        split = split_of(rows, repeat, parts=parts)
        np.testing.assert_array_equal(split.train, np.flatnonzero(parts[:, repeat] == TRAIN))
        np.testing.assert_array_equal(split.test, np.flatnonzero(parts[:, repeat] == TEST))
    assert rows.test_share(30) == 30 / 120
    parts = rng.choice([TRAIN, VALID, TEST], size=(120, 1)).astype(np.uint8)
    split = split_of(splitter(holdout=True, column="c"), parts=parts)
    for part, rows_of in zip((TRAIN, VALID, TEST), parts_of(split), strict=True):
        np.testing.assert_array_equal(rows_of, np.flatnonzero(parts == part))
    parts = np.where(GROUPS[:, None] % 2 == [0, 1], TEST, TRAIN).astype(np.uint8)
    split = split_of(splitter(2, 2, column="c", groups="g"), 1, parts=parts, groups=GROUPS)
    folds = [{*GROUPS[split.train][split.fold == f]} for f in (0, 1)]
    assert not folds[0] & folds[1]


@pytest.mark.parametrize("rule", [{}, {"stratify": True}])
def test_rows_drawn_for_a_repeat_are_divided_among_themselves(rule: dict[str, Any]) -> None:
    rows = splitter(2, n_rows=100, of=120, **rule)
    found = [np.concatenate(parts_of(split_of(rows, repeat))) for repeat in range(2)]
    assert [len({*of}) for of in found] == [100, 100]
    assert {*found[0]} != {*found[1]}
    held = split_of(splitter(n_rows=100, of=120, holdout=True, **rule))
    assert [len(part) for part in parts_of(held)] == [50, 25, 25]
    if rule:
        split = split_of(rows)
        halves = [np.bincount(CLASSES[part]) for part in parts_of(split)]
        assert np.ptp(halves, axis=0).max() <= 1


@given(repeat=repeats, train=st.integers(2, 60), test=st.integers(1, 60))
def test_parts_have_the_sizes_that_are_given(repeat: int, train: int, test: int) -> None:
    rows = splitter(train=train, test=test)
    split = split_of(rows, repeat)
    assert (len(split.train), 0, len(split.test)) == rows.sizes == (train, 0, test)
    assert not np.intersect1d(split.train, split.test).size
    split = split_of(splitter(stratify=True, train=40, test=20), repeat)
    assert np.bincount(CLASSES[split.train]).tolist() == [20, 10, 10]
    assert np.bincount(CLASSES[split.test]).tolist() == [10, 5, 5]
    # Where all rows are trained on, they are all tested.
    rows = splitter(train="all")
    split = split_of(rows, repeat)
    assert sorted(split.train) == [*range(120)]
    np.testing.assert_array_equal(split.train, split.test)
    assert (rows.sizes, rows.test_share(120)) == ((120, 0, 120), 1)


@pytest.mark.parametrize(
    ("rule", "n_repeats", "holdout"),
    [
        ({"train": "half"}, 3, False),
        ({"train": "half"}, 3, True),
        ({"train": 0.8, "at_most": 30}, 3, True),
        ({"train": "half", "test": 20}, 3, False),
        ({"outer": 10}, 10, False),
        ({"time": "day", "train": 0.2}, 4, False),
        ({"time": "day", "train": 0.2, "at_most": 50}, 4, False),
    ],
)
def test_the_share_of_tests_is_that_of_the_splits_that_are_drawn(
    rule: dict[str, Any], n_repeats: int, holdout: bool
) -> None:
    rows = splitter(0, n_repeats, 101, holdout=holdout, **rule)
    known = {"times": np.arange(101)} if "time" in rule else {}
    sizes = [list(map(len, parts_of(split_of(rows, i, **known)))) for i in range(n_repeats)]
    n_test, n_all = np.mean([of[-1] for of in sizes]), np.mean(list(map(sum, sizes)))
    assert rows.test_share(n_test) == pytest.approx(n_test / n_all, abs=0.003)


def test_rare_classes_are_divided_in_every_repeat() -> None:
    rare = np.array([0] * 80 + [1] * 37 + [2] * 2 + [3])
    for repeat in range(25):
        split = split_of(splitter(4, stratify=True, train=0.75), repeat, classes=rare)
        assert_partition(split)
        of_fold = [np.bincount(rare[split.train[split.fold == f]])[:2] for f in range(4)]
        assert np.ptp(of_fold, axis=0).max() <= 1
        assert_partition(
            split_of(splitter(holdout=True, stratify=True, train=0.75), repeat, classes=rare)
        )
        drawn = split_of(splitter(n_rows=100, of=120, stratify=True), repeat, classes=rare)
        assert len({*drawn.train, *drawn.test}) == 100


@given(seeds, st.integers(20, 100), st.integers(2, 12), st.integers(2, 5), st.booleans())
def test_folds_by_group_and_class_are_those_of_scikit_learn(
    seed: int, n_rows: int, n_groups: int, k: int, by_class: bool
) -> None:
    groups, classes = codes(seed, n_rows, n_groups), codes(seed + 1, n_rows, 2)
    assume(groups.max() + 1 >= k and np.bincount(classes).min() >= k)
    rng = generator(seed, "toy")
    state = int(generator(seed, "toy").integers(2**32))
    if by_class:
        named = generator(seed, "toy").permutation(groups.max() + 1)[groups]
        expected = [*skl.StratifiedGroupKFold(k).split(groups, classes, named)]
        assume(all(out.size for _, out in expected))
        fold = deal(n_rows, k, rng, KnownRows(classes, groups))
    elif n_groups % 2:
        expected = [
            *skl.GroupKFold(k, shuffle=True, random_state=state).split(groups, None, groups)
        ]
        fold = deal(n_rows, k, rng, KnownRows(groups=groups))
    else:
        by = skl.StratifiedKFold(k, shuffle=True, random_state=state)
        expected = [*by.split(classes, classes)]
        fold = deal(n_rows, k, rng, KnownRows(classes))
    for f, (_, out) in enumerate(expected):
        np.testing.assert_array_equal(np.flatnonzero(fold == f), out)


def test_draws_are_the_same_under_every_version_of_scikit_learn() -> None:
    # Records name these draws, and not their hash. Equal under scikit-learn 1.6.0 and 1.9.1.
    classes, groups = codes(1, 400, 3), codes(2, 400, 40)
    found = [
        *draw(KnownRows(classes), 150, None, generator(0, "toy")),
        *draw(KnownRows(groups=groups), 13, None, generator(0, "toy")),
        deal(400, 5, generator(0, "toy"), KnownRows(classes)),
        deal(400, 5, generator(0, "toy"), KnownRows(groups=groups)),
        deal(400, 5, generator(0, "toy"), KnownRows(classes, groups)),
        deal(403, 4, generator(0, "toy"), KnownRows(times=np.arange(403))),
    ]
    digests = [hashlib.sha256(a.astype("<i8").tobytes()).hexdigest()[:8] for a in found]
    assert digests == [
        *("ea3e63f5", "6959a5f1", "f5d6c8e1", "f6fb3782"),
        *("a44b1ebc", "f588bc01", "e85b9f02", "fd274ec0"),
    ]


NUMBERED = np.where(np.arange(120)[:, None] % 4 == np.arange(4), TEST, TRAIN).astype(np.uint8)
ONE = NUMBERED[:, :1]
FEW = np.repeat([[TRAIN], [TEST]], [3, 117], axis=0)
THREE = np.repeat([[TRAIN], [TEST], [VALID]], 40, axis=0)
ALIKE = np.repeat([0.0, 1.0], 60)
IN_GROUPS, IN_TIME = {"parts": NUMBERED, "groups": GROUPS}, {"times": np.arange(120)}


@pytest.mark.parametrize(
    ("rows", "known", "message"),
    [
        (splitter(55, stratify=True, train=0.9), {}, "cannot be greater than the number of member"),
        (splitter(stratify=True, train=2), {}, "train_size = 2 should be greater or equal to the"),
        (splitter(7, groups="g"), {"groups": GROUPS}, "n_splits=7 greater than the number of grou"),
        (splitter(groups="g"), {"groups": np.zeros(120, dtype=int)}, "1 of 1 groups are trained o"),
        (splitter(5, column="c"), {"parts": FEW}, "3 rows are too few, or their groups too uneve"),
        (splitter(n_repeats=3, column="c"), {"parts": NUMBERED}, "c has 4 splits: set repeats to"),
        (splitter(column="c"), {"parts": 0 * ONE + TEST}, "c has no row of this view to train or"),
        (splitter(n_repeats=1, openml_task=59), {"parts": 0 * ONE}, "OpenML task 59 has no row of"),
        (splitter(holdout=True, column="c"), {"parts": ONE}, "c must have valid rows if there is"),
        (splitter(column="c"), {"parts": THREE}, "c must have valid rows if there is a holdout,"),
        (splitter(n_repeats=4, column="c", groups="g"), IN_GROUPS, "c divides a group of g"),
        (splitter(time="t"), IN_TIME, "the rows to train on are all of one class"),
        # Both classes are in the training part, but not in its first window.
        (splitter(3, time="t", train=0.7, at_most=None), IN_TIME, "the rows to train on are all"),
    ],
)
def test_what_cannot_be_divided_or_learned_is_refused(
    rows: Splitter, known: dict[str, Any], message: str
) -> None:
    if rows.rule.stratify:
        known = {"classes": CLASSES, **known}
    with pytest.raises(ConfigError) as caught:
        rows.check(
            [(0, "toy", repeat) for repeat in range(rows.repeats)], KnownRows(**known), ALIKE
        )
    assert str(caught.value).startswith("toy, repeat 0: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"n_rows": 60, "of": 50}, "toy has 50 rows: 60 cannot be drawn"),
        ({"train": 0.999, "at_most": None}, "120 to train on in 0 folds, 0 to validate, 0 to test"),
        ({"train": 0.99, "holdout": True}, "119 to train on in 0 folds, 0 to validate, 1 to test"),
        ({"train": 0.02, "folds": 5}, "3 to train on in 5 folds, 0 to validate, 117 to test"),
        ({"outer": 121}, "119 to train on in 0 folds, 0 to validate, 1 to test"),
        ({"time": "t", "n_repeats": 61}, "120 to train on in 0 folds, 0 to validate, 0 to test"),
    ],
)
def test_too_few_rows_are_refused_by_their_number_alone(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        splitter(**fields)


def known_of(values: list[Any], key: str, date: str | None = None) -> KnownRows:
    rule = SplitRule.model_validate({key: "c"})
    return KnownRows.for_rule(rule, np.zeros(len(values)), {"c": np.array(values)}, date=date)


@pytest.mark.parametrize(
    ("texts", "date"),
    [
        (["2019-12-31", "2020-01-01", "2020-01-01T00:00:01", "2020-01-02"], None),
        (["2020-01", "2020-02-15", "2020-03"], None),
        (["2020-01-01T12:00+02:00", "2020-01-01T11:00", "2020-01-01T11:00:00.000001Z"], None),
        (["9", "10", "1e3"], None),
        (["0001-01-01", "9999-12-30T23:59:59.999998", "9999-12-30T23:59:59.999999"], None),
        (["31.12.2023", "01.02.2024", "02.01.2025"], "%d.%m.%Y"),
        (["31122023", "01022024"], "%d%m%Y"),
    ],
)
def test_times_sort_as_dates_by_the_cards_format_or_numbers_and_not_as_text(
    texts: list[str], date: str | None
) -> None:
    assert (np.diff(known_of(texts, "time", date).times) > 0).all()
    if date:
        with pytest.raises(ConfigError, match="c has '2024-12-31', which is not a date of the for"):
            known_of([*texts, "2024-12-31"], "time", date)


@given(st.lists(st.integers(-3, 6), min_size=3, max_size=30))
def test_numbered_parts_are_those_of_scikit_learns_predefined_split(numbers: list[int]) -> None:
    tested_by = [max(n, -1) for n in numbers]
    expected = [test.tolist() for _, test in skl.PredefinedSplit(tested_by).split()]
    for column in ([str(n) for n in numbers], [float(n) for n in numbers]):
        parts = known_of(column, "column").parts
        assert [np.flatnonzero(part == TEST).tolist() for part in parts.T] == expected
        assert ((parts == TEST) | (parts == TRAIN)).all()


def test_groups_classes_and_words_become_codes_and_parts() -> None:
    rule, y = SplitRule(groups="site", stratify=True), np.array([1.0, -1.0, 1.0])
    known = KnownRows.for_rule(rule, y, {"site": np.array([7.5, 7.5, 2.0])}).take(np.array([2, 0]))
    assert (known.classes.tolist(), known.groups.tolist()) == ([1, 1], [0, 1])
    assert known.times is known.parts is None
    parts = known_of(["test", "train", "valid"], "column").parts
    assert parts.tolist() == [[TEST], [TRAIN], [VALID]]
    assert vars(KnownRows.for_rule(SplitRule(), y, {})) == vars(UNKNOWN)


PARTS = "c must have train, valid or test for each row, or the number of the repeat that tests it"


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("groups", ["a", "", ""], "c divides the rows, but is missing in 2 rows"),
        ("time", [1.0, np.nan], "c divides the rows, but is missing in 1 rows"),
        ("time", ["2020-01-01", "monday"], "c has 'monday', which is not a date of the format ISO"),
        *(
            ("column", values, f"{PARTS}, but has {shown}")
            for values, shown in [
                (["train", "tset"], "train, tset"),
                (["1", "1_0"], "1, 1_0"),
                (["train", "1"], "1, train"),
                ([1.0, 1.5], "1.0, 1.5"),
            ]
        ),
    ],
)
def test_columns_that_cannot_be_used_are_refused(key: str, values: list[Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        known_of(values, key)
    assert str(caught.value).startswith(message)


def test_a_draw_depends_on_its_name_alone() -> None:
    first = generator(3, "monks", 0, "split").integers(0, 2**32, 4).tolist()
    generator(3, "titanic", 0, "split").random(100)
    assert generator(3, "monks", 0, "split").integers(0, 2**32, 4).tolist() == first
    others = [(4, "monks", 0, "split"), (3, "monk", 0, "split"), (3, "monks", 1, "split")]
    for seed, *name in [*others, (3, "monks", 0, "folds")]:
        assert generator(seed, *name).integers(0, 2**32, 4).tolist() != first


def test_names_do_not_run_together() -> None:
    a, b = generator(0, "a", "bc").random(), generator(0, "ab", "c").random()
    assert a != b
