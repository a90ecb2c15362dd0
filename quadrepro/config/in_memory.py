"""The plan of a comparison in Python, of estimators and rows that are objects.

The data set has one attribute, the number of the row, by which learners look up the user's rows.
"""

from __future__ import annotations

import copy
import hashlib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from quadrepro.base.models import faults_at, validated
from quadrepro.base.yaml import YamlSource
from quadrepro.config.column import AlgorithmItem
from quadrepro.config.datasets import DatasetItem
from quadrepro.config.loading import load_mapping
from quadrepro.config.plan import Plan, make_plan
from quadrepro.core.problems import Examples, StoredRows
from quadrepro.core.protocol import SplitRule
from quadrepro.core.seeds import Draws
from quadrepro.core.splits import UNKNOWN, KnownRows, Parts, Split, Splitter
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.estimator import EstimatorObject
from quadrepro.data.canonical import RawTable, text_column
from quadrepro.data.card import Attribute, Card, View
from quadrepro.data.checks import counted
from quadrepro.data.schema import Target
from quadrepro.data.store import Dataset, Found
from quadrepro.errors import ConfigError, DataError, nearest, together

NAME, ROW = "data", "row"
"""Names of the data set, which draws depend on, and of its only attribute."""


@dataclass(frozen=True, kw_only=True)
class ReadyLearner(Registered):
    """The source of a learner that is already made."""

    made: EstimatorObject

    def make(self, settings: dict[str, Any]) -> EstimatorObject:
        """Return the learner."""
        return self.made


class ObjectItem(AlgorithmItem):
    """A column of the table whose estimator is an object."""

    learner: Any

    def source(self, folder: str) -> Registered:
        """Return the source of the learner."""
        return ReadyLearner(EstimatorObject, self.label, "", made=self.learner)


@dataclass(frozen=True, kw_only=True)
class RowsInMemory(Found):
    """A data set whose rows are in memory."""

    table: RawTable

    def load(self, only: object = None, *, keep: bool = False) -> Dataset:
        """Return the data set."""
        return Dataset(self.card, self.table, "in memory")


class IndexRule(SplitRule):
    """The rule of splits that are lists of indices."""

    drawn: bool = False
    """Whether the splits are drawn at random."""

    @property
    def draws_share(self) -> bool:
        """Whether a share of the rows is drawn at random."""
        return False

    @property
    def draws_more(self) -> bool:
        """Whether there can be any number of splits."""
        return self.drawn


@dataclass(frozen=True, eq=False, kw_only=True)
class IndexSplitter(Splitter):
    """Training and test rows of each repeat, in the order in which estimators get them."""

    parts: tuple[Parts, ...]

    def __post_init__(self) -> None:
        """Accept parts of any sizes."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The mean sizes of the training, validation and test part."""
        n_train, n_test = (round(fmean(map(len, part))) for part in zip(*self.parts, strict=True))
        return n_train, 0, n_test

    def test_share(self, n_test: float) -> float:
        """Return the share of a split's rows that are tested, from their mean number."""
        return n_test / (self.sizes[0] + n_test)

    def _split(self, draws: Draws, facts: KnownRows) -> Split:
        return Split(*self.parts[draws[2]], fold=np.empty(0, dtype=np.intp))


def plan_of_objects(
    estimators: Any, X: Any, y: Any, target: str | None, cv: Any, groups: Any, **config: Any
) -> Plan:
    """Return the plan of a comparison, with the further keys of its config.

    See `quadrepro.compare`.
    """
    seed, columns = config["seed"], {}
    if target is not None:
        if y is not None:
            raise ConfigError("give either y or target=, a column of X")
        y, X = _pop_column(X, target)
    if isinstance(groups, str):
        groups, X = _pop_column(X, groups)
    if isinstance(cv, Mapping | SplitRule):
        cv = validated(SplitRule, YamlSource(Path("cv"), cv))
        for name in cv.columns.values():
            column, X = _pop_column(X, name)
            texts = column.astype(object).where(column.notna(), "")
            columns[name] = text_column(map(str, texts))
    items = _items(estimators, X)
    numbers = items[0].learner.task == "regression"
    y = _targets(X, y, groups, numbers=numbers)
    codes = None if numbers else np.unique(y, return_inverse=True)[1].astype(np.float64)
    if isinstance(cv, SplitRule):
        facts = KnownRows.for_rule(cv, y if codes is None else codes, columns)
        parts, drawn = _parts_of_rule(cv, facts, len(y), config["repeats"], seed), cv.draws_more
    else:
        cv, parts = _parts_of_splitter(cv, X, y, groups, seed, numbers=numbers)
        drawn = getattr(cv, "random_state", None) is not None
    rule, n = IndexRule(drawn=drawn), len(parts)
    splitter = IndexSplitter("cv", rule, len(y), 0, False, n, parts=parts)
    splitter.check(((seed, NAME, repeat) for repeat in range(n)), UNKNOWN, codes)
    dataset = _in_memory(X, y, parts, target or "y", numbers=numbers)
    item = DatasetItem.model_construct(name=NAME, row=dataset.card.title)
    vars(item)["card"] = dataset.card  # in place of the file that the property reads
    keys = {
        "repeats": n,
        "protocol": {"view": "default", "split": rule, "normalise": "none", "folds": 0},
        "datasets": [item],
        "algorithms": items,
        "notes": [] if type(cv).__name__.startswith("_") else [f"Splits: {cv!r}."],
    }
    rows = StoredRows(Examples(dataset, View(), rule), splitter)
    return make_plan(load_mapping(config | keys), in_memory=rows)


def _pop_column(X: Any, name: str) -> tuple[Any, Any]:
    """Return a column of a data frame, and the frame without it."""
    if not isinstance(X, pd.DataFrame):
        raise ConfigError(f"{name!r} is the name of a column, but X is not a data frame")
    if name not in X:
        raise ConfigError(f"X has no column {name!r}{nearest(name, map(str, X))}")
    return X[name], X.drop(columns=name)


def _object_item(name: str, learner: EstimatorObject) -> ObjectItem:
    """Return the column of a learner; its parameters are noted below the table."""
    text = " ".join(repr(learner.original).split())
    note = "" if text == f"{name}()" else text
    return ObjectItem(name=name, label=name, algorithm=learner.name, note=note, learner=learner)


def _items(estimators: Any, X: Any) -> list[ObjectItem]:
    """Return the columns of the estimators."""
    if not isinstance(estimators, Mapping):
        objects = [estimators] if hasattr(estimators, "get_params") else [*estimators]
        named, numbers = {}, Counter[str]()
        for estimator in objects:
            kind = getattr(estimator, "__name__", type(estimator).__name__)
            numbers[kind] += 1
            named[f"{kind} {numbers[kind]}" if numbers[kind] > 1 else kind] = estimator
        estimators = named

    def made(name: str) -> ObjectItem:
        try:
            with faults_at():
                return _object_item(str(name), EstimatorObject.from_estimator(estimators[name], X))
        except ValueError as error:
            raise ConfigError(f"estimators[{name!r}]: {error}") from None

    items = together(partial(made, name) for name in estimators)
    if not items:
        raise ConfigError("estimators is empty")
    if len({item.learner.task for item in items}) > 1:
        raise ConfigError("estimators has classifiers and regressors, which cannot be compared")
    return items


def _targets(X: Any, y: Any, groups: Any, *, numbers: bool) -> NDArray[Any]:
    """Return checked labels or numbers."""
    if y is None:
        raise ConfigError("y is missing: give y, or target=, a column of X")
    try:
        y = column_or_1d(y)
        check_consistent_length(X, y)
        if n_missing := int(pd.isna(y).sum()):
            raise ValueError(f"it is missing in {n_missing} of {len(y)} rows")
        if numbers and not np.isfinite(y := y.astype(np.float64)).all():
            raise ValueError("not all of its numbers are finite")
        for label in y if y.dtype == object and not numbers else ():
            if not isinstance(label, str):
                kind = type(label).__name__
                raise ValueError(f"{label!r} is an object of type {kind}: give y.astype(str), say")
        if not numbers and (kind := type_of_target(y)) not in ("binary", "multiclass"):
            raise ValueError(f"it is {kind}, but classifiers predict labels")
        if len(np.unique(y)) < 2:
            raise ValueError("it is the same in all rows")
    except (TypeError, ValueError) as error:
        raise DataError(f"y: {error}") from None
    if groups is not None and np.shape(groups)[:1] != y.shape:
        raise DataError(f"groups has the shape {np.shape(groups)}, but y has {len(y)} values")
    return np.asarray(y)


def _parts_of_rule(
    rule: SplitRule, facts: KnownRows, n_rows: int, repeats: int, seed: int
) -> tuple[Parts, ...]:
    """Return the splits of a rule."""
    if rule.openml_task is not None:
        raise ConfigError("the splits of an OpenML task are for its own data set")
    n = rule.repeats or (repeats if facts.parts is None else facts.parts.shape[1])
    splitter = Splitter("cv", rule, n_rows, 0, False, n)
    splits = (splitter.split((seed, NAME, repeat), facts) for repeat in range(n))
    return tuple((split.train, split.test) for split in splits)


def _parts_of_splitter(
    cv: Any, X: Any, y: NDArray[Any], groups: Any, seed: int, *, numbers: bool
) -> tuple[Any, tuple[Parts, ...]]:
    """Return a splitter of scikit-learn with a seed, and its splits."""
    if getattr(cv, "random_state", seed) is None and getattr(cv, "shuffle", True):
        cv = copy.copy(cv)
        cv.random_state = seed
    rows = np.arange(len(y))
    try:
        cv = check_cv(cv, y, classifier=not numbers)
        parts = tuple((rows[train], rows[test]) for train, test in cv.split(X, y, groups))
        if not parts or not all(len(train) and len(test) for train, test in parts):
            raise ValueError("every split needs rows to train on and rows to test")
        for i, (train, test) in enumerate(parts):
            if n_trained := int(np.isin(test, train).sum()):
                raise ValueError(f"split {i} trains on {n_trained} of {len(test)} test rows")
        n_different = len({tuple(hash(bytes(np.sort(rows))) for rows in part) for part in parts})
        # Random splits of few rows can be equal.
        if n_different < len(parts) and not hasattr(cv, "random_state"):
            raise ValueError(f"only {n_different} of {len(parts)} splits differ: give each once")
    except (TypeError, ValueError, IndexError) as error:
        lacks_groups = groups is None and "groups" in str(error)
        hint = "; give groups=, an array or a column of X" * lacks_groups
        raise ConfigError(f"cv: {str(error).rstrip('.')}{hint}") from None
    return cv, parts


def _in_memory(
    X: Any, y: NDArray[Any], parts: tuple[Parts, ...], target: str, *, numbers: bool
) -> RowsInMemory:
    """Return rows as a data set; its hash covers the splits as well."""
    column = y if numbers else y.astype(str)
    index = X.index.to_numpy() if isinstance(X, pd.DataFrame) else np.arange(len(y))
    columns = {ROW: np.arange(len(y), dtype=np.float64)}
    row = Attribute(name=ROW, kind="numeric")
    table = RawTable((row,), columns, column, None, index)
    counts = counted(table) | {"content_hash": hash_of_arrays(X, column, parts)}
    card = Card(
        name=NAME,
        title=target,
        task="regression" if numbers else "classification",
        attributes=(row,),
        licence="not stated",
        citation="not stated",
        **counts | {"target": Target(original=target, **counts["target"])},
    )
    return RowsInMemory(card, None, table=table)


def hash_of_arrays(X: Any, *others: Any) -> str:
    """Return a hash of an array or data frame and of what belongs to it."""
    if isinstance(X, pd.DataFrame):
        # Equal frames may differ in how their columns are stored.
        with suppress(TypeError):  # a column has lists
            X = X.columns, X.dtypes, pd.util.hash_pandas_object(X).to_numpy()
    return f"sha256:{hashlib.sha256(joblib.hash((X, others)).encode()).hexdigest()}"
