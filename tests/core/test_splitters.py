from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold, TimeSeriesSplit

from quadrepro.base.types import IntArray
from quadrepro.core.seeds import generator
from quadrepro.core.splits import deal, draw_by_class, draw_groups, windows

seeds = st.integers(0, 2**32 - 1)


def rng(seed: int) -> np.random.Generator:
    return generator(seed, "toy")


def codes(seed: int, n_rows: int, n_codes: int) -> IntArray:
    """Return codes of which each occurs."""
    drawn = rng(seed).integers(n_codes, size=n_rows)
    return np.unique(drawn, return_inverse=True)[1]


@given(seeds, st.integers(30, 200), st.integers(2, 4), st.floats(0.2, 0.8))
def test_each_class_has_its_share_of_the_drawn_rows_to_within_one(
    seed: int, n_rows: int, n_classes: int, share: float
) -> None:
    classes = codes(seed, n_rows, n_classes)
    counts, n_drawn = np.bincount(classes), round(share * n_rows)
    if counts.min() < 2:
        return
    drawn, others = draw_by_class(classes, n_drawn, rng(seed))
    assert sorted([*drawn, *others]) == list(range(n_rows))
    assert len(drawn) == n_drawn
    assert np.abs(np.bincount(classes[drawn]) - counts * n_drawn / n_rows).max() < 1


@given(seeds, st.integers(2, 60), st.integers(2, 9), st.data())
def test_groups_are_drawn_whole(seed: int, n_rows: int, n: int, data: st.DataObject) -> None:
    groups = codes(seed, n_rows, n)
    n_groups = len({*groups})
    if n_groups < 2:
        return
    n_drawn = data.draw(st.integers(1, n_groups - 1))
    drawn, others = draw_groups(groups, n_drawn, rng(seed))
    assert sorted([*drawn, *others]) == list(range(n_rows))
    assert len({*groups[drawn]}) == n_drawn
    assert not {*groups[drawn]} & {*groups[others]}


@given(seeds, st.integers(20, 100), st.integers(2, 4), st.integers(2, 5))
def test_folds_by_class_have_equal_shares_to_within_one(
    seed: int, n_rows: int, n_classes: int, k: int
) -> None:
    classes = codes(seed, n_rows, n_classes)
    if np.bincount(classes).min() < k:
        return
    fold = deal(n_rows, k, rng(seed), classes=classes)
    for c in range(classes.max() + 1):
        assert np.ptp(np.bincount(fold[classes == c], minlength=k)) <= 1
    np.testing.assert_array_equal(fold, deal(n_rows, k, rng(seed), classes=classes))


@given(seeds, st.integers(10, 80), st.integers(5, 12), st.integers(2, 5), st.booleans())
def test_no_group_is_in_two_folds(seed: int, n_rows: int, n: int, k: int, by_class: bool) -> None:
    groups, classes = codes(seed, n_rows, n), codes(seed + 1, n_rows, 2)
    n_groups = groups.max() + 1
    if n_groups < k or np.bincount(classes).min() < k:
        return
    try:
        fold = deal(n_rows, k, rng(seed), groups=groups, classes=classes if by_class else None)
    except ValueError:
        reject()
    assert {*fold} == {*range(k)}
    assert all(len({*fold[groups == g]}) == 1 for g in range(n_groups))
    if not by_class:
        n_in = [len({*groups[fold == f]}) for f in range(k)]
        assert max(n_in) - min(n_in) <= 1


def test_folds_by_class_and_group_are_scikit_learns_with_the_groups_in_random_order() -> None:
    groups, classes = np.repeat(np.arange(30), 4), codes(3, 120, 3)
    fold = deal(120, 4, rng(0), groups=groups, classes=classes)
    renamed = rng(0).permutation(30)[groups]
    parts = StratifiedGroupKFold(4).split(classes, classes, renamed)
    for f, (_, out) in enumerate(parts):
        np.testing.assert_array_equal(np.flatnonzero(fold == f), out)
    shares = [np.bincount(classes[fold == f]) for f in range(4)]
    assert np.ptp(shares, axis=0).max() <= 4
    assert (fold != deal(120, 4, rng(1), groups=groups, classes=classes)).any()


@given(st.integers(3, 100), st.integers(2, 9))
def test_windows_are_those_of_time_series_split(n_rows: int, k: int) -> None:
    if n_rows <= k:
        return
    fold = windows(n_rows, k)
    assert (np.diff(fold) >= 0).all()
    for f, (seen, out) in enumerate(TimeSeriesSplit(k).split(fold)):
        np.testing.assert_array_equal(np.flatnonzero(fold == f), out)
        np.testing.assert_array_equal(np.flatnonzero(fold < f), seen)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: deal(3, 4, rng(0)), "3 rows are too few for 4 folds"),
        (
            lambda: deal(6, 4, rng(0), groups=np.array([0, 1, 2, 0, 1, 2])),
            "3 groups are too few for 4 folds",
        ),
        (
            lambda: deal(6, 4, rng(0), classes=np.array([0, 0, 0, 1, 1, 1])),
            "3 rows of the largest class are too few for 4 folds",
        ),
        (
            lambda: draw_by_class(np.array([0, 0, 1, 2]), 2, rng(0)),
            "4 rows of 3 classes, 1 of the rarest, are too few to be divided by class into 2 and 2",
        ),
        (
            lambda: draw_by_class(np.array([0, 0, 0, 1, 1]), 1, rng(0)),
            "5 rows of 2 classes, 2 of the rarest, are too few to be divided by class into 1 and 4",
        ),
        (lambda: draw_groups(np.array([0, 0, 1]), 2, rng(0)), "2 groups are too few"),
        (lambda: draw_groups(np.array([0, 0]), 0, rng(0)), "1 groups are too few"),
        (
            lambda: windows(3, 3),
            "3 training rows are too few for 3 folds in the order of time",
        ),
    ],
)
def test_too_few_rows_are_refused(draw: object, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        draw()  # type: ignore[operator]
    assert str(caught.value) == message


def test_draws_are_the_same_under_every_version_of_scikit_learn() -> None:
    # Records name these draws, and not their hash. Equal under scikit-learn 1.6.0 and 1.9.1.
    classes, groups = codes(1, 400, 3), codes(2, 400, 40)
    found = [
        *draw_by_class(classes, 150, rng(0)),
        *draw_groups(groups, 13, rng(0)),
        deal(400, 5, rng(0), classes=classes),
        deal(400, 5, rng(0), groups=groups),
        deal(400, 5, rng(0), groups=groups, classes=classes),
        windows(403, 4),
    ]
    digests = [hashlib.sha256(a.astype("<i8").tobytes()).hexdigest()[:8] for a in found]
    assert digests == [
        *("ea3e63f5", "6959a5f1", "f5d6c8e1", "f6fb3782"),
        *("a44b1ebc", "f588bc01", "e85b9f02", "fd274ec0"),
    ]
