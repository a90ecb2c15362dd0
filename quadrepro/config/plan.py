"""From an experiment to its cells.

A plan needs the cards, not the rows: it names the data of its cells by their content hash. Rows are
read and splits are drawn when they are asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.config.column import Column
from quadrepro.config.config import Experiment
from quadrepro.config.datasets import DatasetEntry, Row
from quadrepro.core.cell import Cell
from quadrepro.core.preprocessing import count_columns
from quadrepro.core.problems import RowSource, Sources, StoredRows
from quadrepro.core.protocol import Protocol
from quadrepro.core.seeds import Draws, generator
from quadrepro.core.training.grid import Grid
from quadrepro.core.training.imported import enter
from quadrepro.data.schema import View
from quadrepro.data.store import Found, find_datasets
from quadrepro.engine.keys import makers
from quadrepro.errors import ConfigError

if TYPE_CHECKING:
    from quadrepro.engine.worker import Limits

SCHEMA_VERSION = 7
"""Raised when a record's fields or a cell's steps change their meaning."""


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

    @property
    def limits(self) -> Limits:
        """What each cell may use."""
        from quadrepro.engine.worker import Limits  # imports numba

        return Limits(self.experiment.config.timeout, self.experiment.config.memory)

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
                    self.sources[row.entry.title].check(dataset, _draws(experiment, row))

    def try_code(self) -> None:
        """Import the code of the config's folder, and make what it is to make, once.

        Raises
        ------
        ConfigError
            With the place in the config, and the file and line of the code.
        """
        enter("")  # The code may have changed since it was imported.
        first = {cell.algorithm: cell for cell in reversed(self.cells)}
        for i, column in enumerate(self.experiment.algorithms):
            if column.learner.own_code:
                with self.experiment.at("algorithms", i, column.entry.key):
                    cell = first[column.name]
                    cell.learner.try_code(cell.grids[0].candidates[0])


def make_plan(
    experiment: Experiment,
    folder: Path | None = None,
    *,
    lenient: bool = False,
    in_memory: StoredRows | None = None,
) -> Plan:
    """Lay out the cells of an experiment.

    Rows of a data set are read only if its card does not tell how many of them are in a view. If
    lenient, data sets that are not here are missed only then.
    """
    rows = experiment.config.rows
    if in_memory is None:
        datasets = find_datasets([row.entry.card for row in rows], folder, lenient=lenient)
    else:
        datasets = {row.entry.name: in_memory.examples.found for row in rows}
    all_sources = Sources(datasets, experiment.config.repeats, in_memory)
    sources: dict[str, RowSource] = {}
    cells: list[Cell] = []
    for row in rows:
        title = row.entry.title
        with _placed(experiment, row):
            protocol, view = experiment.protocols[title], experiment.views[title]
            sources[title] = source_of(all_sources, row.entry, protocol, view)
            cells += _cells_of(experiment, row, all_sources)
    return Plan(
        experiment, {row.entry.title: datasets[row.entry.name] for row in rows}, sources, (*cells,)
    )


def _cells_of(experiment: Experiment, row: Row, sources: Sources) -> Iterator[Cell]:
    """Yield the cells of a row."""
    draws = _draws(experiment, row)
    columns = [(c, _first(experiment, row, c, sources)) for c in experiment.columns_of(row)]
    for repeat, of_repeat in enumerate(draws):
        for column, first in columns:
            grids, content = first.grids, first.content | {"draws": of_repeat}
            if column.entry.draw:
                rng = generator(*of_repeat, "values", column.id)
                grids = column.make_grids(row.entry.grid, rng)
                content["grid"] = _axes(grids)
            yield replace(first, repeat=repeat, draws=of_repeat, grids=grids, content=content)


def _first(experiment: Experiment, row: Row, column: Column, sources: Sources) -> Cell:
    """Return what all cells of a column in a row have in common, as its first cell."""
    title, task = row.entry.title, experiment.tasks[row.entry.title]
    protocol, view = experiment.protocols[title], column.own_view(experiment.views[title])
    measures = column.measures(protocol)
    learner = column.learner.for_task(task)
    assert learner is not None
    protocol = protocol.model_copy(update={"measures": measures})
    source, voters = source_of(sources, row.entry, protocol, view), experiment.voters(protocol)
    grids = () if column.entry.draw else column.make_grids(row.entry.grid)
    content = {
        "schema": SCHEMA_VERSION,
        "algorithm": type(learner).__name__,
        "settings": learner.content,
        "grid": _axes(grids),
        "view": view.content(),
        "protocol": protocol.content(),
        **source.content,
        **makers(learner, protocol, voters),
    }
    return Cell(
        experiment=experiment.name,
        dataset=title,
        algorithm=column.name,
        repeat=0,
        source=source,
        draws=_draws(experiment, row)[0],
        protocol=protocol,
        learner=learner,
        grids=grids,
        size=source.sizes[0] * count_columns(row.entry.card, view),
        content=content,
        voters=voters,
    )


def _axes(grids: tuple[Grid, ...]) -> Any:
    return grids[0].axes if len(grids) == 1 else [grid.axes for grid in grids]


def source_of(sources: Sources, entry: DatasetEntry, protocol: Protocol, view: View) -> RowSource:
    """Return the source of a row of a config."""
    return sources(entry.name, protocol, view, entry.title, entry.parameters)


def _draws(experiment: Experiment, row: Row) -> list[Draws]:
    """Return what names the draws of each repeat."""
    config, entry = experiment.config, row.entry
    sample = experiment.protocols[entry.title].sample
    name = entry.title if sample is not None and sample.for_each == "row" else entry.name
    return [(config.seed, name, repeat) for repeat in range(config.repeats)]


@contextmanager
def _placed(experiment: Experiment, row: Row) -> Iterator[None]:
    """Add the place of a row in the config to a ConfigError."""
    try:
        yield
    except ConfigError as error:
        raise experiment.error(str(error), *row.place) from None
