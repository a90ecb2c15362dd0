"""Splits of rows into training, validation and test rows, and of training rows into folds.

Splits that depend on the number of rows alone are permutations, drawn here. Splits by classes,
groups or time use the splitters of scikit-learn, which takes long to import.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.text import few
from quadrepro.base.types import FloatArray, IntArray, NumberArray
from quadrepro.core.features import dates_of
from quadrepro.core.protocol import SplitRule
from quadrepro.core.seeds import Draws, generator
from quadrepro.core.training.contract import trained_on
from quadrepro.data.cache import TEST, TRAIN
from quadrepro.data.canonical import ColumnValues, is_missing, is_text, parse_numbers
from quadrepro.errors import ConfigError

PARTS = {"train": TRAIN, "valid": 3, "test": TEST}
"""Number of each part, by its name in a column; 0 marks a row that a split leaves out."""

Parts = tuple[IntArray, IntArray]
"""Indices of the rows that are drawn, and of the others."""


@dataclass(frozen=True)
class Split:
    """Training rows with their folds, validation and test rows, as indices.

    Attributes
    ----------
    fold : ndarray of int, shape (n_train,) or (0,)
        The fold of each training row; empty if no folds are needed. If folds are windows of time,
        a fold is predicted from the rows of earlier ones, and -1 marks the rows before the first.
    """

    train: IntArray
    test: IntArray
    fold: IntArray
    valid: IntArray | None = None

    def among(self, rows: IntArray) -> Split:
        """Return the split in which row i is ``rows[i]``."""
        valid = None if self.valid is None else rows[self.valid]
        return Split(rows[self.train], rows[self.test], self.fold, valid)


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Properties of the rows that a rule uses; None for those that it does not use.

    Attributes
    ----------
    classes, groups : ndarray of int, shape (n_rows,), or None, default None
        Codes, from 0.
    times : ndarray of int or float, shape (n_rows,), or None, default None
        Sort key of each row.
    parts : ndarray of uint8, shape (n_rows, n_repeats), or None, default None
        The part of each row in each repeat, as a column or an OpenML task gives it.
    """

    classes: IntArray | None = None
    groups: IntArray | None = None
    times: NumberArray | None = None
    parts: NDArray[np.uint8] | None = None

    @classmethod
    def for_rule(
        cls,
        rule: SplitRule,
        y: FloatArray,
        columns: Mapping[str, ColumnValues],
        parts: NDArray[np.uint8] | None = None,
        date: str | None = None,
    ) -> Self:
        """Return the codes, times and parts that a rule uses.

        Parameters
        ----------
        rule : SplitRule
            The rule.
        y : ndarray of shape (n_rows,)
            Targets.
        columns : dict
            The columns that the rule names, each of shape (n_rows,).
        parts : ndarray of uint8, shape (n_rows, n_repeats), or None, default None
            Parts of an OpenML task.
        date : str or None, default None
            Format of the times, if they are dates.
        """
        for name, column in columns.items():
            if n_missing := int(is_missing(column).sum()):
                raise ConfigError(f"{name} divides the rows, but is missing in {n_missing} rows")
        return cls(
            _codes(y) if rule.stratify else None,
            _codes(columns[rule.groups]) if rule.groups else None,
            _times(rule.time, columns[rule.time], date) if rule.time else None,
            _parts(rule.column, columns[rule.column]) if rule.column else parts,
        )

    def take(self, rows: IntArray) -> Self:
        """Return the properties of some of the rows, given by their indices."""
        return type(self)(
            *(None if values is None else values[rows] for values in vars(self).values())
        )


UNKNOWN = KnownRows()
"""Facts for a rule that divides rows by their number alone."""


def _codes(column: ColumnValues) -> IntArray:
    return np.unique(column, return_inverse=True)[1].astype(np.intp)


def _times(name: str, column: ColumnValues, date: str | None) -> NumberArray:
    """Return numbers unchanged, and dates in microseconds, shape (n_rows,)."""
    if not is_text(column):
        return cast("NumberArray", column)
    texts = column.tolist()
    if date is None and not np.isinf(numbers := parse_numbers(texts)).any():
        return numbers
    return cast("NumberArray", dates_of(name, texts, date or "ISO8601").as_unit("us").asi8)


def _parts(name: str, column: ColumnValues) -> NDArray[np.uint8]:
    """Return parts of shape (n_rows, n_repeats), from names of parts or numbers of test repeats."""
    values = column.tolist()
    if PARTS.keys() >= {*values}:
        return np.array([[PARTS[value]] for value in values], dtype=np.uint8)
    tested_by = parse_numbers(map(str, values))
    if not all(map(float.is_integer, tested_by.tolist())):
        raise ConfigError(
            f"{name} must have train, valid or test for each row, or the number of the repeat that"
            f" tests it, but has {few(sorted({*map(str, values)}))}"
        )
    repeats = np.unique(tested_by[tested_by >= 0])
    return np.where(tested_by[:, None] == repeats, TEST, TRAIN).astype(np.uint8)


def draw(facts: KnownRows, n_drawn: int, n_others: int | None, rng: np.random.Generator) -> Parts:
    """Draw whole groups, or rows stratified by class.

    With `n_others` of None, all rows that are not drawn are the others. A single row of a class is
    drawn as if it were of the largest class. A class with two rows or more has a row among the
    drawn and one among the others, if needed in exchange for a row of the largest class.
    """
    from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit

    options = {"train_size": n_drawn, "test_size": n_others, "random_state": _seed(rng)}
    if facts.groups is not None:
        [(drawn, others)] = GroupShuffleSplit(1, **options).split(facts.groups, None, facts.groups)
    else:
        assert facts.classes is not None
        sizes = np.bincount(facts.classes)
        classes = np.where(sizes[facts.classes] < 2, sizes.argmax(), facts.classes)
        [(drawn, others)] = StratifiedShuffleSplit(1, **options).split(classes, classes)
        for code in np.flatnonzero(sizes > 1):
            for part, other in ((drawn, others), (others, drawn)):
                rows = np.flatnonzero(classes[other] == code)
                spare = np.flatnonzero(classes[part] == sizes.argmax())
                if len(rows) > 1 < len(spare) and code not in classes[part]:
                    i, j = spare[-1], rows[-1]
                    part[i], other[j] = other[j], part[i]
    return drawn, others


def deal(n_rows: int, k: int, rng: np.random.Generator, facts: KnownRows = UNKNOWN) -> IntArray:
    """Return the fold of each row, shape (n_rows,); an empty array for 0 folds.

    Rows are dealt at random. Folds do not divide groups, and are stratified by class; a class with
    fewer rows than folds is missing in some. With times, the rows are in the order of time, and
    folds are windows of time; the rows before the first window get -1.
    """
    fold = np.full(n_rows if k else 0, -1, dtype=np.intp)
    if facts.classes is facts.groups is facts.times is None:
        fold[rng.permutation(len(fold))] = np.arange(len(fold)) % max(k, 1)
    elif k:
        splitter, groups = _splitter(k, rng, facts)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            for f, (_, rows) in enumerate(splitter.split(fold, facts.classes, groups)):
                fold[rows] = f
    if len(np.unique(fold[fold >= 0])) < k:
        raise ValueError(f"{n_rows} rows are too few, or their groups too uneven, for {k} folds")
    return fold


def _splitter(k: int, rng: np.random.Generator, facts: KnownRows) -> tuple[Any, IntArray | None]:
    """Return scikit-learn's splitter into k folds, and its `groups` argument."""
    from sklearn import model_selection as skl

    if facts.times is not None:
        return skl.TimeSeriesSplit(k), None
    if facts.groups is None:
        return skl.StratifiedKFold(k, shuffle=True, random_state=_seed(rng)), None
    if facts.classes is None:
        return skl.GroupKFold(k, shuffle=True, random_state=_seed(rng)), facts.groups
    # With its own shuffling, scikit-learn 1.6 gives groups the classes of others.
    shuffled = rng.permutation(int(facts.groups.max()) + 1)
    return skl.StratifiedGroupKFold(k), shuffled[facts.groups]


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**32))


@dataclass(frozen=True, eq=False)
class Splitter:
    """The way in which the rows of a view are split; each split is one draw."""

    title: str
    """The row of the table, for messages."""
    rule: SplitRule
    """How the training part is chosen."""
    n_rows: int
    """Number of rows to divide."""
    folds: int
    """Number of folds of the training part; 0 for no folds."""
    holdout: bool
    """Whether the rows outside the training part are halved into validation and test rows."""
    repeats: int
    """Number of repeats."""
    n_total: int | None = None
    """Number of rows from which each split first draws `n_rows`; None to divide all of them."""

    def __post_init__(self) -> None:
        """Refuse splits that need more rows."""
        if self.n_total is not None and self.n_total < self.n_rows:
            raise ConfigError(
                f"{self.title} has {self.n_total} rows: {self.n_rows} cannot be drawn"
            )
        if self.rule.groups or self.rule.column or self.rule.openml_task:
            return
        n_train, n_valid, n_test = self.sizes
        too_few = n_train < max(2, self.folds) or n_valid < self.holdout or n_test < 1
        if too_few or self.n_rows < self.rule.outer_folds:
            raise ConfigError(
                f"{self.title} has {self.n_rows} rows, too few for this split: {n_train} to train"
                f" on in {self.folds} folds, {n_valid} to validate, {n_test} to test"
            )

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Sizes of the training, validation and test part.

        They are means over the repeats, and estimates if they depend on the values of the rows.
        """
        rule, n_rows = self.rule, self.n_rows
        if rule.train == "all":
            n_train = rest = n_rows
        elif rule.time:
            n_train, rest = round(fmean(n for n, _ in self._windows)), self._windows[0][1]
        elif rule.draws_share:
            n_train = rule.training_size(n_rows)
            rest = n_rows - (rule.first_share(n_rows) if rule.groups else n_train)
            rest = min(rest, rule.test or rest)
        else:
            rest = -(-n_rows // max(rule.outer_folds or self.repeats, 2))
            n_train = n_rows - rest
        n_valid = rest // 2 if self.holdout else 0
        return n_train, n_valid, rest - n_valid

    def test_share(self, n_test: float) -> float:
        """Return the share of test rows in a split, given their mean number.

        The share is 1 if all rows are training rows as well.
        """
        if self.rule.train == "all":
            return 1.0
        n_train, n_valid, _ = self.sizes
        return n_test / (n_train + n_valid + n_test if self.rule.draws_share else self.n_rows)

    def split(self, draws: Draws, facts: KnownRows = UNKNOWN) -> Split:
        """Draw the split of one repeat."""
        try:
            if self.n_total is None:
                return self._split(draws, facts)
            rows = generator(*draws, "rows").permutation(self.n_total)[: self.n_rows]
            return self._split(draws, facts.take(rows)).among(rows)
        except ValueError as error:
            raise ConfigError(f"{self.title}, repeat {draws[2]}: {error}") from None

    def check(self, draws: Iterable[Draws], facts: KnownRows, y: FloatArray | None) -> None:
        """Refuse impossible splits, and parts to train on that hold a single class of `y`."""
        for repeat_draws in draws:
            split = self.split(repeat_draws, facts)
            seen = [split.train[trained_on(split.fold, f)] for f in range(self.folds)]
            if y is not None and min(np.ptp(y[rows]) for rows in seen or [split.train]) == 0:
                message = "the rows to train on are all of one class"
                raise ConfigError(f"{self.title}, repeat {repeat_draws[2]}: {message}")

    def _split(self, draws: Draws, facts: KnownRows) -> Split:
        rule, (seed, name, repeat), valid = self.rule, draws, None
        if facts.parts is not None:
            train, valid, test = self._from_parts(facts.parts, repeat, facts.groups)
        elif facts.times is not None:
            # Rows of the same time stay in canonical order.
            order = np.argsort(facts.times, kind="stable")
            n_train, n_test = self._windows[repeat]
            start = self.n_rows - (self.repeats - repeat) * n_test
            train, test = order[start - n_train : start], order[start : start + n_test]
        elif rule.outer_folds:
            division, f = divmod(repeat, rule.outer_folds)
            rng = generator(seed, name, division, "outer")
            fold = deal(self.n_rows, rule.outer_folds, rng, facts)
            train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        else:
            train, test = self._share(draws, facts)
        if self.holdout and valid is None:
            valid, test = self._halves(draws, test, facts)
        rng = generator(*draws, "folds")
        return Split(train, test, deal(len(train), self.folds, rng, facts.take(train)), valid)

    def _from_parts(
        self, parts: NDArray[np.uint8], repeat: int, groups: IntArray | None
    ) -> tuple[IntArray, IntArray | None, IntArray]:
        """Return the training, validation and test rows of one repeat, given the parts of all."""
        origin, n = self.rule.column or f"OpenML task {self.rule.openml_task}", parts.shape[1]
        if n != self.repeats:
            raise ValueError(f"{origin} has {n} splits: set repeats to {n}, not {self.repeats}")
        part = parts[:, repeat]
        train, valid, test = (np.flatnonzero(part == code) for code in PARTS.values())
        if not (train.size and test.size):
            raise ValueError(f"{origin} has no row of this view to train or to test on")
        if bool(valid.size) != self.holdout:
            raise ValueError(f"{origin} must have valid rows if there is a holdout, and only then")
        if groups is not None:
            first = np.unique(groups, return_index=True)[1]
            if (part != part[first][groups]).any():
                raise ValueError(f"{origin} divides a group of {self.rule.groups}")
        return train, valid if self.holdout else None, test

    def _share(self, draws: Draws, facts: KnownRows) -> Parts:
        """Draw a share of the rows or groups for training."""
        rule, rng = self.rule, generator(*draws, "split")
        if facts.groups is not None:
            n_groups = len(np.unique(facts.groups))
            n_train = rule.first_share(n_groups)
            if n_train >= n_groups:
                raise ValueError(f"{n_train} of {n_groups} groups are trained on: too few are left")
            train, rest = draw(facts, n_train, None, rng)
            if rule.most is not None and len(train) > rule.most:
                train = generator(*draws, "at most").permutation(train)[: rule.most]
            return train, rest
        n_train = rule.training_size(self.n_rows)
        if facts.classes is not None:
            return draw(facts, n_train, rule.test, rng)
        order = rng.permutation(self.n_rows)
        return order[:n_train], order if rule.train == "all" else order[n_train:][: rule.test]

    def _halves(self, draws: Draws, rest: IntArray, facts: KnownRows) -> Parts:
        """Halve the rows outside the training part into validation and test rows."""
        n_valid = len(rest) // 2
        if facts.classes is None:
            return rest[:n_valid], rest[n_valid:]
        valid, test = draw(facts.take(rest), n_valid, None, generator(*draws, "valid"))
        return rest[valid], rest[test]

    @property
    def _windows(self) -> list[tuple[int, int]]:
        """Numbers of training and test rows of each repeat, in the order of time."""
        n_test = (self.n_rows - self.rule.first_share(self.n_rows)) // self.repeats
        before = (self.n_rows - i * n_test for i in range(self.repeats, 0, -1))
        return [(min(n, self.rule.most or n), n_test) for n in before]
