"""Configs: what a user writes, and the experiment that it describes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ByteSize, Field
from pydantic_core import PydanticCustomError

from quadrepro.base.models import Model, faults_at, known_by
from quadrepro.base.types import Task
from quadrepro.base.yaml import YamlSource
from quadrepro.config.column import AlgorithmEntry, Column, resolve, with_settings
from quadrepro.config.datasets import Absent, DatasetEntry, Reading, Row, Sweep
from quadrepro.config.tables import RequestedTables
from quadrepro.core.metrics import find_metric
from quadrepro.core.protocol import Protocol
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.data.schema import View
from quadrepro.errors import ConfigError, together
from quadrepro.papers.paper import Paper, load_paper
from quadrepro.papers.printed import NotThereError

if TYPE_CHECKING:
    from quadrepro.core.training.estimator import EstimatorPredictor
    from quadrepro.data.card import Card


BASELINE_NOTE = "predicts the most frequent class or the mean, whatever the attributes are."

Metric = Annotated[str, known_by(find_metric)]
"""Name of a metric."""


class Config(Model):
    """A whole config."""

    meant = MappingProxyType(dict.fromkeys(Protocol.model_fields, "it below protocol"))

    title: str = Field(description="Title of tables and pages.")
    paper: str = Field("", description="Paper with printed numbers: one that ships, or a folder.")
    seed: int = Field(0, ge=0, lt=2**32, description="Seed of all random draws.")
    repeats: int = Field(1, ge=1, le=100_000, description="Number of random splits.")
    protocol: Protocol = Field(description="How data are prepared and candidates are chosen.")
    datasets: tuple[DatasetEntry, ...] = Field(min_length=1, description="Rows of the tables.")
    absent: tuple[Absent, ...] = Field((), description="Data sets that cannot be had.")
    sweeps: tuple[Sweep, ...] = Field((), description="Fields with a row for each of some values.")
    readings: tuple[Reading, ...] = Field((), description="Readings with a row of each data set.")
    algorithms: tuple[AlgorithmEntry, ...] = Field(min_length=1, description="Columns.")
    metrics: tuple[Metric, ...] = Field((), description="Metrics in addition to errors.")
    headline: str = Field("", description="Metric to compare by; by default errors.")
    baseline: bool | None = Field(None, description="Add a baseline; by default without a paper.")
    tables: RequestedTables = Field({})
    notes: tuple[str, ...] = Field((), description="Notes below every table.")
    timeout: float | None = Field(None, gt=0, description="Time limit of a cell in seconds.")
    memory: ByteSize | None = Field(None, gt=0, description="Memory limit of a cell, as 4GB.")

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows: the data sets, each with its readings or with every value of each sweep."""
        return tuple(self._swept() if self.sweeps else self._read())

    def _swept(self) -> Iterator[Row]:
        for j, sweep in enumerate(self.sweeps):
            for entry, (k, value) in product(self.datasets, enumerate(sweep.values)):
                place = ("sweeps", j, "values", k)
                with faults_at(*place):
                    changed = sweep.apply(entry, value)
                yield Row(changed, place, entry.title, sweep.word, value)

    def _read(self) -> Iterator[Row]:
        for i, entry in enumerate(self.datasets):
            yield Row(entry, ("datasets", i), entry.title)
            for j, reading in enumerate(self.readings):
                if not reading.of or entry.title in reading.of:
                    with faults_at("readings", j):
                        changed = reading.apply(entry)
                    yield Row(changed, ("readings", j), entry.title, reading=reading.name)

    @cached_property
    def own_rows(self) -> frozenset[str]:
        """The rows that tests over data sets compare: those as the config has them, by title.

        Other readings of a data set, and other values of a sweep, are no further data sets. Where
        no value of a sweep is the one that the config has without it, there is no such row.
        """
        found: dict[str, str] = {}
        for row in self.rows:
            if not row.reading and (not row.sweep or self._is_unchanged(row)):
                found.setdefault(row.of, row.entry.title)
        return frozenset(found.values())

    def _is_unchanged(self, row: Row) -> bool:
        """Return whether a sweep's value is what the config has without the sweep."""
        entry = next(entry for entry in self.datasets if entry.title == row.of)
        return (
            row.entry.changed(self.protocol) == entry.changed(self.protocol)
            and row.entry.grid == entry.grid
            and row.entry.parameters == entry.parameters
        )

    @property
    def entries(self) -> tuple[DatasetEntry, ...]:
        """The data set's entry of every row."""
        return tuple(row.entry for row in self.rows)


@dataclass(frozen=True)
class Experiment:
    """A config with what it names: views of data sets, learners and a paper."""

    name: str
    """The name of the file without its ending, which is also that of the results folder."""
    config: Config
    """Its content."""
    source: YamlSource
    """The file, for messages that name a place."""

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place in the file."""
        return ConfigError(f"{self.source.where(place)}: {message}")

    @contextmanager
    def at(self, *place: str | int) -> Iterator[None]:
        """Turn a fault of a part of the config into an error that names its place in the file."""
        try:
            with faults_at(*place):
                yield
        except PydanticCustomError as error:
            raise self.error(error.message(), *(error.context or {})["place"]) from None

    @cached_property
    def algorithms(self) -> tuple[Column, ...]:
        """The columns of the config's algorithms; what is wrong with any of them is raised."""
        entries = enumerate(self.config.algorithms)
        return tuple(together(partial(self._column, entry, i) for i, entry in entries))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns: the algorithms, and the baseline last."""
        return (*self.algorithms, *map(self._column, self._baseline))

    def _column(self, entry: AlgorithmEntry, i: int = 0) -> Column:
        with self.at("algorithms", i):
            return resolve(entry, self.config.protocol, self.code_folder)

    def columns_of(self, row: Row) -> list[Column]:
        """Return the columns with the settings of a row."""
        changed = partial(with_settings, protocol=self.config.protocol, folder=self.code_folder)
        return [changed(column, row.entry.settings) for column in self.columns]

    @property
    def content(self) -> dict[str, Any]:
        """The config as plain data, with default values of hyper-parameters."""
        entries = (c.entry.model_copy(update={"grid": c.grid}) for c in self.algorithms)
        config = self.config.model_copy(update={"algorithms": (*entries,)})
        return config.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    @property
    def code_folder(self) -> str:
        """The folder in which import paths are found."""
        return str(self.source.path.parent.resolve())

    @property
    def _baseline(self) -> list[AlgorithmEntry]:
        config = self.config
        default = not config.paper and not config.protocol.measures
        asked = default if config.baseline is None else config.baseline
        if not asked or any(BASELINE in (a.algorithm, a.name) for a in config.algorithms):
            return []
        return [AlgorithmEntry(name=BASELINE, label="Baseline", note=BASELINE_NOTE)]

    @cached_property
    def titles(self) -> dict[str, str]:
        """Title of each column in tables, by the column's name.

        A title is the column's label; or what the paper calls it; or the column's name, if the
        config gives one beside the algorithm; or the registry's label of the algorithm.
        """
        names = self.paper.file.names if self.paper else {}
        titles = {}
        for column in self.columns:
            entry = column.entry
            given = entry.name if entry.pipeline or entry.algorithm not in ("", entry.name) else ""
            title = names.get(entry.name) or given or column.source.label
            titles[column.name] = entry.label or title
        return titles

    @cached_property
    def protocols(self) -> dict[str, Protocol]:
        """The protocol of each row, by the title of the row."""
        return {e.title: e.changed(self.config.protocol) for e in self.config.entries}

    @cached_property
    def views(self) -> dict[str, View]:
        """The view of each row, by the title of the row."""
        name, protocols = self.config.protocol.view, self.protocols
        return {
            entry.title: protocols[entry.title].split.without_columns(entry.resolve(name))
            for entry in self.config.entries
        }

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """What is predicted in each row, by the title of the row."""
        views = self.views
        return {e.title: e.card.task_of(views[e.title]) for e in self.config.entries}

    def voters(self, protocol: Protocol) -> EstimatorPredictor | None:
        """Return what makes the transformer that votes of a row are over; None for stumps."""
        if protocol.voter_set is None:
            return None
        # The module imports scikit-learn.
        from quadrepro.core.training.estimator import transformer

        return transformer(protocol.voter_set, self.code_folder)

    @cached_property
    def small_classes(self) -> list[str]:
        """Rows with a class of fewer examples than folds, by their cards, and what follows."""
        found = []
        for entry in self.config.entries:
            protocol, view = self.protocols[entry.title], self.views[entry.title]
            folds = max(protocol.split.outer_folds, protocol.inner_folds)
            least = min(view.class_sizes(entry.card.target), default=folds)
            if protocol.split.stratify and least < folds:
                what = f"{entry.title}: a class has only {least} rows"
                found.append(f"{what}, so that it is missing in some of {folds} folds.")
        return found

    @property
    def openml_tasks(self) -> list[tuple[Card, int]]:
        """The data sets that are divided by OpenML tasks, with the numbers of these."""
        pairs = {
            (entry.name, task): (entry.card, task)
            for entry in self.config.entries
            if (task := self.protocols[entry.title].split.openml_task) is not None
        }
        return [*pairs.values()]

    @property
    def code(self) -> tuple[str, ...]:
        """Files of the config's folder that a run imports, by their paths in it."""
        learners = [column.learner for column in self.columns]
        voters = [self.voters(protocol) for protocol in self.protocols.values()]
        found = {name for of in (*learners, *voters) if of is not None for name, _ in of.own_code}
        return tuple(sorted(found))

    @cached_property
    def paper(self) -> Paper | None:
        """The paper that the config names, read when it is first asked for; None without one."""
        if not self.config.paper:
            return None
        try:
            return load_paper(self.config.paper, self.source.path.parent)
        except NotThereError as error:
            raise self.error(str(error), "paper") from None
