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

from quadrepro.boosting.base import Algorithm
from quadrepro.boosting.grid import Grid
from quadrepro.data.encoding import Encoded, encode
from quadrepro.data.store import Dataset, load_dataset, refuse_missing
from quadrepro.errors import ConfigError
from quadrepro.experiment.config import DatasetEntry
from quadrepro.experiment.loading import Experiment
from quadrepro.experiment.protocol import Protocol
from quadrepro.experiment.seeds import generator
from quadrepro.experiment.splits import Split, holdout_split, random_split

FEWEST_ROWS = 4
"""Below this there is no example left to validate or to test on."""

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
    examples : Encoded
        The data set in its view.
    split : Split
        Training rows with folds, test rows.
    draws : tuple of int and str
        The names of the cell's random draws, for `quadrepro.experiment.seeds.generator`.
    protocol : Protocol
        What is done to the examples.
    learner : Algorithm
        The algorithm with its settings.
    grid : Grid
        The candidates.
    content : dict
        All that the result depends on, by content.
    """

    dataset: str
    algorithm: str
    repeat: int
    examples: Encoded = field(repr=False)
    split: Split = field(repr=False)
    draws: tuple[int, str, int, str]
    protocol: Protocol
    learner: Algorithm
    grid: Grid
    content: dict[str, Any] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """Hash of the content: what a record is kept under."""
        text = json.dumps(self.content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def seconds(self) -> float:
        """Return a rough estimate of the cell's running time on one core."""
        m, d = len(self.split.train), self.examples.X.shape[1]
        if self.protocol.holdout is not None:
            n_values = len(self.grid.candidates)
            n_rounds = 4 * self.protocol.holdout.patience
            return n_rounds * (3e-4 + n_values * (1e-4 + 2e-8 * len(self.examples.y)))
        # Evenly spaced thresholds fall together on real data: about half the voters are distinct.
        n_voters = max(1, d * self.protocol.stumps_per_attribute // 2)
        return 0.05 + self.learner.seconds(m, n_voters, self.protocol.folds + 1, self.grid)


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
    entries = experiment.config.datasets
    refuse_missing(dict.fromkeys(e.name for e in entries), folder)
    loaded = {name: load_dataset(name, folder) for name in dict.fromkeys(e.name for e in entries)}
    datasets = {e.title: loaded[e.name] for e in entries}
    cells: list[Cell] = []
    for i, (entry, dataset) in enumerate(zip(entries, datasets.values(), strict=True)):
        try:
            cells += _cells_of_row(experiment, entry, dataset)
        except ConfigError as error:
            raise experiment.error(str(error), "datasets", i) from None
    return Plan(experiment, datasets, tuple(cells))


def _cells_of_row(experiment: Experiment, place: DatasetEntry, dataset: Dataset) -> Iterator[Cell]:
    config, row = experiment.config, place.title
    protocol = place.changed(config.protocol)
    view = experiment.views[row]
    if view.task != "classification":
        raise ConfigError(
            f"the view of {row} predicts a number, and these algorithms tell two classes apart:"
            " give positive as at_most or at_least"
        )
    examples = encode(dataset, view)
    if protocol.holdout is None and len(examples.y) < 2 * protocol.folds:
        raise ConfigError(f"{row} has {len(examples.y)} rows: too few for {protocol.folds} folds")
    if len(examples.y) < FEWEST_ROWS:
        raise ConfigError(f"{row} has {len(examples.y)} rows: too few for a hold-out")
    for repeat in range(config.repeats):
        name = dataset.card.name
        rng = generator(config.seed, name, repeat, "split")
        split = (
            random_split(
                len(examples.y),
                protocol.split.at_most,
                protocol.folds,
                rng,
                generator(config.seed, name, repeat, "folds"),
            )
            if protocol.holdout is None
            else holdout_split(len(examples.y), protocol.split.at_most, rng)
        )
        draws = (config.seed, name, repeat, "stumps")
        for entry in config.algorithms:
            learner, grid = entry.make(), entry.make_grid()
            content = {
                "schema": SCHEMA_VERSION,
                "algorithm": type(learner).__name__,
                "version": learner.version,
                "settings": asdict(learner),
                "grid": grid.axes,
                "data": dataset.content_hash,
                "view": view.content(),
                "protocol": protocol.model_dump(exclude={"view"}, exclude_none=True, mode="json"),
                "split": split.hash,
            }
            if protocol.holdout is not None:
                content["draws"] = draws
            yield Cell(
                row, entry.name, repeat, examples, split, draws, protocol, learner, grid, content
            )
