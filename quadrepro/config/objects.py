"""The plan of a comparison in Python, of estimators and rows that are objects."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import field_validator
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from quadrepro.base.models import validated
from quadrepro.base.yaml import YamlSource
from quadrepro.config.algorithms import AlgorithmEntry
from quadrepro.config.datasets import DatasetEntry
from quadrepro.config.loading import load_mapping
from quadrepro.config.plan import Plan, make_plan
from quadrepro.core.learners.estimator import EstimatorEntry
from quadrepro.core.learners.objects import EstimatorObject
from quadrepro.core.memory import (
    GivenRows,
    GivenRule,
    GivenSplitter,
    SourceInMemory,
    in_memory,
)
from quadrepro.core.problems import Examples
from quadrepro.core.protocol import SplitRule
from quadrepro.core.splits import UNKNOWN, KnownRows, Parts, Splitter
from quadrepro.data.canonical import Column, numeric_column, text_column
from quadrepro.data.card import Card, View
from quadrepro.errors import ConfigError, DataError, nearest, together

NAME = "data"
"""Name of the data set, which the draws of splits and seeds depend on."""


class RowInMemory(DatasetEntry):
    """A row of the table whose data set is in memory."""

    described: Card

    @field_validator("name")
    @classmethod
    def _has_card(cls, name: str) -> str:
        return name

    @property
    def card(self) -> Card:
        """The card of the data set."""
        return self.described


class ObjectColumn(AlgorithmEntry):
    """A column of the table whose estimator is an object."""

    learner: Any

    @classmethod
    def of(cls, name: str, learner: EstimatorObject) -> Self:
        """Return the column of a learner, with a note unless the estimator is as by default."""
        text = " ".join(repr(learner.original).split())
        note = "" if text == f"{name}()" else text
        return cls(name=name, label=name, algorithm=learner.name, note=note, learner=learner)

    def source(self, folder: str) -> EstimatorEntry:
        """Return what has the learner."""
        return ObjectEntry(self.algorithm, self.label, made=self.learner)


@dataclass(frozen=True, kw_only=True)
class ObjectEntry(EstimatorEntry):
    """The entry of a learner that is made."""

    made: EstimatorObject

    def names(self, settings: Mapping[str, Any]) -> Sequence[str]:
        """Return no settings."""
        return ()

    def make(self, settings: Mapping[str, Any]) -> EstimatorObject:
        """Return the learner."""
        return self.made


def plan_of_objects(
    estimators: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: Any,
    *,
    target: str | None,
    cv: Any,
    groups: Any,
    repeats: int,
    metrics: str | Sequence[str],
    **config: Any,
) -> Plan:
    """Return the plan of a comparison; see `quadrepro.compare`."""
    seed, title = config["seed"], target or "y"
    if target is not None:
        y, X = _taken(X, target)
    if isinstance(groups, str):
        groups, X = _taken(X, groups)
    columns: dict[str, Column] = {}
    if isinstance(cv, Mapping | SplitRule):
        cv = validated(SplitRule, YamlSource(Path("cv"), cv))
        for name in cv.columns.values():
            column, X = _taken(X, name)
            columns[name] = _column(column)
    learners = _learners(estimators, X)
    numbers = _task(learners) == "regression"
    y = _targets(X, y, groups, numbers=numbers)
    codes = None if numbers else np.unique(y, return_inverse=True)[1].astype(np.float64)
    if isinstance(cv, SplitRule):
        known = KnownRows.of(cv, y if codes is None else codes, columns)
        parts = _drawn(cv, known, len(y), repeats, seed)
    else:
        cv, parts = _split(cv, X, y, groups, seed, numbers=numbers)
    rule, n = GivenRule(), len(parts)
    splitter = GivenSplitter("cv", rule, len(y), 0, False, n, parts=parts)
    splitter.check(((seed, NAME, repeat) for repeat in range(n)), UNKNOWN, codes)
    dataset = in_memory(X, y, title, numbers=numbers)
    row = {"name": NAME, "as": title, "described": dataset.card}
    experiment = load_mapping(
        {
            **config,
            "repeats": n,
            "protocol": {"view": "default", "split": rule, "normalise": "none", "folds": 0},
            "datasets": [RowInMemory.model_validate(row)],
            "algorithms": [*map(ObjectColumn.of, learners, learners.values())],
            "metrics": [metrics] if isinstance(metrics, str) else [*metrics],
            "notes": [] if type(cv).__name__.startswith("_") else [f"Splits: {cv!r}."],
        }
    )
    rows = GivenRows(Examples(dataset, View(), rule), splitter)
    return make_plan(experiment, in_memory=SourceInMemory({NAME: dataset}, n, rows=rows))


def _taken(X: Any, name: str) -> tuple[Any, Any]:
    """Return a column of a data frame, and the frame without it."""
    if not isinstance(X, pd.DataFrame):
        raise ConfigError(f"{name!r} is the name of a column, but X is not a data frame")
    if name not in X:
        raise ConfigError(f"X has no column {name!r}{nearest(name, map(str, X))}")
    return X[name], X.drop(columns=name)


def _column(values: pd.Series[Any]) -> Column:
    if pd.api.types.is_numeric_dtype(values):
        return numeric_column(values.astype(np.float64))
    return text_column(
        "" if gap else str(one) for one, gap in zip(values, values.isna(), strict=True)
    )


def _learners(estimators: Any, X: Any) -> dict[str, EstimatorObject]:
    """Return the learner of each estimator, by its name."""
    if not isinstance(estimators, Mapping):
        several = [estimators] if hasattr(estimators, "fit") else [*estimators]
        named: dict[str, Any] = {}
        for estimator in several:
            kind, i = getattr(estimator, "__name__", type(estimator).__name__), 1
            while (name := f"{kind} {i}" if i > 1 else kind) in named:
                i += 1
            named[name] = estimator
        estimators = named

    def made(name: str) -> tuple[str, EstimatorObject]:
        try:
            return str(name), EstimatorObject.of(estimators[name], X)
        except ValueError as error:
            raise ConfigError(f"estimators[{name!r}]: {error}") from None

    return dict(together(partial(made, name) for name in estimators))


def _task(learners: Mapping[str, EstimatorObject]) -> str:
    tasks = {learner.task for learner in learners.values()}
    if len(tasks) != 1:
        several = "are classifiers and regressors, which cannot be compared"
        raise ConfigError(f"estimators {several if tasks else 'is empty'}")
    return tasks.pop()


def _targets(X: Any, y: Any, groups: Any, *, numbers: bool) -> NDArray[Any]:
    """Return checked labels or numbers."""
    if y is None:
        raise ConfigError("y is missing: give y, or target=, a column of X")
    try:
        y = column_or_1d(y)
        check_consistent_length(X, y, groups)
        if n_missing := int(pd.isna(y).sum()):
            raise ValueError(f"it is missing in {n_missing} of {len(y)} rows")
        kind = "continuous" if numbers else type_of_target(y)
        if numbers and not np.isfinite(y := y.astype(np.float64)).all():
            raise ValueError("not all of its numbers are finite")
        if not numbers and kind not in ("binary", "multiclass"):
            raise ValueError(f"it is {kind}, but classifiers predict labels")
        if len(np.unique(y)) < 2:
            raise ValueError("it is the same in all rows")
    except (TypeError, ValueError) as error:
        raise DataError(f"y: {error}") from None
    return np.asarray(y)


def _drawn(
    rule: SplitRule, known: KnownRows, n_rows: int, repeats: int, seed: int
) -> tuple[Parts, ...]:
    """Return the splits of a rule."""
    if rule.openml_task is not None:
        raise ConfigError("the splits of an OpenML task are for its own data set")
    n = rule.repeats or (repeats if known.parts is None else known.parts.shape[1])
    splitter = Splitter("cv", rule, n_rows, 0, False, n)
    splits = (splitter.split((seed, NAME, repeat), known) for repeat in range(n))
    return tuple((split.train, split.test) for split in splits)


def _split(
    cv: Any, X: Any, y: NDArray[Any], groups: Any, seed: int, *, numbers: bool
) -> tuple[Any, tuple[Parts, ...]]:
    """Return a splitter of scikit-learn with a seed, and its splits."""
    if getattr(cv, "random_state", seed) is None:
        cv = copy.copy(cv)
        cv.random_state = seed
    rows = np.arange(len(y))
    try:
        cv = check_cv(cv, y, classifier=not numbers)
        parts = tuple((rows[train], rows[test]) for train, test in cv.split(X, y, groups))
        if not parts or 0 in {len(part) for both in parts for part in both}:
            raise ValueError("every split needs rows to train on and rows to test")
    except (TypeError, ValueError, IndexError) as error:
        raise ConfigError(f"cv: {error}") from None
    return cv, parts
