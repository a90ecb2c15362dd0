"""From an experiment to its cells.

A plan needs the cards, not the rows: it names the data of its cells by their content hash. Rows are
read and splits are drawn when they are asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quadrepro.base.types import Task
from quadrepro.config.algorithms import AlgorithmEntry
from quadrepro.config.config import Experiment
from quadrepro.config.datasets import DatasetEntry, Row
from quadrepro.core.cell import Cell, Shared
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Learner
from quadrepro.core.measures.registry import MEASURES
from quadrepro.core.problems import RowSource, Sources
from quadrepro.core.protocol import Protocol
from quadrepro.core.seeds import Draws, generator
from quadrepro.data.schema import View
from quadrepro.data.store import Found, find_datasets
from quadrepro.engine.keys import makers
from quadrepro.errors import ConfigError

SCHEMA_VERSION = 5
"""Raised when a record's fields or a cell's steps change their meaning."""

_UNUSED = generator(0)
"""For grids of which nothing is drawn; a generator takes as long to make as all else of a cell."""


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment and where their data are."""

    experiment: Experiment
    """The experiment."""
    datasets: dict[str, Found]
    """Data set of each row."""
    sources: dict[str, RowSource]
    """What makes the problems of each row."""
    cells: tuple[Cell, ...]
    """All cells: data set by data set, repeat by repeat, algorithm by algorithm."""

    def check_data(self) -> None:
        """Compare the data with their cards and with the views of all rows, and keep nothing.

        Each data set is read once.
        """
        experiment = self.experiment
        rows: dict[str, list[Row]] = defaultdict(list)
        for row in experiment.config.rows:
            rows[row.entry.name].append(row)
        for of_dataset in rows.values():
            dataset = self.datasets[of_dataset[0].entry.title].load()
            for row in of_dataset:
                with _placed(experiment, row):
                    draws = _draws(experiment, row)
                    self.sources[row.entry.title].check(dataset, draws)


def make_plan(experiment: Experiment, folder: Path | None = None, *, lenient: bool = False) -> Plan:
    """Lay out the cells of an experiment.

    Rows of a data set are read only if its card does not tell how many of them are in a view. If
    lenient, data sets that are not here are missed only then.
    """
    rows = experiment.config.rows
    found = find_datasets({row.entry.name: None for row in rows}, folder, lenient=lenient)
    all_sources = Sources(found, experiment.config.repeats)
    sources: dict[str, RowSource] = {}
    cells: list[Cell] = []
    for row in rows:
        entry = row.entry
        with _placed(experiment, row):
            protocol = entry.changed(experiment.config.protocol)
            source = source_of(all_sources, entry, protocol, experiment.views[entry.title])
            cells += _cells_of_row(experiment, row, protocol, all_sources)
        sources[entry.title] = source
    return Plan(experiment, {r.entry.title: found[r.entry.name] for r in rows}, sources, (*cells,))


def _cells_of_row(
    experiment: Experiment, row: Row, protocol: Protocol, all_sources: Sources
) -> Iterator[Cell]:
    columns: list[Callable[[int, Draws], Cell]] = []
    own: dict[str | None, tuple[RowSource, dict[str, Any]]] = {}
    for entry in experiment.config.columns:
        if entry.nominal not in own:
            view = entry.own_view(experiment.views[row.entry.title])
            own[entry.nominal] = source_of(all_sources, row.entry, protocol, view), view.content()
        settled = entry.changed(row.entry.settings)
        columns.append(_column(experiment, settled, row.entry, protocol, *own[entry.nominal]))
    for repeat, draws in enumerate(_draws(experiment, row)):
        for column in columns:
            yield column(repeat, draws)


def _column(
    experiment: Experiment,
    entry: AlgorithmEntry,
    row: DatasetEntry,
    protocol: Protocol,
    source: RowSource,
    view: dict[str, Any],
) -> Callable[[int, Draws], Cell]:
    """Return what makes the cells of one algorithm in one row, with all that these share."""
    task = experiment.tasks[row.title]
    learner = _for_task(entry, task, row.title)
    measures = entry.measures or protocol.measures
    if measures and task == "multiclass":
        raise ConfigError(
            f"{row.title} has more than two classes, of which {measures[0]} cannot be "
            "measured: give positive in its view, or leave measures out"
        )
    if task == "regression":
        of_classes = [name for name in measures if not MEASURES.find(name).of_numbers]
        if of_classes:
            others = " or ".join(name for name in MEASURES if MEASURES.find(name).of_numbers)
            raise ConfigError(
                f"the view of {row.title} predicts a number, but {of_classes[0]} measures classes: "
                f"use {others}, or leave measures out"
            )
    protocol = protocol.model_copy(update={"measures": measures})
    fixed = None if entry.draw else entry.make_grids(_UNUSED, row.grid)
    voters = experiment.config.voters(protocol)
    shared = Shared(_content(learner, protocol, view, fixed, voters))

    def cell(repeat: int, draws: Draws) -> Cell:
        grids, own = fixed, {}
        if grids is None:
            grids = entry.make_grids(generator(*draws, "values", entry.id), row.grid)
            own["grid"] = _axes(grids)
        if protocol.holdout is not None and learner.takes_drawn_stumps:
            own["draws"] = (*draws, "stumps")
        elif protocol.draws_more or learner.draws:
            own["draws"] = draws
        return Cell(
            experiment=experiment.name,
            dataset=row.title,
            algorithm=entry.name,
            repeat=repeat,
            source=source,
            draws=draws,
            protocol=protocol,
            learner=learner,
            grids=grids,
            size=source.sizes[0] * source.n_columns,
            shared=shared,
            own=own,
            voters=voters,
        )

    return cell


def _content(
    learner: Learner,
    protocol: Protocol,
    view: dict[str, Any],
    grids: tuple[Grid, ...] | None,
    voters: Learner | None,
) -> dict[str, Any]:
    """Return what the keys of all cells of an algorithm in a row are the hash of."""
    content = {
        "schema": SCHEMA_VERSION,
        "algorithm": type(learner).__name__,
        "version": learner.version,
        "settings": learner.content,
        "view": view,
        "protocol": protocol.content(),
    }
    versions = {name: MEASURES.find(name).version for name in protocol.measures}
    if changed := {name: v for name, v in versions.items() if v > 1}:
        content["measures"] = changed
    content |= makers(learner, protocol.measures, voters)
    if grids is not None:
        content["grid"] = _axes(grids)
    return content


def _axes(grids: tuple[Grid, ...]) -> Any:
    return grids[0].axes if len(grids) == 1 else [grid.axes for grid in grids]


def source_of(sources: Sources, entry: DatasetEntry, protocol: Protocol, view: View) -> RowSource:
    """Return the source of a row of a config."""
    return sources(entry.name, protocol, view, entry.title, entry.parameters)


def _draws(experiment: Experiment, row: Row) -> list[Draws]:
    """Return what names the draws of each repeat."""
    config, entry = experiment.config, row.entry
    sample = entry.changed(config.protocol).sample
    name = entry.title if sample is not None and sample.for_each == "row" else entry.name
    return [(config.seed, name, repeat) for repeat in range(config.repeats)]


@contextmanager
def _placed(experiment: Experiment, row: Row) -> Iterator[None]:
    """Say of a ConfigError where the config speaks of the row."""
    try:
        yield
    except ConfigError as error:
        raise experiment.error(str(error), *row.place) from None


def _for_task(entry: AlgorithmEntry, task: Task, title: str) -> Learner:
    """Return the learner for the task of a row, or raise ConfigError if there is none."""
    found = entry.make().for_task(task)
    if found is not None:
        return found
    if task != "regression":
        raise ConfigError(f"{title} has classes, but {entry.id} predicts a number")
    raise ConfigError(
        f"the view of {title} predicts a number, but {entry.id} needs classes: give positive"
        " as at_most or at_least"
    )
