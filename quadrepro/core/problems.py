"""The examples of a cell: rows of a data set, or a fresh sample, and how they are split.

A plan needs only the number of rows, which most cards hold. Rows are read and encoded, and splits
drawn, when a problem is first used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from uuid import uuid4

import numpy as np

from quadrepro.base.types import FloatArray, Task
from quadrepro.core.preprocessing import Encoded, count_rows, encode, equal_rows
from quadrepro.core.protocol import EQUAL, Protocol, Sample, SplitRule
from quadrepro.core.seeds import Draws, generator
from quadrepro.core.splits import KnownRows, Split, Splitter, deal
from quadrepro.data.cache import hash_of_splits, load_splits
from quadrepro.data.rules import draw_fresh, rule_of
from quadrepro.data.schema import View
from quadrepro.data.store import Dataset, Found
from quadrepro.errors import ConfigError


@dataclass(frozen=True, eq=False)
class Problem(Encoded):
    """Encoded rows of a data set or of a fresh sample, with their split.

    Attributes
    ----------
    split : Split
        Training rows with their folds, validation rows, test rows.
    truth : ndarray of shape (n_rows,) or None, default None
        The targets without their noise, if they are known.
    id : str
        Unique name of the problem, also in other processes.
    """

    split: Split
    truth: FloatArray | None = None
    id: str = field(init=False, repr=False, default_factory=lambda: uuid4().hex)

    @property
    def task(self) -> Task:
        """The task: classes or numbers."""
        if not self.classes:
            return "regression"
        return "classification" if len(self.classes) == 2 else "multiclass"


@dataclass(frozen=True, eq=False)
class Examples:
    """A data set in a view, with the rule that divides its rows."""

    stored: Found
    view: View
    rule: SplitRule

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return count_rows(self.stored, self.view)

    def encoded(self, dataset: Dataset) -> tuple[Encoded, KnownRows]:
        """Return an encoded data set, with the properties of its rows that the rule uses."""
        encoded, rule = encode(dataset, self.view), self.rule
        named = {name: dataset.table.columns[name] for name in rule.columns.values()}
        columns = {name: column[encoded.rows] for name, column in named.items()}
        if rule.groups == EQUAL:
            columns[EQUAL] = equal_rows(encoded.X)
        parts = None
        if rule.openml_task is not None:
            parts = load_splits(dataset.card, rule.openml_task)[encoded.rows]
        dates = {attribute.name: attribute.date for attribute in dataset.table.attributes}
        date = dates.get(rule.time or "")
        return encoded, KnownRows.for_rule(rule, encoded.y, columns, parts, date)


@lru_cache(maxsize=2)
def read_rows(examples: Examples) -> tuple[Encoded, KnownRows]:
    """Read and encode a data set; the last two are kept, as its cells follow one another."""
    return examples.encoded(examples.stored.load(keep=True))


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The rows of a data set in a view, with their splitter."""

    examples: Examples
    splitter: Splitter

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Approximate sizes of the training, validation and test part."""
        return self.splitter.sizes

    def test_share(self, n_test: float) -> float:
        """Return the share of test rows in a split, given their mean number."""
        return self.splitter.test_share(n_test)

    def problem(self, draws: Draws) -> Problem:
        """Return the rows with the split of one repeat."""
        encoded, facts = read_rows(self.examples)
        return Problem(**vars(encoded), split=self.splitter.split(draws, facts))

    def check(self, dataset: Dataset, draws: Iterable[Draws]) -> None:
        """Raise ConfigError if the view does not fit the rows, or they cannot be divided."""
        encoded, facts = self.examples.encoded(dataset)
        if self.splitter.rule.needs_rows:
            self.splitter.check(draws, facts, encoded.y if encoded.classes else None)

    @property
    def content(self) -> dict[str, Any]:
        """Everything that results depend on, apart from the view, the rule and the draws."""
        card, view, rule = self.examples.stored.card, self.examples.view, self.splitter.rule
        # The hash of the rows leaves out the order of codes.
        coded = (a for a in card.attributes if a.codes and a.name not in view.order)
        orders = {a.name: a.codes for a in coded}
        content: dict[str, Any] = {"data": card.content_hash, "codes": orders}
        if dates := {a.name: a.date for a in card.attributes if a.date}:
            content["dates"] = dates
        if rule.openml_task is not None:
            content["splits"] = hash_of_splits(card, rule.openml_task)
        if rule.time:
            # The number of repeats determines the length of the windows.
            content["repeats"] = self.splitter.repeats
        return content


@dataclass(frozen=True, eq=False)
class FreshRows:
    """Fresh samples, one for every repeat, from the rule of a data set."""

    stored: Found
    view: View
    title: str
    rule: str
    parameters: dict[str, float]
    sample: Sample
    folds: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part."""
        return self.sample.train, self.sample.valid, self.sample.test

    def test_share(self, n_test: float) -> float:
        """Return 0, since samples share no rows."""
        return 0.0

    def problem(self, draws: Draws) -> Problem:
        """Return the sample of one repeat."""
        rng, sizes = generator(*draws, "sample"), self.sizes
        drawn = draw_fresh(self.rule, self.parameters, sizes, rng)
        encoded = encode(Dataset(self.stored.card, drawn.table, self.stored.origin), self.view)
        if len(encoded.y) < sum(sizes) or self.view.sample_rows:
            message = f"the view of {self.title} leaves out rows, so it cannot be sampled"
            raise ConfigError(message)
        train, valid, test = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        fold = deal(len(train), self.folds, generator(*draws, "folds"))
        split = Split(train, test, fold, valid if len(valid) else None)
        return Problem(**vars(encoded), split=split, truth=drawn.truth)

    def check(self, dataset: Dataset, draws: Iterable[Draws]) -> None:
        """Raise ConfigError if the first sample cannot be drawn or does not fit the view."""
        self.problem(next(iter(draws)))

    @property
    def content(self) -> dict[str, Any]:
        """Everything that results depend on, apart from the view, the sizes and the draws."""
        return {"rule": self.rule, "parameters": self.parameters}


RowSource = StoredRows | FreshRows


@lru_cache(maxsize=1)
def problem_of(source: RowSource, draws: Draws) -> Problem:
    """Return the problem of one repeat; the last is kept, as its cells follow one another."""
    return source.problem(draws)


@dataclass(frozen=True, eq=False)
class Sources:
    """Factory of the sources of an experiment; rows with the same view of a data set share one."""

    datasets: Mapping[str, Found]
    repeats: int
    in_memory: StoredRows | None = None
    """The only source, whose splits are given."""
    _examples: dict[tuple[str, str, SplitRule], Examples] = field(default_factory=dict)
    _sources: dict[tuple[str, str, str], RowSource] = field(default_factory=dict)

    def __call__(
        self, name: str, protocol: Protocol, view: View, title: str, parameters: Mapping[str, float]
    ) -> RowSource:
        """Return the source of a row of the table; data are read only to count their rows."""
        if self.in_memory is not None:
            return self.in_memory
        text = json.dumps(view.content(), sort_keys=True)
        key = title, text, protocol.model_dump_json(exclude={"measures"})
        if key in self._sources:
            return self._sources[key]
        stored, rule, folds = self.datasets[name], protocol.split, protocol.inner_folds
        if view.duplicates == "one-side":
            try:
                rule = rule.with_equal_rows()
            except ValueError as error:
                raise ConfigError(f"{title}: {error}") from None
        if protocol.sample is not None:
            drawn = rule_of(stored.card, parameters)
            fresh = FreshRows(stored, view, title, *drawn, protocol.sample, folds)
            return self._sources.setdefault(key, fresh)
        row_rule = rule if rule.needs_rows else SplitRule()
        examples = Examples(stored, view, row_rule)
        examples = self._examples.setdefault((name, text, row_rule), examples)
        n_rows, n_total = examples.n_rows, None
        if view.sample_rows is not None:
            n_rows, n_total = view.sample_rows, n_rows
        holdout = protocol.holdout is not None
        splitter = Splitter(title, rule, n_rows, folds, holdout, self.repeats, n_total)
        return self._sources.setdefault(key, StoredRows(examples, splitter))
