"""From an experiment to its cells.

A plan knows the data: splits are indices, and the key of a cell covers the data behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from quadrepro.config.algorithm_entry import AlgorithmEntry
from quadrepro.config.cell import Cell, made_by
from quadrepro.config.loading import Experiment
from quadrepro.config.problems import Problems
from quadrepro.config.schema import Row
from quadrepro.config.seeds import generator
from quadrepro.data.schema import View
from quadrepro.data.store import Dataset, load_dataset, refuse_missing
from quadrepro.errors import ConfigError
from quadrepro.learners.base import Learner
from quadrepro.measures.registry import find_measure

SCHEMA_VERSION = 3
"""Raised when a record's fields or a cell's steps change their meaning."""


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment and the data they stand on.

    Attributes
    ----------
    experiment : Experiment
        What was asked for.
    datasets : dict of str to Dataset
        Data set of each row.
    cells : tuple of Cell
        All cells: data set by data set, repeat by repeat, algorithm by algorithm.
    """

    experiment: Experiment
    datasets: dict[str, Dataset]
    cells: tuple[Cell, ...]


def make_plan(experiment: Experiment, folder: Path | None = None) -> Plan:
    """Lay out the cells of an experiment.

    Parameters
    ----------
    experiment : Experiment
        What to compute.
    folder : Path, optional
        Folder of canonical CSV files to look in first.

    Returns
    -------
    Plan
        Every cell, with nothing computed yet.

    Raises
    ------
    DataError
        If data sets are missing (all of them are named) or are not what their cards say.
    ConfigError
        If a view does not fit its data, or a data set is too small for the folds.
    """
    rows = experiment.config.rows
    names = dict.fromkeys(row.entry.name for row in rows)
    refuse_missing(names, folder)
    loaded = {name: load_dataset(name, folder) for name in names}
    problems = Problems(loaded)
    cells: list[Cell] = []
    for row in rows:
        try:
            cells += _cells_of_row(experiment, row, problems)
        except ConfigError as error:
            raise experiment.error(str(error), *row.place) from None
    return Plan(experiment, {row.entry.title: loaded[row.entry.name] for row in rows}, tuple(cells))


def _cells_of_row(experiment: Experiment, row: Row, problems: Problems) -> Iterator[Cell]:
    config, title = experiment.config, row.entry.title
    protocol = row.entry.changed(config.protocol)
    alone = protocol.sample is not None and protocol.sample.for_each == "row"
    name = title if alone else row.entry.name
    view = experiment.views[title]
    entries = [entry.changed(row.entry.settings) for entry in config.algorithms]
    learners = {entry.name: _for_view(entry, view, title) for entry in entries}
    for repeat in range(config.repeats):
        draws = (config.seed, name, repeat)
        problem = problems(row.entry, protocol, view, draws)
        for entry in entries:
            learner = learners[entry.name]
            measures = entry.measures or protocol.measures
            of_entry = protocol.model_copy(update={"measures": measures})
            grids = entry.make_grids(generator(*draws, "values", entry.id), row.entry.grid)
            content = {
                "schema": SCHEMA_VERSION,
                "algorithm": type(learner).__name__,
                "version": learner.version,
                "settings": asdict(learner),
                "grid": grids[0].axes if len(grids) == 1 else [grid.axes for grid in grids],
                **problem.origin,
                "view": view.content(),
                "protocol": of_entry.content(),
            }
            versions = {name: find_measure(name).version for name in measures}
            if changed := {name: v for name, v in versions.items() if v > 1}:
                content["measures"] = changed
            content |= made_by(learner, measures)
            if protocol.holdout is not None and learner.takes_drawn_stumps:
                content["draws"] = (*draws, "stumps")
            elif protocol.draws_more or learner.draws:
                content["draws"] = draws
            yield Cell(title, entry.name, repeat, problem, draws, of_entry, learner, grids, content)


def _for_view(entry: AlgorithmEntry, view: View, title: str) -> Learner:
    """Return the learner for the task of the view, or raise ConfigError if there is none."""
    found = entry.make().for_task(view.task)
    if found is not None:
        return found
    if view.task == "classification":
        raise ConfigError(f"{title} has classes, but {entry.id} predicts a number")
    raise ConfigError(
        f"the view of {title} predicts a number, but {entry.id} tells two classes"
        " apart: give positive as at_most or at_least"
    )
