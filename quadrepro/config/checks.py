"""The checks of a config that need no data; each raises a ConfigError that names its place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from quadrepro.base.models import fault
from quadrepro.base.yaml import Place
from quadrepro.config.algorithms import Column
from quadrepro.config.axis import Axis
from quadrepro.config.datasets import DatasetEntry
from quadrepro.core.learners.grid import N_ROUNDS
from quadrepro.core.protocol import Protocol, SplitRule
from quadrepro.data.card import load_card
from quadrepro.data.rules import rule_of
from quadrepro.data.schema import View
from quadrepro.errors import ConfigError, nearest, together

if TYPE_CHECKING:
    from quadrepro.config.config import Experiment

MAX_CELLS = 100_000
"""Maximum number of cells of an experiment."""


def check(experiment: Experiment) -> None:
    """Refuse a config whose parts do not fit together, or that names what there is not."""
    with experiment.at():
        names_differ(experiment)
        readings_are_of_data_sets(experiment)
        together((lambda: rows_fit_their_cards(experiment), lambda: experiment.algorithms))
        rows_differ(experiment)
        cells_are_not_too_many(experiment)
        columns_fit_the_protocol(experiment)
        voters_are_transformers(experiment)
        titles_differ(experiment)
        repeats_are_those_of_outer_folds(experiment)
        rows_have_known_settings(experiment)
        rows_have_known_values(experiment)
        rows_can_be_measured(experiment)


def names_differ(experiment: Experiment) -> None:
    """Refuse a name that occurs twice."""
    config = experiment.config
    _refuse_twice("data set", "datasets", [d.title for d in config.datasets])
    _refuse_twice("algorithm", "algorithms", [a.name for a in config.algorithms])
    _refuse_twice("reading", "readings", [r.name for r in config.readings])
    _refuse_twice("metric", "metrics", config.metrics)


def _refuse_twice(what: str, key: str, names: Sequence[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise fault(f"duplicate {what} {name!r}", key, i)


def readings_are_of_data_sets(experiment: Experiment) -> None:
    """Refuse readings beside sweeps, or of unknown data sets."""
    config = experiment.config
    if config.readings and config.sweeps:
        raise fault("a config has either sweeps or readings", "readings")
    titles = [entry.title for entry in config.datasets]
    for i, reading in enumerate(config.readings):
        for j, title in enumerate(reading.of):
            if title not in titles:
                message = f"unknown data set {title!r} here{nearest(title, titles)}"
                raise fault(message, "readings", i, "of", j)


def rows_fit_their_cards(experiment: Experiment) -> None:
    """Refuse rows that do not fit the cards of their data sets, or the protocol of the config."""
    config = experiment.config
    together(
        partial(_check_row, experiment, ("datasets", i), entry)
        for i, entry in enumerate(config.datasets)
    )
    with experiment.at():
        rows = [row for row in config.rows if row.place[0] != "datasets"]
    for row in rows:
        _check_row(experiment, row.place, row.entry)


def _check_row(experiment: Experiment, place: tuple[str | int, ...], entry: DatasetEntry) -> None:
    with experiment.at(*place):
        protocol = experiment.config.protocol
        if "view" in entry.protocol:
            raise fault("the view of a row is set by its own key, view", "protocol", "view")
        changed, view = entry.changed(protocol), entry.resolve(protocol.view)
        _check_split(entry, changed.split, view)
        if (changed.holdout is None) != (protocol.holdout is None):
            raise fault("either all rows have a holdout or none", "protocol")
        predicts_number = not load_card(entry.name).classes_of(view)
        if changed.noise is not None and changed.noise.labels and predicts_number:
            message = f"{entry.title} predicts a number, so it has no labels to change"
            raise fault(message, "protocol", "noise", "labels")
        _check_parameters(entry, changed)


def _check_split(entry: DatasetEntry, rule: SplitRule, view: View) -> None:
    """Refuse a split by what the card or the view of a row does not have."""
    card, place = load_card(entry.name), ("protocol", "split")
    for key, name in rule.columns:
        if name not in card.attribute_names:
            hint = nearest(name, card.attribute_names)
            raise fault(f"{entry.name} has no attribute {name!r}{hint}", *place, key)
    if rule.stratify and not card.classes_of(view):
        message = f"{entry.title} predicts a number, so there are no classes to stratify by"
        raise fault(message, *place, "stratify")
    if view.sample_rows is not None and not rule.draws_share:
        message = "rows that are drawn again for every repeat cannot be divided once for all"
        raise fault(f"{entry.title}: {message}", "view", "sample_rows")


def _check_parameters(entry: DatasetEntry, protocol: Protocol) -> None:
    """Refuse parameters that the rule of a fresh sample does not have."""
    if protocol.sample is not None:
        try:
            rule_of(load_card(entry.name), entry.parameters)
        except ConfigError as error:
            raise fault(str(error), "parameters" if entry.parameters else "name") from None
    elif entry.parameters:
        raise fault("parameters are only used by a fresh sample: set sample", "parameters")


def rows_differ(experiment: Experiment) -> None:
    """Refuse two rows of the same name."""
    titles: set[str] = set()
    for row in experiment.config.rows:
        if row.entry.title in titles:
            raise fault(f"duplicate row {row.entry.title!r}", *row.place)
        titles.add(row.entry.title)


def cells_are_not_too_many(experiment: Experiment) -> None:
    """Refuse more cells than tables and plans are made for."""
    config = experiment.config
    n_rows, n_columns = len(config.rows), len(experiment.columns)
    n_cells = n_rows * n_columns * config.repeats
    if n_cells > MAX_CELLS:
        message = (
            f"{n_rows} rows, {n_columns} algorithms and {config.repeats} repeats make"
            f" {n_cells:,} cells: at most {MAX_CELLS:,}"
        )
        raise fault(message, "repeats")


def columns_fit_the_protocol(experiment: Experiment) -> None:
    """Refuse columns that do not fit how candidates are chosen."""
    protocol = experiment.config.protocol
    for i, column in enumerate(experiment.columns):
        with experiment.at("algorithms", i):
            if column.draws_stumps(protocol):
                if not column.learner.takes_drawn_stumps:
                    raise fault(f"{column.id} needs a voter matrix, but a hold-out draws stumps")
                if N_ROUNDS.name in column.entry.searched:
                    raise fault("the validation error chooses the rounds", "grid", N_ROUNDS.name)
            if column.entry.nominal == "categories" or column.entry.missing:
                _check_raw(column, protocol)


def _check_raw(column: Column, protocol: Protocol) -> None:
    """Refuse categories and missing values where a number stands for each of them."""
    key = "missing" if column.entry.missing else "nominal"
    if not column.learner.takes_raw:
        message = f"{column.id} takes numbers only, which the view makes: leave out {key}"
        raise fault(message, key)
    if protocol.inputs == "voters":
        raise fault(f"the inputs are voters, so {key} has no effect", key)
    if protocol.noise is not None and protocol.noise.of_attributes:
        raise fault(f"noise is added to numbers only: leave out {key}", key)


def voters_are_transformers(experiment: Experiment) -> None:
    """Refuse votes over what is not a transformer."""
    for row in experiment.config.rows:
        protocol = experiment.protocols[row.entry.title]
        own = protocol.voter_set != experiment.config.protocol.voter_set
        try:
            experiment.voters(protocol)
        except (KeyError, ValueError) as error:
            place = row.place if own else ()
            raise fault(error.args[0], *place, "protocol", "voter_set") from None


def titles_differ(experiment: Experiment) -> None:
    """Refuse two columns that tables would call the same."""
    first: dict[str, str] = {}
    algorithms = experiment.config.algorithms
    for i, (name, title) in enumerate(experiment.titles.items()):
        if title in first:
            message = (
                f"tables would call the columns {first[title]!r} and {name!r} both {title!r}:"
                " give one of them another label"
            )
            if i == len(algorithms):
                raise fault(f"{message}, or set baseline: false", "algorithms")
            raise fault(message, "algorithms", i, *(["label"] if algorithms[i].label else []))
        first[title] = name


def repeats_are_those_of_outer_folds(experiment: Experiment) -> None:
    """Refuse a number of repeats that outer folds do not make."""
    config = experiment.config
    for row in config.rows:
        split = experiment.protocols[row.entry.title].split
        if split.repeats not in (None, config.repeats):
            own = split != config.protocol.split
            message = (
                f"outer: {split.outer} makes {split.repeats} repeats, but {config.repeats} are"
                " asked for"
            )
            raise fault(message, *((*row.place, "protocol") if own else ("repeats",)))


def rows_have_known_settings(experiment: Experiment) -> None:
    """Refuse settings of rows that no algorithm has, or takes."""
    columns = experiment.columns
    known = {key for column in columns for key in column.source.names(column.entry.settings)}
    for row in experiment.config.rows:
        place = (*row.place, "settings")
        for key in row.entry.settings:
            if key not in known:
                hint = nearest(key, known)
                raise fault(f"no algorithm here has a setting {key!r}{hint}", *place)
        with experiment.at(*place):
            experiment.columns_of(row)


def rows_have_known_values(experiment: Experiment) -> None:
    """Refuse values of rows that no algorithm has a hyper-parameter for, or that none takes."""
    for row in experiment.config.rows:
        for key, axis in row.entry.grid.items():
            if wrong := _fault_of_axis(experiment, key, axis):
                raise fault(wrong, *row.place, "grid", key)


def _fault_of_axis(experiment: Experiment, key: str, axis: Axis) -> str | None:
    columns = experiment.columns
    if key == N_ROUNDS.name and any(c.draws_stumps(experiment.config.protocol) for c in columns):
        return "the validation error chooses the rounds"
    known = [{h.name: h for h in column.learner.hyperparameters} for column in columns]
    meant = [of_algorithm[key] for of_algorithm in known if key in of_algorithm]
    if not meant:
        hint = nearest(key, itertools.chain.from_iterable(known))
        return f"no algorithm here has a hyper-parameter {key!r}{hint}"
    return next((wrong for h in meant if (wrong := h.fault(axis.resolve(h.kind)))), None)


def rows_can_be_measured(experiment: Experiment) -> None:
    """Refuse measures that the candidates of a row or column do not allow."""
    for row in experiment.config.rows:
        protocol, own = experiment.protocols[row.entry.title], row.entry.protocol or row.entry.grid
        for i, column in enumerate(experiment.columns_of(row)):
            if wrong := column.fault_of_measures(protocol, row.entry.grid):
                key = ["measures"] if column.entry.measures else []
                place: Place = row.place if own else ("algorithms", i, *key)
                raise fault(wrong, *place)
