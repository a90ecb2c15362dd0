"""From an experiment to its cells.

A plan knows the data, for splits are indices and a cell's key covers what it was computed from. A
cell is all that a worker gets; it names no file and no place in a table decides what it computes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from quadrepro.config.algorithm_entry import AlgorithmEntry
from quadrepro.config.loading import Experiment
from quadrepro.config.problems import Draws, Problem, Problems
from quadrepro.config.protocol import Protocol
from quadrepro.config.schema import Row
from quadrepro.config.seeds import generator
from quadrepro.data.schema import View
from quadrepro.data.store import Dataset, load_dataset, refuse_missing
from quadrepro.errors import ConfigError
from quadrepro.learners.base import Algorithm, Learner
from quadrepro.learners.grid import Grid
from quadrepro.learners.predictor import Predictor

SCHEMA_VERSION = 1
"""Raised when a record's fields or a cell's steps change their meaning."""


@dataclass(frozen=True)
class Cell:
    """One data set, one algorithm, one repeat.

    Attributes
    ----------
    dataset, algorithm : str
        Row and column of the table.
    repeat : int
        From 0.
    problem : Problem
        The examples and their split.
    draws : tuple of int and str
        Begin the names of the split's draws, for `quadrepro.config.seeds.generator`.
    protocol : Protocol
        What is done to the examples.
    learner : Learner
        The algorithm with its settings.
    grids : tuple of Grid
        The candidates.
    content : dict
        All that the result depends on, by content.
    """

    dataset: str
    algorithm: str
    repeat: int
    problem: Problem = field(repr=False)
    draws: Draws
    protocol: Protocol
    learner: Learner
    grids: tuple[Grid, ...]
    content: dict[str, Any] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """Hash of the content: what a record is kept under."""
        text = json.dumps(self.content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def seconds(self) -> float:
        """Return a rough estimate of the cell's running time on one core."""
        m, d = len(self.problem.split.train), self.problem.examples.X.shape[1]
        n_fits = self.protocol.folds + 1
        if isinstance(self.learner, Predictor):
            return sum(self.learner.seconds(m, d, n_fits, grid) for grid in self.grids)
        if self.protocol.holdout is not None:
            n_values = sum(len(grid.candidates) for grid in self.grids)
            n_rounds = 4 * self.protocol.holdout.patience
            return n_rounds * (3e-4 + n_values * (1e-4 + 2e-8 * len(self.problem.examples.y)))
        assert isinstance(self.learner, Algorithm)
        # Evenly spaced thresholds fall together on real data: about half the voters are distinct.
        n_voters = self.protocol.voters or max(1, d * self.protocol.stumps_per_attribute // 2)
        return 0.05 + sum(self.learner.seconds(m, n_voters, n_fits, grid) for grid in self.grids)


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
    config, title, name = experiment.config, row.entry.title, row.entry.name
    protocol = row.entry.changed(config.protocol)
    view = experiment.views[title]
    learners = {entry.name: _for_view(entry, view, title) for entry in config.algorithms}
    for repeat in range(config.repeats):
        draws = (config.seed, name, repeat)
        problem = problems(row.entry, protocol, view, draws)
        for entry in config.algorithms:
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
            if protocol.holdout is not None and not isinstance(learner, Predictor):
                content["draws"] = (*draws, "stumps")
            elif protocol.draws_more or isinstance(learner, Predictor):
                content["draws"] = draws
            yield Cell(
                title,
                entry.name,
                repeat,
                problem,
                draws,
                of_entry,
                learner,
                grids,
                content,
            )


def _for_view(entry: AlgorithmEntry, view: View, title: str) -> Learner:
    """Return the learner for the view's task, or raise ConfigError if it is not one of its own."""
    found = entry.make().for_task(view.task)
    if found is not None:
        return found
    if view.task == "classification":
        raise ConfigError(f"{title} has classes, and {entry.id} predicts a number")
    raise ConfigError(
        f"the view of {title} predicts a number, and {entry.id} tells two classes"
        " apart: give positive as at_most or at_least"
    )
