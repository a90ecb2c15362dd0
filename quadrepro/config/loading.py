"""Reading a config into a checked experiment.

The checks need no data; each raises a fault that names its place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from quadrepro.base.models import fault, faults_at, refuse_unknown, validated
from quadrepro.base.yaml import Place, YamlSource, read_yaml
from quadrepro.config.column import Column
from quadrepro.config.config import Config, Experiment
from quadrepro.config.datasets import Row
from quadrepro.core.measures.names import MEASURES
from quadrepro.core.metrics import fault_of_metric, find_metric
from quadrepro.core.protocol import Protocol
from quadrepro.core.training.grid import N_ROUNDS
from quadrepro.data.rules import rule_of
from quadrepro.errors import ConfigError, nearest, together

HELD_OUT_ROUNDS = "the validation error of the hold-out chooses n_rounds: leave it out of the grid"


def checked(experiment: Experiment) -> Experiment:
    """Return a config, or refuse it if its parts do not fit together or a name is unknown.

    The mistakes of a step are named together; a step needs what those before it have checked.
    """
    config, in_config = experiment.config, experiment.at()
    items = enumerate(config.datasets)
    rows = [Row(item, ("datasets", i), item.title, config.protocol) for i, item in items]
    kinds = ("algorithm", "metric", "row")
    checks: list[Callable[[], object]] = [
        *(partial(in_config(names_differ), config, kind) for kind in kinds),
        partial(in_config(headline_is_a_metric), config),
        partial(in_config(readings_are_of_data_sets), config),
        *(partial(row_fits_its_card, experiment, row) for row in rows),
    ]
    together([*checks, lambda: experiment.algorithms])
    changed = [row for row in config.rows if row.sweep or row.reading]
    together(partial(row_fits_its_card, experiment, row) for row in changed)
    with experiment.at():
        titles = enumerate(experiment.titles.values())
        _refuse_twice("title", ((title, ("algorithms", i, "label")) for i, title in titles))
        for i, name in enumerate(config.metrics):
            if message := fault_of_metric(name, experiment.tasks.values()):
                raise fault(message, "metrics", i)
    protocols = [(row.place, row.protocol) for row in config.rows if row.item.protocol]
    for place, protocol in [((), config.protocol), *protocols]:
        with experiment.at(*place, "protocol"):
            protocol_holds(experiment, protocol)
        for i, column in enumerate(experiment.algorithms):
            with experiment.at("algorithms", i):
                column_fits(column, protocol)
    together(partial(row_fits_the_columns, experiment, row) for row in config.rows)
    return experiment


def names_differ(config: Config, kind: str) -> None:
    """Refuse a name of an algorithm, a metric or a row that occurs twice."""
    names = config.metrics if kind == "metric" else [a.name for a in config.algorithms]
    places = [(name, (f"{kind}s", i)) for i, name in enumerate(names)]
    _refuse_twice(kind, ((r.title, r.place) for r in config.rows) if kind == "row" else places)


def _refuse_twice(kind: str, places: Iterable[tuple[str, Place]]) -> None:
    seen = set()
    for name, place in places:
        if name in seen:
            raise fault(f"duplicate {kind} {name!r}", *place)
        seen.add(name)


def headline_is_a_metric(config: Config) -> None:
    """Refuse a headline that is not listed under metrics."""
    if config.headline and config.headline not in config.metrics:
        hint = nearest(config.headline, config.metrics)
        raise fault(f"{config.headline!r} is not listed under metrics{hint}", "headline")


def readings_are_of_data_sets(config: Config) -> None:
    """Refuse readings in addition to sweeps, or of unknown data sets."""
    if config.readings and config.sweeps:
        raise fault("a config has either sweeps or readings", "readings")
    titles = [item.title for item in config.datasets]
    for i, reading in enumerate(config.readings):
        for j, title in enumerate(reading.rows):
            if title not in titles:
                message = f"unknown data set {title!r} here{nearest(title, titles)}"
                raise fault(message, "readings", i, "of", j)


def row_fits_its_card(experiment: Experiment, row: Row) -> None:
    """Refuse a row that does not fit the card of its data set, or the protocol of the config."""
    item, card = row.item, row.item.card
    with experiment.at(*row.place):
        if "view" in item.protocol:
            raise fault("the view of a row is set by its own key, view", "protocol", "view")
        protocol, view = row.protocol, row.view
        if (protocol.holdout is None) != (row.outer.holdout is None):
            raise fault("either all rows have a holdout or none", "protocol")
        for key, name in protocol.split.columns.items():
            place, lack = ("protocol", "split", key), f"{item.name} has no attribute"
            refuse_unknown(lack, name, card.attribute_names, *place)
        if view.sample_rows is not None and not protocol.split.draws_share:
            message = "rows that are drawn again for every repeat cannot be divided once for all"
            raise fault(f"{row.title}: {message}", "view", "sample_rows")
        if row.task == "regression":
            message = f"{row.title} predicts a number, so there are no classes"
            if protocol.split.stratify:
                raise fault(f"{message} to stratify by", "protocol", "split", "stratify")
            if protocol.noise is not None and protocol.noise.labels:
                raise fault(f"{message} to change", "protocol", "noise", "labels")
        metric = protocol.choose_by
        if metric != "error" and (message := fault_of_metric(metric, [row.task])):
            raise fault(message, "protocol", "choose_by")
        if protocol.sample is not None:
            try:
                rule_of(card, item.parameters)
            except ConfigError as error:
                raise fault(str(error), "parameters" if item.parameters else "name") from None
        elif item.parameters:
            raise fault("parameters are only used by a fresh sample: set sample", "parameters")


def protocol_holds(experiment: Experiment, protocol: Protocol) -> None:
    """Refuse votes over an estimator without outputs, and repeats other than the outer folds'."""
    with faults_at("voter_set"):
        experiment.voters(protocol)
    split, repeats = protocol.split, experiment.config.repeats
    if split.repeats not in (None, repeats):
        message = f"outer: {split.outer} makes {split.repeats} repeats, but {repeats} are asked for"
        raise fault(message, "split", "outer")


def column_fits(column: Column, protocol: Protocol) -> None:
    """Refuse a column that does not fit how candidates are chosen, or its own inputs."""
    learner, item = column.learner, column.item
    if column.draws_stumps(protocol):
        if not learner.takes_drawn_stumps:
            raise fault(f"{column.id} needs a voter matrix, but a hold-out draws stumps")
        if N_ROUNDS.name in column.searched:
            raise fault(HELD_OUT_ROUNDS, "grid", N_ROUNDS.name)
    need = find_metric(protocol.choose_by).needs
    n_candidates = math.prod(map(len, column.axes({}).values()))
    if need != "predictions" and not learner.gives(need) and (n_candidates > 1 or item.draw):
        message = f"{column.id} has no {need}, which choose_by: {protocol.choose_by} needs"
        raise fault(f"{message}: choose by another metric, or give one value each", item.key)
    if item.nominal != "categories" and not item.missing:
        return
    key = "missing" if item.missing else "nominal"
    if not learner.takes_raw:
        message = f"{column.id} takes numbers only, which the view makes: leave out {key}"
        raise fault(message, key)
    if protocol.inputs == "voters" or (protocol.noise and protocol.noise.attribute_changes):
        raise fault(f"{key} needs attributes as they are: leave it out", key)


def row_fits_the_columns(experiment: Experiment, row: Row) -> None:
    """Refuse a row with settings, values or measures that the columns do not allow."""
    with experiment.at(*row.place):
        names = {n for c in experiment.columns for n in c.source.names(c.item.settings)}
        for key in row.item.settings:
            refuse_unknown("no algorithm here has a setting", key, names, "settings")
        with faults_at("settings"):
            columns = experiment.columns_of(row)
        _check_values(experiment, row)
        for column in columns:
            _check_task(column, row)
    for i, column in enumerate(columns):
        changes_row = row.item.protocol or row.item.grid
        with experiment.at(*(row.place if changes_row else ("algorithms", i, "measures"))):
            _check_measures(column, row)


def _check_values(experiment: Experiment, row: Row) -> None:
    """Refuse values of a row that no algorithm has a hyper-parameter for, or that none takes."""
    is_drawn = any(c.draws_stumps(row.outer) for c in experiment.columns)
    hyperparameters = [h for c in experiment.columns for h in c.hyperparameters.values()]
    for key, axis in row.item.grid.items():
        with faults_at("grid", key):
            if key == N_ROUNDS.name and is_drawn:
                raise ValueError(HELD_OUT_ROUNDS)
            names = [h.name for h in hyperparameters]
            refuse_unknown("no algorithm here has a hyper-parameter", key, names)
            for hyperparameter in hyperparameters:
                if hyperparameter.name == key and (message := axis.fault(hyperparameter)):
                    raise ValueError(message)


def _check_task(column: Column, row: Row) -> None:
    """Refuse a target that the column cannot learn or measure."""
    measures = column.measures(row.protocol)
    number = f"the view of {row.title} predicts a number"
    if column.learner.for_task(row.task) is None:
        if row.task != "regression":
            raise fault(f"{row.title} has classes, but {column.id} predicts a number")
        raise fault(f"{number}, but {column.id} needs classes: give positive")
    if measures and row.task == "multiclass":
        classes = f"{row.title} has more than two classes, but {measures[0]} measures two"
        raise fault(f"{classes}: give positive in its view, or leave measures out")
    for_classes = [name for name in measures if not MEASURES.find(name).takes_numbers]
    if for_classes and row.task == "regression":
        others = " or ".join(name for name in MEASURES if MEASURES.find(name).takes_numbers)
        raise fault(f"{number}, but {for_classes[0]} measures classes: use {others}")


def _check_measures(column: Column, row: Row) -> None:
    """Refuse measures that the column does not have."""
    if column.item.measures and (row.protocol.folds or row.protocol.holdout):
        raise fault("measures are kept only if nothing is chosen: set folds to 0")
    axes = column.axes(row.item.grid)
    every = [*range(1, math.prod(map(len, axes.values())) + 1)]
    has_every = axes.get(N_ROUNDS.name) == every and not column.item.draw
    for name in column.measures(row.protocol):
        measure = MEASURES.find(name)
        if measure.needs == "voters" and not column.learner.gives_votes:
            need = f"which the measure {name} needs: give it others"
            raise fault(f"{column.id} has no voters, {need}")
        if measure.every_round and not has_every:
            advice = "give n_rounds as 1, 2, 3 ..., all else one value"
            raise fault(f"{name} needs every round: {advice}")


LONGEST_NAME = 60
"""Maximum number of characters of a title that name a folder."""


def load_experiment(path: Path, repeats: int | None = None) -> Experiment:
    """Read and check a config."""
    return checked(read_experiment(path.stem, read_yaml(path), repeats))


def load_mapping(config: Mapping[str, Any], repeats: int | None = None) -> Experiment:
    """Check a config that was not read from a file."""
    name = re.sub(r"[\W_]+", "-", str(config.get("title", "")).lower()).strip("-")
    source = YamlSource(Path("config"), _plain(config))
    return checked(read_experiment(name[:LONGEST_NAME] or "config", source, repeats))


def _plain(value: Any) -> Any:
    """Return lists and numbers in place of tuples, ranges, arrays and their numbers."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | range):
        return [*map(_plain, value)]
    return value.tolist() if hasattr(value, "tolist") else value


def read_experiment(name: str, source: YamlSource, repeats: int | None = None) -> Experiment:
    """Return a config whose parts are valid each; `checked` tells whether they fit together."""
    if repeats is not None and isinstance(source.data, dict):
        source = replace(source, data={**source.data, "repeats": repeats})
    config = validated(Config, source, context={"folder": source.path.parent})
    if "repeats" not in config.model_fields_set and (outer := config.protocol.split.repeats):
        config = config.model_copy(update={"repeats": outer})
    return Experiment(name, config, source)
