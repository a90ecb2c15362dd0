"""The examples of a cell: the rows of a data set or a fresh sample, divided by a split."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from quadrepro.config.cell import Draws, Problem
from quadrepro.config.dataset_entry import DatasetEntry
from quadrepro.config.protocol import Protocol, Sample
from quadrepro.config.seeds import generator
from quadrepro.config.splits import Split, deal_folds, holdout_split, random_split
from quadrepro.data.encoding import Encoded, encode
from quadrepro.data.schema import View
from quadrepro.data.sources.fresh import draw_fresh, rule_of
from quadrepro.data.store import Dataset
from quadrepro.errors import ConfigError

FEWEST_ROWS = 4
"""With fewer rows, none is left to validate or to test on."""


@dataclass(frozen=True)
class Problems:
    """Creates the problems of an experiment, and encodes each view of a data set only once.

    Attributes
    ----------
    datasets : mapping of str to Dataset
        The data sets by name.
    """

    datasets: Mapping[str, Dataset]
    _encoded: dict[tuple[str, str], Encoded] = field(default_factory=dict)

    def __call__(
        self, entry: DatasetEntry, protocol: Protocol, view: View, draws: Draws
    ) -> Problem:
        """Return the problem of one row and repeat.

        Parameters
        ----------
        entry : DatasetEntry
            The row.
        protocol : Protocol
            The protocol of the row.
        view : View
            The view of the row.
        draws : tuple of (int, str, int)
            Seed, data set and repeat.

        Returns
        -------
        Problem
            The same for the same arguments.

        Raises
        ------
        ConfigError
            If the view does not fit the data, or there are too few rows for a part.
        """
        dataset = self.datasets[entry.name]
        if protocol.sample is not None:
            return _fresh(dataset, entry, protocol.sample, protocol.folds, view, draws)
        key = entry.name, json.dumps(view.content(), sort_keys=True)
        if key not in self._encoded:
            self._encoded[key] = encode(dataset, view)
        examples = self._encoded[key]
        n_rows = len(examples.y)
        if view.sample_rows is None:
            split = _split(entry.title, n_rows, protocol, draws)
        else:
            if view.sample_rows > n_rows:
                raise ConfigError(
                    f"{entry.title} has {n_rows} rows: {view.sample_rows} cannot be drawn"
                )
            rows = generator(*draws, "rows").permutation(n_rows)[: view.sample_rows]
            split = _split(entry.title, view.sample_rows, protocol, draws).among(rows)
        origin = {"data": dataset.content_hash, "split": split.hash}
        return Problem(examples.X, examples.y, examples.missing, split, origin)


def _split(title: str, n_rows: int, protocol: Protocol, draws: Draws) -> Split:
    if protocol.holdout is None and n_rows < 2 * protocol.folds:
        raise ConfigError(f"{title} has {n_rows} rows: too few for {protocol.folds} folds")
    if n_rows < FEWEST_ROWS and protocol.split.train != "all":
        raise ConfigError(f"{title} has {n_rows} rows: too few to hold some out")
    n_train = protocol.split.training_size(n_rows)
    n_parts = 1 if protocol.holdout is None else 2
    if n_rows - n_train < n_parts and protocol.split.train != "all":
        raise ConfigError(
            f"{title} has {n_rows} rows, of which {n_train} are trained on: too few are left"
        )
    rng = generator(*draws, "split")
    if protocol.holdout is not None:
        return holdout_split(n_rows, n_train, rng)
    split = random_split(n_rows, n_train, protocol.folds, rng, generator(*draws, "folds"))
    return replace(split, test=split.train) if protocol.split.train == "all" else split


def _fresh(
    dataset: Dataset, entry: DatasetEntry, sample: Sample, folds: int, view: View, draws: Draws
) -> Problem:
    rule, parameters = rule_of(dataset.card, entry.parameters)
    drawn = draw_fresh(rule, parameters, sample.sizes, generator(*draws, "sample"))
    train, valid, test = np.split(np.arange(sum(sample.sizes)), np.cumsum(sample.sizes)[:-1])
    split = (
        Split(train, test, np.empty(0, dtype=np.intp), valid)
        if sample.valid
        else Split(train, test, deal_folds(sample.train, folds, generator(*draws, "folds")))
    )
    examples = encode(replace(dataset, table=drawn.table), view)
    if len(examples.y) != sum(sample.sizes) or view.sample_rows is not None:
        raise ConfigError(f"the view of {entry.title} leaves out rows, so it cannot be sampled")
    origin = {"rule": rule, "parameters": parameters}
    return Problem(examples.X, examples.y, examples.missing, split, origin, drawn.truth)
