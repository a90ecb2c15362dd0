"""From an experiment to its cells.

A plan needs the cards, not the rows: it names the data of its cells by their content hash. Rows are
read and splits are drawn when they are asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.config.column import Column
from quadrepro.config.config import Experiment
from quadrepro.config.datasets import Row
from quadrepro.core.cell import Cell
from quadrepro.core.preprocessing import count_columns
from quadrepro.core.problems import RowSource, Sources, StoredRows
from quadrepro.core.protocol import Protocol
from quadrepro.core.seeds import Draws, generator
from quadrepro.core.training.grid import Grid
from quadrepro.core.training.imported import enter
from quadrepro.data.schema import View
from quadrepro.data.store import Found, find_datasets
from quadrepro.engine.records import makers

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
    """Source of the problems of each row."""
    cells: tuple[Cell, ...]
    """All cells: data set by data set, repeat by repeat, algorithm by algorithm."""

    @property
    def limits(self) -> Limits:
        """Limits of each cell."""
        from quadrepro.engine.worker import Limits  # imports numba

        return Limits(self.experiment.config.timeout, self.experiment.config.memory)

    def check_data(self) -> None:
        """Compare the data with their cards and with the views of all rows, and keep nothing.

        Each data set is read once.
        """
        rows: dict[str, list[Row]] = defaultdict(list)
        for row in self.experiment.config.rows:
            rows[row.item.name].append(row)
        for group in rows.values():
            dataset = self.datasets[group[0].title].load()
            for row in group:
                with self.experiment.at(*row.place):
                    self.sources[row.title].check(dataset, _draws(self.experiment, row))

    def try_code(self) -> None:
        """Import and make the code of the config's folder once.

        Raises
        ------
        ConfigError
            With the place in the config, and the file and line of the code.
        """
        enter("")  # The code may have changed since it was imported.
        first = {cell.algorithm: cell for cell in reversed(self.cells)}
        for i, column in enumerate(self.experiment.algorithms):
            if column.learner.own_code:
                with self.experiment.at("algorithms", i, column.item.key):
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

    Rows of a data set are read only if its card does not give their number in a view. If lenient,
    a missing data set is an error only then.
    """
    rows = experiment.config.rows
    if in_memory is None:
        datasets = find_datasets([row.item.card for row in rows], folder, lenient=lenient)
    else:
        datasets = {row.item.name: in_memory.examples.stored for row in rows}
    all_sources = Sources(datasets, experiment.config.repeats, in_memory)
    sources: dict[str, RowSource] = {}
    cells: list[Cell] = []
    for row in rows:
        with experiment.at(*row.place):
            sources[row.title] = source_of(all_sources, row, row.protocol, row.view)
            cells += _cells_of(experiment, row, all_sources)
    by_row = {row.title: datasets[row.item.name] for row in rows}
    return Plan(experiment, by_row, sources, (*cells,))


def source_of(sources: Sources, row: Row, protocol: Protocol, view: View) -> RowSource:
    """Return the source of a row's problems under a protocol and in a view."""
    return sources(row.item.name, protocol, view, row.title, row.item.parameters)


def _cells_of(experiment: Experiment, row: Row, sources: Sources) -> Iterator[Cell]:
    """Yield the cells of a row."""
    columns = [(c, _first(experiment, row, c, sources)) for c in experiment.columns_of(row)]
    for repeat, draws in enumerate(_draws(experiment, row)):
        for column, first in columns:
            grids, content = first.grids, first.content | {"draws": draws}
            if column.item.draw:
                rng = generator(*draws, "values", column.id)
                grids = column.make_grids(row.item.grid, rng)
                content["grid"] = _axes(grids)
            yield replace(first, repeat=repeat, draws=draws, grids=grids, content=content)


def _first(experiment: Experiment, row: Row, column: Column, sources: Sources) -> Cell:
    """Return a cell with all that a column's cells in a row share; `_cells_of` adds draws."""
    learner = column.learner.for_task(row.task)
    assert learner is not None
    view = row.view
    if column.item.nominal is not None:
        nominal = "one-hot" if column.item.nominal == "one-hot" else "ordinal"
        view = view.model_copy(update={"nominal": nominal})
    protocol = row.protocol.model_copy(update={"measures": column.measures(row.protocol)})
    if not learner.gives_votes and protocol.inputs == "attributes":
        # Readings with other voters share its records.
        protocol = protocol.without_voters()
    source, voters = source_of(sources, row, protocol, view), experiment.voters(protocol)
    grids = () if column.item.draw else column.make_grids(row.item.grid)
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
        dataset=row.title,
        algorithm=column.name,
        repeat=0,
        source=source,
        draws=_draws(experiment, row)[0],
        protocol=protocol,
        learner=learner,
        grids=grids,
        size=source.sizes[0] * count_columns(row.item.card, view),
        content=content,
        voters=voters,
    )


def _axes(grids: tuple[Grid, ...]) -> Any:
    return grids[0].axes if len(grids) == 1 else [grid.axes for grid in grids]


def _draws(experiment: Experiment, row: Row) -> list[Draws]:
    """Return the coordinates of the draws of each repeat."""
    config, sample = experiment.config, row.protocol.sample
    name = row.title if sample is not None and sample.for_each == "row" else row.item.name
    return [(config.seed, name, repeat) for repeat in range(config.repeats)]
