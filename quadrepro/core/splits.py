"""Splits and folds as row indices: how rows are divided, by their number or by what they hold."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray, NumberArray
from quadrepro.core.learners.learner import trained_on
from quadrepro.core.protocol import SplitRule
from quadrepro.core.seeds import Draws, generator
from quadrepro.data.cache import TEST, TRAIN
from quadrepro.data.canonical import (
    Column,
    is_missing,
    is_text,
    number,
    numbers,
    numeric_column,
)
from quadrepro.errors import ConfigError, nearest


@dataclass(frozen=True)
class Split:
    """Training rows with their folds, and test rows, as indices.

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

    @property
    def hash(self) -> str:
        """The SHA-256 of the indices, in hexadecimal digits."""
        digest = hashlib.sha256()
        parts = (self.train, self.test, self.fold)
        for part in parts if self.valid is None else (*parts, self.valid):
            digest.update(np.ascontiguousarray(part, dtype="<i8").data)
            digest.update(b"|")
        return digest.hexdigest()


def deal_folds(n_rows: int, k: int, rng: np.random.Generator) -> IntArray:
    """Return a random fold for each row, in k folds of even sizes; an empty array for 0 folds."""
    fold = np.empty(n_rows if k else 0, dtype=np.intp)
    if k:
        fold[rng.permutation(n_rows)] = np.arange(n_rows) % k
    return fold


PARTS = ("train", "valid", "test")
"""Values of a column of parts."""

GIVEN = ""
"""The column with the splits of an OpenML task; no attribute has this name."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Known facts of the rows for a split, each of shape (n_rows,) or None.

    Attributes
    ----------
    classes, groups : ndarray of int or None, default None
        Codes, from 0; no classes for a regression.
    times : ndarray of int or float, or None, default None
        What rows are sorted by.
    part : ndarray of int or None, default None
        The place of each row's part in `PARTS`.
    tested : ndarray of int or None, default None
        The repeat that tests each row; -1 for rows that are never tested.
    splits : ndarray of uint8, shape (n_rows, n_splits), or None, default None
        The part of each row in the splits of an OpenML task.
    """

    classes: IntArray | None = None
    groups: IntArray | None = None
    times: NumberArray | None = None
    part: IntArray | None = None
    tested: IntArray | None = None
    splits: NDArray[np.uint8] | None = None

    @classmethod
    def of(
        cls, y: FloatArray | None, beside: Mapping[str, Column], rule: SplitRule, title: str
    ) -> Self:
        """Return what a rule needs from the classes and columns; `title` is for messages."""
        columns = {key: beside[name] for key, name in rule.columns}
        for key, name in rule.columns:
            if lacking := int(is_missing(columns[key]).sum()):
                rows_are = "1 row is" if lacking == 1 else f"{lacking} rows are"
                raise ConfigError(f"{rows_are} without {name}, by which {title} is divided")
        classes = None if y is None else _codes(y)
        groups = _codes(columns["groups"]) if "groups" in columns else None
        times = _times(columns["time"], f"{rule.time} of {title}") if rule.time else None
        part = tested = None
        if rule.column:
            part, tested = _given(columns["column"], f"{rule.column} of {title}")
        splits = beside[GIVEN].astype(np.uint8) if GIVEN in beside else None
        return cls(classes, groups, times, part, tested, splits)

    def take(self, rows: IntArray) -> Self:
        """Return what is known of some of the rows."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{k: None if v is None else v[rows] for k, v in found.items()})


UNKNOWN = KnownRows()
"""Enough for a rule that divides rows by their number alone."""


def _codes(column: Column) -> IntArray:
    return np.unique(column, return_inverse=True)[1].astype(np.intp)


def _times(column: Column, what: str) -> NumberArray:
    """Return numbers as they are, and dates in microseconds."""
    if not is_text(column):
        return column  # type: ignore[return-value]
    texts = sorted(set(column.tolist()))
    if None not in map(number, texts):
        return numbers(column.tolist())
    moments = {text: _moment(text, what) for text in texts}
    # Whole numbers, since float64 does not tell microseconds of distant years apart.
    return np.array([moments[text] for text in column.tolist()], dtype=np.int64)


def _moment(text: str, what: str) -> int:
    for written in (text, f"{text}-01"):
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            continue
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (aware - _EPOCH) // timedelta(microseconds=1)
    raise ConfigError(f"{what} has {text!r}, which is neither a number nor a date as 2024-12-31")


def _given(column: Column, what: str) -> tuple[IntArray | None, IntArray | None]:
    """Return the part of each row, or the repeat that tests it."""
    values = column.tolist()
    distinct = set(values)
    if distinct <= set(PARTS):
        if not {"train", "test"} <= distinct:
            raise ConfigError(f"{what} names no row {min({'train', 'test'} - distinct)}")
        return np.array([PARTS.index(value) for value in values]), None
    places = numbers(values) if is_text(column) else numeric_column(column)
    if np.isinf(places).any():
        odd = min(distinct - {*PARTS}, key=lambda value: (number(value) is not None, value))
        raise ConfigError(
            f"{what} has {odd!r}{nearest(odd, PARTS)}; it must have train, valid or test for each"
            " row, or number the test parts"
        )
    if not np.all(places == np.rint(places)):
        odd_place = float(places[places != np.rint(places)][0])
        raise ConfigError(f"{what} has {odd_place:g}, but test parts are numbered by whole numbers")
    found = _codes(np.maximum(places, -1.0)) - bool(places.min() < 0)
    if found.max() < 1 and places.min() >= 0:
        raise ConfigError(f"{what} is {places[0]:g} in every row, so nothing is left to train on")
    if found.max() < 0:
        raise ConfigError(f"{what} is negative in every row, so no row is tested")
    return None, found


Parts = tuple[IntArray, IntArray]
"""The rows that were drawn, and the others."""

AllParts = tuple[IntArray, IntArray | None, IntArray]
"""Training, validation and test rows."""


def draw_by_class(
    classes: IntArray,
    n_drawn: int,
    rng: np.random.Generator,
    n_others: int | None = None,
) -> Parts:
    """Draw rows of which each class has its share, with StratifiedShuffleSplit.

    By default the others are all that are left. A class with a single row is drawn as if it were of
    the largest class.
    """
    from sklearn.model_selection import StratifiedShuffleSplit

    n_others = len(classes) - n_drawn if n_others is None else n_others
    classes = _codes(classes)
    sizes = _sizes(classes)
    if sizes.min() < 2 < sizes.max():
        classes = np.where(np.isin(classes, np.flatnonzero(sizes < 2)), sizes.argmax(), classes)
        classes = _codes(classes)
        sizes = _sizes(classes)
    if sizes.min() < 2 or min(n_drawn, n_others) < len(sizes):
        raise ValueError(
            f"{len(classes)} rows of {len(sizes)} classes, {sizes.min()} of the rarest, are too few"
            f" to be divided by class into {n_drawn} and {n_others}"
        )
    splitter = StratifiedShuffleSplit(
        1, train_size=n_drawn, test_size=n_others, random_state=_seed(rng)
    )
    return _first(splitter, classes)


def draw_groups(groups: IntArray, n_drawn: int, rng: np.random.Generator) -> Parts:
    """Draw all rows of some groups, with GroupShuffleSplit."""
    from sklearn.model_selection import GroupShuffleSplit

    n_groups = len(np.unique(groups))
    if not 0 < n_drawn < n_groups:
        raise ValueError(f"{n_groups} groups are too few")
    splitter = GroupShuffleSplit(
        1, train_size=n_drawn, test_size=n_groups - n_drawn, random_state=_seed(rng)
    )
    return _first(splitter, groups, groups)


def deal(
    n_rows: int,
    k: int,
    rng: np.random.Generator,
    *,
    classes: IntArray | None = None,
    groups: IntArray | None = None,
) -> IntArray:
    """Return a random fold for each row; folds divide no group and have equal class shares.

    A class with fewer rows than folds is missing in some of them.
    """
    if n_rows < k:
        raise ValueError(f"{n_rows} rows are too few for {k} folds")
    if groups is None and classes is None:
        return deal_folds(n_rows, k, rng)
    # scikit-learn takes long to import.
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold

    if groups is not None and (n_groups := len(np.unique(groups))) < k:
        raise ValueError(f"{n_groups} groups are too few for {k} folds")
    if classes is not None and (largest := _sizes(classes).max()) < k:
        raise ValueError(f"{largest} rows of the largest class are too few for {k} folds")
    splitter: Any
    if groups is None:
        splitter = StratifiedKFold(k, shuffle=True, random_state=_seed(rng))
    elif classes is None:
        # Without shuffling, scikit-learn 1.6 sorts groups by their sizes, and the order of equal
        # ones depends on the processor.
        splitter = GroupKFold(k, shuffle=True, random_state=_seed(rng))
    else:
        # Its own shuffling gives groups the classes of others in scikit-learn 1.6.
        splitter = StratifiedGroupKFold(k)
        groups = rng.permutation(int(groups.max()) + 1)[groups]
    fold = np.empty(n_rows, dtype=np.intp)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for f, (_, out) in enumerate(splitter.split(fold, classes, groups)):
            if not len(out):
                raise ValueError(f"the groups are too uneven for {k} folds")
            fold[out] = f
    return fold


def windows(n_rows: int, k: int) -> IntArray:
    """Return folds in the order of time, with TimeSeriesSplit; -1 before the first."""
    from sklearn.model_selection import TimeSeriesSplit

    if n_rows <= k:
        raise ValueError(f"{n_rows} training rows are too few for {k} folds in the order of time")
    fold = np.full(n_rows, -1, dtype=np.intp)
    for f, (_, out) in enumerate(TimeSeriesSplit(k).split(fold)):
        fold[out] = f
    return fold


def _sizes(classes: IntArray) -> IntArray:
    return np.unique(classes, return_counts=True)[1]


def _first(splitter: Any, y: IntArray, groups: IntArray | None = None) -> Parts:
    first, second = next(splitter.split(y, y, groups))
    return first, second


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**32))


@dataclass(frozen=True, eq=False)
class Division:
    """How the rows of a view are divided; a split is one draw of it."""

    title: str
    """The row of the table, for messages."""
    rule: SplitRule
    """How the training part is chosen."""
    n_rows: int
    """Number of rows that are divided."""
    folds: int
    """Number of folds of the training part; 0 for no folds."""
    holdout: bool
    """Whether the rows that are not trained on are halved into validation and test rows."""
    repeats: int
    """Number of repeats."""
    of: int | None = None
    """Number of rows that the divided ones are drawn from, if that is done for every split."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part.

        If they depend on what the rows hold, these are about the sizes of the last repeat.
        """
        rule, n_rows = self.rule, self.n_rows
        if rule.time:
            rest = self._window
            n_train = min(rule.most or n_rows, n_rows - rest)
        elif rule.train == "all":
            n_train = rest = n_rows
        elif rule.draws_share:
            n_train = rule.training_size(n_rows)
            rest = n_rows - (rule.first_share(n_rows) if rule.groups else n_train)
            rest = rest if rule.test is None or rest < rule.test else rule.test
        else:
            # A column that names parts could give any size.
            rest = -(-n_rows // max(rule.outer_folds or self.repeats, 2))
            n_train = n_rows - rest
        n_valid = rest // 2 if self.holdout else 0
        return n_train, n_valid, rest - n_valid

    def test_share(self, n_test: float) -> float:
        """Return the share of a split's rows that are tested, given their mean number.

        It is 1 if all rows are trained on as well. In the order of time, parts to train on grow
        from repeat to repeat, and their mean size counts.
        """
        rule = self.rule
        if rule.train == "all":
            return 1.0
        if not rule.draws_share:
            return n_test / self.n_rows
        n_train, n_valid, _ = self.sizes
        sizes = [float(n_train)]
        if rule.time:
            starts = (self.n_rows - i * self._window for i in range(1, 1 + self.repeats))
            sizes = [float(min(start, rule.most or start)) for start in starts]
        return n_test / (fmean(sizes) + n_valid + n_test)

    def named(self, draws: Draws) -> dict[str, Any]:
        """Return what names the split of one repeat, besides the rows and the rule."""
        named: dict[str, Any] = {"draws": draws}
        # The number of repeats decides how long the windows are.
        return named | {"repeats": self.repeats} if self.rule.time else named

    def split(self, draws: Draws, known: KnownRows = UNKNOWN) -> Split:
        """Draw the split of one repeat."""
        if self.of is None:
            return self._split(draws, known)
        rows = generator(*draws, "rows").permutation(self.of)[: self.n_rows]
        return self._split(draws, known.take(rows)).among(rows)

    def check(self, draws: Iterable[Draws], known: KnownRows) -> None:
        """Refuse splits that are not possible, or that leave nothing to learn."""
        for of_repeat in draws:
            split = self.split(of_repeat, known)
            if known.classes is None:
                continue
            classes = known.classes[split.train]
            seen = np.ones(len(classes), dtype=bool)
            before = [trained_on(split.fold, f) for f in range(split.fold.max(initial=-1) + 1)]
            for f, rows in enumerate((seen, *before)):
                if np.ptp(classes[rows]) == 0:
                    of = f"before fold {f - 1}" if f else "for training"
                    raise self._error(of_repeat, f"all rows {of} have the same class")

    def _split(self, draws: Draws, known: KnownRows) -> Split:
        try:
            train, valid, test = self._parts(draws, known)
            return Split(train, test, self._folds(draws, train, known), valid)
        except ValueError as error:
            raise self._error(draws, str(error)) from None

    def _parts(self, draws: Draws, known: KnownRows) -> AllParts:
        rule = self.rule
        given = self._given(draws, known)
        if given is not None:
            self._require_whole_groups(known, given)
            return given
        if known.times is not None:
            train, rest = self._before_and_after(draws, known.times)
        elif rule.outer_folds:
            train, rest = self._outer_fold(draws, known)
        elif known.groups is not None:
            train, rest = self._some_groups(draws, known.groups)
        else:
            train, rest = self._some_rows(draws, known)
        if rule.train == "all":
            return train, None, train
        if not self.holdout:
            return train, None, rest
        return train, *self._halves(draws, rest, known)

    def _given(self, draws: Draws, known: KnownRows) -> AllParts | None:
        """Return the parts that a column or a task gives, if there is one."""
        if known.part is not None:
            return self._named_parts(known.part)
        if known.tested is not None:
            return self._numbered_part(known.tested, draws[2])
        if known.splits is not None:
            return self._split_of_task(known.splits, draws[2])
        return None

    def _named_parts(self, part: IntArray) -> AllParts:
        column = self.rule.column
        self._require_repeats(1, f"{column} gives one split")
        train, valid, test = (np.flatnonzero(part == place) for place in range(len(PARTS)))
        if self.holdout and not len(valid):
            raise ValueError(f"{column} names no valid rows, which the holdout needs")
        if len(valid) and not self.holdout:
            raise ValueError(f"{column} names valid rows, which only a holdout uses")
        return train, valid if self.holdout else None, test

    def _numbered_part(self, tested: IntArray, repeat: int) -> AllParts:
        column, n_parts = self.rule.column, int(tested.max()) + 1
        self._require_repeats(n_parts, f"{column} makes {n_parts} test parts")
        if self.holdout:
            raise ValueError(f"{column} numbers the test parts, so none is held out: use folds")
        train, test = _sides(tested == repeat)
        return train, None, test

    def _split_of_task(self, splits: NDArray[np.uint8], repeat: int) -> AllParts:
        task, n_splits = self.rule.giver, splits.shape[1]
        self._require_repeats(n_splits, f"{task} has {n_splits} split{'s' * (n_splits > 1)}")
        train, test = (np.flatnonzero(splits[:, repeat] == part) for part in (TRAIN, TEST))
        if not (len(train) and len(test)):
            raise ValueError(f"{task} has no row of this view to train or to test on")
        return train, None, test

    def _require_repeats(self, n: int, what: str) -> None:
        if n != self.repeats:
            raise ConfigError(f"{self.title}: {what}: set repeats to {n}, not {self.repeats}")

    def _require_whole_groups(self, known: KnownRows, parts: AllParts) -> None:
        if known.groups is not None:
            of_parts = [np.unique(known.groups[rows]) for rows in parts if rows is not None]
            if len(np.unique(np.concatenate(of_parts))) < sum(map(len, of_parts)):
                raise ValueError(f"{self.rule.giver} divides a group of {self.rule.groups}")

    def _before_and_after(self, draws: Draws, times: NumberArray) -> Parts:
        window, most = self._window, self.rule.most
        if window < 1:
            raise ValueError(f"too few rows are left for {self.repeats} test parts")
        # Rows of the same time stay in canonical order.
        order = np.argsort(times, kind="stable")
        start = self.n_rows - (self.repeats - draws[2]) * window
        first = 0 if most is None else max(0, start - most)
        return order[first:start], order[start : start + window]

    def _outer_fold(self, draws: Draws, known: KnownRows) -> Parts:
        (seed, name, repeat), k = draws, self.rule.outer_folds
        division, tested = divmod(repeat, k)
        rng = generator(seed, name, division, "outer")
        return _sides(deal(self.n_rows, k, rng, **self._by(known)) == tested)

    def _some_rows(self, draws: Draws, known: KnownRows) -> Parts:
        rule, rng = self.rule, generator(*draws, "split")
        n_train = rule.training_size(self.n_rows)
        if rule.stratify:
            assert known.classes is not None
            return draw_by_class(known.classes, n_train, rng, rule.test)
        order = rng.permutation(self.n_rows)
        return order[:n_train], order[n_train:][: rule.test]

    def _some_groups(self, draws: Draws, groups: IntArray) -> Parts:
        n_groups, most = len(np.unique(groups)), self.rule.most
        n_train = self.rule.first_share(n_groups)
        if n_train >= n_groups:
            raise ValueError(f"{n_train} of {n_groups} groups are trained on: too few are left")
        train, rest = draw_groups(groups, n_train, generator(*draws, "split"))
        if most is not None and len(train) > most:
            train = generator(*draws, "at most").permutation(train)[:most]
        return train, rest

    def _halves(self, draws: Draws, rest: IntArray, known: KnownRows) -> Parts:
        """Halve the rows that are not trained on, by class if these were drawn by class."""
        n_valid = len(rest) // 2
        if not self.rule.stratify:
            return rest[:n_valid], rest[n_valid:]
        assert known.classes is not None
        valid, test = draw_by_class(known.classes[rest], n_valid, generator(*draws, "valid"))
        return rest[valid], rest[test]

    def _folds(self, draws: Draws, train: IntArray, known: KnownRows) -> IntArray:
        if self.holdout or not self.folds:
            return np.empty(0, dtype=np.intp)
        if known.times is not None:
            return windows(len(train), self.folds)
        by = self._by(known.take(train))
        return deal(len(train), self.folds, generator(*draws, "folds"), **by)

    def _by(self, known: KnownRows) -> dict[str, IntArray | None]:
        return {"classes": known.classes if self.rule.stratify else None, "groups": known.groups}

    @property
    def _window(self) -> int:
        """The number of rows that each repeat tests, in the order of time."""
        return (self.n_rows - self.rule.first_share(self.n_rows)) // self.repeats

    def _error(self, draws: Draws, message: str) -> ConfigError:
        return ConfigError(f"{self.title}, repeat {draws[2]}: {message}")


def _sides(tested: BoolArray) -> Parts:
    return np.flatnonzero(~tested), np.flatnonzero(tested)
