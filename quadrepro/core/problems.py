"""The examples of a cell: the rows of a data set or a fresh sample, divided by a split.

A source is made from the card and the config alone, as far as they tell the number of rows. Rows
are read and encoded when a problem is asked for, and splits are drawn.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from quadrepro.base.types import FloatArray, NumberArray, Task
from quadrepro.core.preprocessing import Encoded, check_view, count_columns, count_rows, encode
from quadrepro.core.protocol import Protocol, Sample
from quadrepro.core.seeds import Draws, generator
from quadrepro.core.splits import GIVEN, UNKNOWN, Division, KnownRows, Split, deal_folds
from quadrepro.data.cache import hash_of_splits, load_splits
from quadrepro.data.canonical import Column
from quadrepro.data.rules import draw_fresh, rule_of
from quadrepro.data.schema import View
from quadrepro.data.store import Dataset, Found
from quadrepro.errors import ConfigError

FEWEST_ROWS = 4
"""With fewer rows, none is left to validate or to test on."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Examples and how they are divided.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_attributes)
        Attributes of the data set in its view, or of a fresh sample, as float64 or in a smaller
        type that holds the same numbers; NaN if a value is missing.
    y : ndarray of shape (n_rows,)
        Labels -1 and +1, or numbers.
    missing : {"mean", "low"}
        How missing values are filled; see `quadrepro.core.preprocessing.Normaliser`.
    split : Split
        Training rows with their folds, validation rows, test rows.
    classes : tuple of str
        Names of the classes in the order of their codes; empty if numbers are predicted.
    truth : ndarray of shape (n_rows,) or None, default None
        The targets without their noise, if they are known.
    n_codes : tuple of int, default ()
        Of each column of `X` the number of codes whose positions it holds; 0 for numbers.
    """

    X: NumberArray
    y: FloatArray
    missing: Literal["mean", "low"]
    split: Split
    classes: tuple[str, ...]
    truth: FloatArray | None = None
    n_codes: tuple[int, ...] = ()

    @property
    def task(self) -> Task:
        """The task: classes or numbers."""
        if not self.classes:
            return "regression"
        return "classification" if len(self.classes) == 2 else "multiclass"


@dataclass(eq=False)
class Examples:
    """A data set in a view, read and encoded when it is first asked for.

    Its rows are divided by the attributes `beside` or by the splits of an OpenML `task`.
    """

    found: Found
    view: View
    beside: tuple[str, ...] = ()
    task: int | None = None
    _encoded: Encoded | None = None

    def encoded(self) -> Encoded:
        """Return the arrays."""
        if self._encoded is None:
            self._encoded = encode(self.with_splits(self.found.load()), self.view, self.beside)
        return self._encoded

    def with_splits(self, dataset: Dataset) -> Dataset:
        """Return a data set with the splits of the task as a column, if there is one."""
        if self.task is None:
            return dataset
        columns = {**dataset.table.columns, GIVEN: load_splits(dataset.card, self.task)}
        table = replace(dataset.table, columns=columns)
        return replace(dataset, table=table)

    @cached_property
    def splits_hash(self) -> str:
        """What names the splits of the task in keys, which all repeats share."""
        assert self.task is not None
        return hash_of_splits(self.found.card, self.task)

    @cached_property
    def codes_hash(self) -> str:
        """What names the card's order of codes, which the hash of the rows leaves out."""
        coded = [a for a in self.found.card.attributes if a.codes]
        orders = [(a.name, a.codes) for a in coded if a.name not in self.view.order]
        return hashlib.sha256(repr(orders).encode()).hexdigest()[:16] if orders else ""

    def let_go(self) -> None:
        """Forget the arrays; they are read again if they are asked for again."""
        self._encoded = None

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return count_rows(self.found, self.view)


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Splits the rows of a data set in a view."""

    examples: Examples
    division: Division

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part."""
        return self.division.sizes

    def test_share(self, n_test: float) -> float:
        """Return the share of a split's rows that are tested, given their mean number."""
        return self.division.test_share(n_test)

    @property
    def n_columns(self) -> int:
        """About the number of columns."""
        return count_columns(self.examples.found.card.attributes, self.examples.view)

    def problem(self, draws: Draws) -> Problem:
        """Return the rows with the split of one repeat."""
        found = self.examples.encoded()
        split = self.division.split(draws, self._known(found.y, found.beside))
        return Problem(found.X, found.y, found.missing, split, found.classes, n_codes=found.n_codes)

    def origin(self, draws: Draws) -> dict[str, Any]:
        """Return the hash of the rows, and from what the split of one repeat follows.

        No split is drawn for it: the key of a cell also has the rule, and the hash of this code.
        """
        found = self.examples.found
        named = self.division.named(draws)
        if self.examples.task is not None:
            named["splits"] = self.examples.splits_hash
        named_data = {"data": found.content_hash, "division": named}
        codes = self.examples.codes_hash
        return named_data | {"codes": codes} if codes else named_data

    def check(self, dataset: Dataset, draws: Iterable[Draws]) -> None:
        """Raise ConfigError if the view does not fit the rows, or they cannot be divided."""
        examples = self.examples
        y, beside = check_view(examples.with_splits(dataset), examples.view, examples.beside)
        if self.division.rule.needs_rows:
            self.division.check(draws, self._known(y, beside))

    def _known(self, y: FloatArray, beside: Mapping[str, Column]) -> KnownRows:
        rule = self.division.rule
        if not rule.needs_rows:
            return UNKNOWN
        classes = y if self.examples.found.card.classes_of(self.examples.view) else None
        return KnownRows.of(classes, beside, rule, self.division.title)


@dataclass(frozen=True, eq=False)
class FreshRows:
    """Draws a fresh sample for every repeat, by the rule of a data set."""

    found: Found
    title: str
    rule: str
    parameters: dict[str, float]
    sample: Sample
    folds: int
    view: View
    examples: None = None

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part."""
        return self.sample.sizes

    def test_share(self, n_test: float) -> float:
        """Return 0: no row of a sample is drawn again for another one."""
        return 0.0

    @property
    def n_columns(self) -> int:
        """About the number of columns, which parameters of the rule can change."""
        n_rows = min(self.sample.train, 100)  # enough for a row of each class
        some = draw_fresh(self.rule, self.parameters, (n_rows,), generator(0))
        return count_columns(some.table.attributes, self.view)

    def problem(self, draws: Draws) -> Problem:
        """Return the sample of one repeat."""
        sample = self.sample
        drawn = draw_fresh(self.rule, self.parameters, sample.sizes, generator(*draws, "sample"))
        train, valid, test = np.split(np.arange(sum(sample.sizes)), np.cumsum(sample.sizes)[:-1])
        fold = deal_folds(sample.train, self.folds, generator(*draws, "folds"))
        split = Split(train, test, fold, valid if sample.valid else None)
        dataset = Dataset(self.found.card, drawn.table, self.found.origin)
        found = encode(dataset, self.view)
        if len(found.y) != sum(sample.sizes):
            raise _leaves_out(self.title)
        return Problem(
            found.X, found.y, found.missing, split, found.classes, drawn.truth, found.n_codes
        )

    def origin(self, draws: Draws) -> dict[str, Any]:
        """Return the rule and its parameters; the key of the cell names the draws as well."""
        return {"rule": self.rule, "parameters": self.parameters}

    def check(self, dataset: Dataset, draws: Iterable[Draws]) -> None:
        """Raise ConfigError if the view does not fit the samples, or the rule their sizes."""
        # Of drawn labels, all may turn out equal; half of those of orange data are in each class.
        alike = not self.found.card.classes_of(self.view) or self.rule == "orange"
        for of_repeat in draws:
            self.problem(of_repeat)
            if alike and not self.view.where:
                return


@dataclass(frozen=True, eq=False)
class Sources:
    """Makes the sources of an experiment; rows with the same view of a data set share it."""

    datasets: Mapping[str, Found]
    repeats: int
    _examples: dict[tuple[Any, ...], Examples] = field(default_factory=dict)

    def __call__(
        self,
        name: str,
        protocol: Protocol,
        view: View,
        title: str,
        parameters: Mapping[str, float],
    ) -> RowSource:
        """Return the source of the row of a data set; rows are read only to count them."""
        found = self.datasets[name]
        if protocol.sample is not None:
            if view.sample_rows is not None:
                raise _leaves_out(title)
            rule, parameters = rule_of(found.card, parameters)
            return FreshRows(
                found, title, rule, parameters, protocol.sample, protocol.inner_folds, view
            )
        task = protocol.split.openml_task
        beside = tuple(name for _, name in protocol.split.columns)
        if task is not None:
            beside = (*beside, GIVEN)
        key = name, json.dumps(view.content(), sort_keys=True), beside, task
        examples = self._examples.setdefault(key, Examples(found, view, beside, task))
        division = _division(title, examples, protocol, self.repeats)
        return StoredRows(examples, division)


RowSource = StoredRows | FreshRows


def _division(title: str, examples: Examples, protocol: Protocol, repeats: int) -> Division:
    """Return the division of some rows; refuse what their number alone rules out."""
    n_rows, of, rule = examples.n_rows, None, protocol.split
    if (drawn := examples.view.sample_rows) is not None:
        if drawn > n_rows:
            raise ConfigError(f"{title} has {n_rows} rows: {drawn} cannot be drawn")
        n_rows, of = drawn, n_rows
    holdout, folds = protocol.holdout is not None, protocol.inner_folds
    has = f"{title} has {n_rows} rows"
    if n_rows < 2 * folds:
        raise ConfigError(f"{has}: too few for {folds} folds")
    if n_rows < FEWEST_ROWS and rule.train != "all":
        raise ConfigError(f"{has}: too few to hold some out")
    division = Division(title, rule, n_rows, folds, holdout, repeats, of)
    if rule.needs_rows:
        return division
    if n_rows < rule.outer_folds:
        raise ConfigError(f"{has}: too few for {rule.outer_folds} outer folds")
    n_train, n_valid, n_test = division.sizes
    if n_test < 1 or n_valid < holdout:
        raise ConfigError(f"{has}, of which {n_train} are trained on: too few are left")
    if n_train < (2 if rule.outer_folds else 1) * folds:
        raise ConfigError(f"{title} has {n_train} training rows: too few for {folds} folds")
    return division


def _leaves_out(title: str) -> ConfigError:
    return ConfigError(f"the view of {title} leaves out rows, so it cannot be sampled")
