"""Splits that depend on what the rows hold: classes, groups, times, or a column that names parts.

`quadrepro.config.splitters` draws them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import BoolArray, IntArray, NumberArray
from quadrepro.config.known_rows import PARTS, KnownRows
from quadrepro.config.seeds import Draws, generator
from quadrepro.config.split_rule import SplitRule
from quadrepro.config.splits import Split, outer_fold
from quadrepro.config.splitters import Parts, deal, draw_by_class, draw_groups, windows
from quadrepro.data.task_splits import TEST, TRAIN
from quadrepro.errors import ConfigError
from quadrepro.learners.training import trained_on


@dataclass(frozen=True, eq=False)
class RowDivision:
    """How the rows of a view are divided, if that depends on what they hold.

    Attributes
    ----------
    title : str
        The row of the table, for messages.
    rule : SplitRule
        How the training part is chosen.
    n_rows : int
        Number of rows that are divided.
    folds : int
        Number of folds of the training part; 0 for no folds.
    holdout : bool
        Whether validation rows are held out as well.
    repeats : int
        Number of repeats.
    of : int or None, default None
        Number of rows that the divided ones are drawn from, if that is done for every split.
    """

    title: str
    rule: SplitRule
    n_rows: int
    folds: int
    holdout: bool
    repeats: int
    of: int | None = None

    @property
    def sizes(self) -> tuple[int, int, int]:
        """About the sizes of the training, validation and test part of the last repeat."""
        rule, n_rows = self.rule, self.n_rows
        if rule.time:
            rest = self._window
            n_train = min(rule.at_most or n_rows, n_rows - rest)
        elif rule.draws_share:
            n_train = rule.training_size(n_rows)
            rest = n_rows - (rule.first_share(n_rows) if rule.groups else n_train)
        else:
            n_parts = n_rows if rule.leave_out == "rows" else rule.outer_folds or self.repeats
            # A column that names parts could give any size.
            rest = -(-n_rows // max(n_parts, 2))
            n_train = n_rows - rest
        n_valid = rest // 2 if self.holdout else 0
        return n_train, n_valid, rest - n_valid

    def split(self, draws: Draws, known: KnownRows) -> Split:
        """Draw the split of one repeat.

        Parameters
        ----------
        draws : tuple of (int, str, int)
            Beginning of the names of the draws.
        known : KnownRows
            What the split may depend on.

        Raises
        ------
        ConfigError
            If the rows cannot be divided in this way.
        """
        if self.of is None:
            return self._split(draws, known)
        rows = generator(*draws, "rows").permutation(self.of)[: self.n_rows]
        return self._split(draws, known.take(rows)).among(rows)

    def named(self, draws: Draws) -> dict[str, Any]:
        """Return what names the split of one repeat, besides the rows and the rule."""
        named: dict[str, Any] = {"draws": draws}
        # The number of repeats decides how long the windows are.
        return named | {"repeats": self.repeats} if self.rule.time else named

    def check(self, draws: Iterable[Draws], known: KnownRows) -> None:
        """Refuse splits that are not possible, or that leave nothing to learn.

        Raises
        ------
        ConfigError
            If the rows cannot be divided, or all rows that are trained on have the same class.
        """
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

    def _parts(self, draws: Draws, known: KnownRows) -> tuple[IntArray, IntArray | None, IntArray]:
        """Return training, validation and test rows."""
        rule = self.rule
        if known.part is not None:
            return self._given(known, known.part)
        if known.tested is not None:
            return self._tested(draws, known, known.tested)
        if known.splits is not None:
            return self._of_task(draws, known, known.splits)
        elif known.times is not None:
            train, rest = self._before_and_after(draws, known.times)
        elif n_folds := self.n_rows if rule.leave_out else rule.outer_folds:
            rng, tested = outer_fold(draws, n_folds)
            # With a row left out there is nothing to stratify.
            by = {} if rule.leave_out else self._by(known)
            train, rest = _sides(deal(self.n_rows, n_folds, rng, **by) == tested)
        elif known.groups is not None:
            train, rest = self._some_groups(draws, known.groups)
        else:
            assert known.classes is not None
            rng = generator(*draws, "split")
            train, rest = draw_by_class(known.classes, rule.training_size(self.n_rows), rng)
        if not self.holdout:
            return train, None, rest
        return train, *self._halves(draws, rest, known)

    def _given(
        self, known: KnownRows, part: IntArray
    ) -> tuple[IntArray, IntArray | None, IntArray]:
        column = self.rule.column
        if self.repeats > 1:
            raise self._other_repeats(f"{column} gives one split", 1)
        train, valid, test = (np.flatnonzero(part == place) for place in range(len(PARTS)))
        if self.holdout and not len(valid):
            raise ValueError(f"{column} names no valid rows, which the holdout needs")
        if len(valid) and not self.holdout:
            raise ValueError(f"{column} names valid rows, which only a holdout uses")
        self._require_whole_groups(known, train, valid, test)
        return train, valid if self.holdout else None, test

    def _tested(
        self, draws: Draws, known: KnownRows, tested: IntArray
    ) -> tuple[IntArray, None, IntArray]:
        rule, n_parts = self.rule, int(tested.max()) + 1
        if n_parts != self.repeats:
            what = f"{rule.column or rule.groups} makes {n_parts} test parts"
            raise self._other_repeats(what, n_parts)
        if self.holdout:
            raise ValueError(
                f"{rule.column} numbers the test parts, so none is held out: use folds"
            )
        train, test = _sides(tested == draws[2])
        self._require_whole_groups(known, train, test)
        return train, None, test

    def _of_task(
        self, draws: Draws, known: KnownRows, splits: NDArray[np.uint8]
    ) -> tuple[IntArray, None, IntArray]:
        task, n_splits = f"OpenML task {self.rule.openml_task}", splits.shape[1]
        if n_splits != self.repeats:
            raise self._other_repeats(f"{task} has {n_splits} splits", n_splits)
        split = splits[:, draws[2]]
        train, test = np.flatnonzero(split == TRAIN), np.flatnonzero(split == TEST)
        if not (len(train) and len(test)):
            raise ValueError(f"{task} has no row of this view to train or to test on")
        self._require_whole_groups(known, train, test)
        return train, None, test

    def _require_whole_groups(self, known: KnownRows, *parts: IntArray) -> None:
        if known.groups is not None:
            given = self.rule.column or f"OpenML task {self.rule.openml_task}"
            of_parts = [np.unique(known.groups[rows]) for rows in parts]
            if len(np.unique(np.concatenate(of_parts))) < sum(map(len, of_parts)):
                raise ValueError(f"{given} divides a group of {self.rule.groups}")

    def _before_and_after(self, draws: Draws, times: NumberArray) -> Parts:
        window, most = self._window, self.rule.at_most
        if window < 1 + self.holdout:
            raise ValueError(f"too few rows are left for {self.repeats} test parts")
        # Rows of the same time stay in canonical order.
        order = np.argsort(times, kind="stable")
        start = self.n_rows - (self.repeats - draws[2]) * window
        first = 0 if most is None else max(0, start - most)
        return order[first:start], order[start : start + window]

    def _some_groups(self, draws: Draws, groups: IntArray) -> Parts:
        n_groups, most = len(np.unique(groups)), self.rule.at_most
        n_train = self.rule.first_share(n_groups)
        if n_groups - n_train < 1 + self.holdout:
            raise ValueError(f"{n_train} of {n_groups} groups are trained on: too few are left")
        train, rest = draw_groups(groups, n_train, generator(*draws, "split"))
        if most is not None and len(train) > most:
            train = generator(*draws, "at most").permutation(train)[:most]
        return train, rest

    def _halves(self, draws: Draws, rest: IntArray, known: KnownRows) -> Parts:
        """Halve the rows that are not trained on, in the way in which these were chosen."""
        n_valid, some, rng = len(rest) // 2, known.take(rest), generator(*draws, "valid")
        if known.times is not None:
            return rest[:n_valid], rest[n_valid:]
        if some.groups is not None:
            valid, test = draw_groups(some.groups, len(np.unique(some.groups)) // 2, rng)
        else:
            assert some.classes is not None
            valid, test = draw_by_class(some.classes, n_valid, rng)
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

    def _other_repeats(self, what: str, n: int) -> ConfigError:
        return ConfigError(f"{self.title}: {what}: set repeats to {n}, not {self.repeats}")

    def _error(self, draws: Draws, message: str) -> ConfigError:
        return ConfigError(f"{self.title}, repeat {draws[2]}: {message}")


def _sides(tested: BoolArray) -> Parts:
    return np.flatnonzero(~tested), np.flatnonzero(tested)
