"""The checks of a config that need no data; each raises a fault that names its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from quadrepro.base.models import fault, faults_at
from quadrepro.base.yaml import Place
from quadrepro.config.column import Column
from quadrepro.config.config import Config, Experiment
from quadrepro.config.datasets import DatasetEntry, Row
from quadrepro.core.metrics import fault_of_metric, find_metric
from quadrepro.core.protocol import Protocol, SplitRule
from quadrepro.core.training.grid import N_ROUNDS
from quadrepro.data.rules import rule_of
from quadrepro.data.schema import View
from quadrepro.errors import ConfigError, nearest, together

MAX_CELLS = 100_000
"""Maximum number of cells of an experiment."""


def check(experiment: Experiment) -> None:
    """Refuse a config whose parts do not fit together, or that names something unknown."""
    config = experiment.config
    with experiment.at():
        names_differ(config)
        headline_is_a_metric(config)
        readings_are_of_data_sets(config)
        entries = [Row(e, ("datasets", i), e.title) for i, e in enumerate(config.datasets)]
        tries: list[Callable[[], object]] = [
            *(partial(row_fits_its_card, experiment, row) for row in entries),
            lambda: experiment.algorithms,
        ]
        together(tries)
        for row in config.rows:
            if row.sweep or row.reading:
                row_fits_its_card(experiment, row)
        titles_differ(experiment)
        metrics_judge(experiment)
        for place, protocol in _protocols(experiment):
            with experiment.at(*place, "protocol"):
                protocol_holds(experiment, protocol)
            for i, column in enumerate(experiment.algorithms):
                with experiment.at("algorithms", i):
                    column_fits(column, protocol)
        for row in config.rows:
            row_fits_the_columns(experiment, row)


def names_differ(config: Config) -> None:
    """Refuse a name that occurs twice."""
    algorithms = ((a.name, ("algorithms", i)) for i, a in enumerate(config.algorithms))
    _refuse_twice("algorithm", algorithms)
    _refuse_twice("metric", ((name, ("metrics", i)) for i, name in enumerate(config.metrics)))
    _refuse_twice("row", ((row.entry.title, row.place) for row in config.rows))


def headline_is_a_metric(config: Config) -> None:
    """Refuse a headline that is not listed under metrics."""
    if config.headline and config.headline not in config.metrics:
        hint = nearest(config.headline, config.metrics)
        raise fault(f"{config.headline!r} is not listed under metrics{hint}", "headline")


def metrics_judge(experiment: Experiment) -> None:
    """Refuse a metric that judges no row."""
    for i, name in enumerate(experiment.config.metrics):
        if wrong := fault_of_metric(name, experiment.tasks.values()):
            raise fault(wrong, "metrics", i)


def _refuse_twice(what: str, places: Iterable[tuple[str, Place]]) -> None:
    seen = set()
    for name, place in places:
        if name in seen:
            raise fault(f"duplicate {what} {name!r}", *place)
        seen.add(name)


def readings_are_of_data_sets(config: Config) -> None:
    """Refuse readings beside sweeps, or of unknown data sets."""
    if config.readings and config.sweeps:
        raise fault("a config has either sweeps or readings", "readings")
    titles = [entry.title for entry in config.datasets]
    for i, reading in enumerate(config.readings):
        for j, title in enumerate(reading.of):
            if title not in titles:
                message = f"unknown data set {title!r} here{nearest(title, titles)}"
                raise fault(message, "readings", i, "of", j)


def row_fits_its_card(experiment: Experiment, row: Row) -> None:
    """Refuse a row that does not fit the card of its data set, or the protocol of the config."""
    entry, protocol = row.entry, experiment.config.protocol
    with experiment.at(*row.place):
        if "view" in entry.protocol:
            raise fault("the view of a row is set by its own key, view", "protocol", "view")
        changed, view = entry.changed(protocol), entry.resolve(protocol.view)
        if (changed.holdout is None) != (protocol.holdout is None):
            raise fault("either all rows have a holdout or none", "protocol")
        _check_attributes(entry, changed.split, view)
        stratified, noise = changed.split.stratify, changed.noise
        if not entry.card.classes_of(view):
            message = f"{entry.title} predicts a number, so there are no classes"
            if stratified:
                raise fault(f"{message} to stratify by", "protocol", "split", "stratify")
            if noise is not None and noise.labels:
                raise fault(f"{message} to change", "protocol", "noise", "labels")
        by, task = changed.choose_by, entry.card.task_of(view)
        if by != "error" and (wrong := fault_of_metric(by, [task])):
            raise fault(wrong, "protocol", "choose_by")
        if changed.sample is None and entry.parameters:
            raise fault("parameters are only used by a fresh sample: set sample", "parameters")
        if changed.sample is not None:
            try:
                rule_of(entry.card, entry.parameters)
            except ConfigError as error:
                raise fault(str(error), "parameters" if entry.parameters else "name") from None


def _check_attributes(entry: DatasetEntry, rule: SplitRule, view: View) -> None:
    """Refuse a split by an unknown attribute, or of rows that are drawn again."""
    known = entry.card.attribute_names
    for key, name in rule.columns.items():
        if name not in known:
            message = f"{entry.name} has no attribute {name!r}{nearest(name, known)}"
            raise fault(message, "protocol", "split", key)
    if view.sample_rows is not None and not rule.draws_share:
        message = "rows that are drawn again for every repeat cannot be divided once for all"
        raise fault(f"{entry.title}: {message}", "view", "sample_rows")


def _protocols(experiment: Experiment) -> Iterator[tuple[Place, Protocol]]:
    """Yield the protocol of the config and those of rows that change it, with their places."""
    yield (), experiment.config.protocol
    for row in experiment.config.rows:
        if row.entry.protocol:
            yield row.place, experiment.protocols[row.entry.title]


def protocol_holds(experiment: Experiment, protocol: Protocol) -> None:
    """Refuse votes over what is not a transformer, and repeats that outer folds do not make."""
    with faults_at("voter_set"):
        experiment.voters(protocol)
    split, repeats = protocol.split, experiment.config.repeats
    if split.repeats not in (None, repeats):
        message = f"outer: {split.outer} makes {split.repeats} repeats, but {repeats} are asked for"
        raise fault(message, "split", "outer")


def column_fits(column: Column, protocol: Protocol) -> None:
    """Refuse a column that does not fit how candidates are chosen, or what it is given."""
    learner, entry = column.learner, column.entry
    if column.draws_stumps(protocol):
        if not learner.takes_drawn_stumps:
            raise fault(f"{column.id} needs a voter matrix, but a hold-out draws stumps")
        if N_ROUNDS.name in column.searched:
            raise fault("the validation error chooses the rounds", "grid", N_ROUNDS.name)
    need = find_metric(protocol.choose_by).needs
    n_candidates = math.prod(map(len, column.axes({}).values()))
    if need != "predictions" and not learner.gives(need) and (n_candidates > 1 or entry.draw):
        message = f"{column.id} has no {need}, which choose_by: {protocol.choose_by} needs"
        raise fault(f"{message}: choose by another metric, or give one value each", entry.key)
    if entry.nominal != "categories" and not entry.missing:
        return
    key = "missing" if entry.missing else "nominal"
    if not learner.takes_raw:
        message = f"{column.id} takes numbers only, which the view makes: leave out {key}"
        raise fault(message, key)
    if protocol.inputs == "voters" or (protocol.noise and protocol.noise.of_attributes):
        raise fault(f"{key} needs attributes as they are: leave it out", key)


def titles_differ(experiment: Experiment) -> None:
    """Refuse two columns that tables would call the same."""
    titles = enumerate(experiment.titles.values())
    _refuse_twice("title", ((title, ("algorithms", i, "label")) for i, title in titles))


def row_fits_the_columns(experiment: Experiment, row: Row) -> None:
    """Refuse a row with settings, values or measures that the columns do not allow."""
    title, grid = row.entry.title, row.entry.grid
    protocol, task = experiment.protocols[title], experiment.tasks[title]
    with experiment.at(*row.place):
        columns = _columns_of(experiment, row)
        _check_values(experiment, row)
        for column in columns:
            if wrong := column.fault_of_task(title, task, protocol):
                raise fault(wrong)
    for i, column in enumerate(columns):
        if wrong := column.fault_of_measures(protocol, grid):
            own = row.entry.protocol or grid
            raise fault(wrong, *(row.place if own else ("algorithms", i, "measures")))


def _columns_of(experiment: Experiment, row: Row) -> list[Column]:
    """Return the columns with the settings of a row; refuse settings that none has, or takes."""
    for key in row.entry.settings:
        names = (column.source.names(column.entry.settings) for column in experiment.columns)
        if key not in (known := {*chain.from_iterable(names)}):
            raise fault(f"no algorithm here has a setting {key!r}{nearest(key, known)}", "settings")
    with experiment.at(*row.place, "settings"):
        return experiment.columns_of(row)


def _check_values(experiment: Experiment, row: Row) -> None:
    """Refuse values of a row that no algorithm has a hyper-parameter for, or that none takes."""
    drawn = any(c.draws_stumps(experiment.config.protocol) for c in experiment.columns)
    for key, axis in row.entry.grid.items():
        known = [h for column in experiment.columns for h in column.hyperparameters]
        with faults_at("grid", key):
            if key == N_ROUNDS.name and drawn:
                raise ValueError("the validation error chooses the rounds")
            if not (meant := [h for h in known if h.name == key]):
                hint = nearest(key, [h.name for h in known])
                raise ValueError(f"no algorithm here has a hyper-parameter {key!r}{hint}")
            if wrong := next(filter(None, map(axis.fault, meant)), None):
                raise ValueError(wrong)
