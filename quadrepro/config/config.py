"""Configs: what a user writes, and the experiment that it describes."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    ByteSize,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from quadrepro.base.models import Model, fault, nested_fault, validated
from quadrepro.base.types import Task
from quadrepro.base.yaml import MappingSource, Mark, Place, YamlSource, is_utf8, read_yaml
from quadrepro.config.algorithms import AlgorithmEntry, voters_label
from quadrepro.config.axis import Axis, Scalar
from quadrepro.config.datasets import Absent, DatasetEntry, Reading, Row, Sweep
from quadrepro.config.tables import AskedField, RequestedTables
from quadrepro.core.learners.grid import N_ROUNDS
from quadrepro.core.learners.registry import BASELINE
from quadrepro.core.protocol import MOST_REPEATS, Protocol, SplitRule
from quadrepro.data.card import load_card
from quadrepro.data.schema import View
from quadrepro.engine.metrics import find_metric
from quadrepro.errors import ConfigError, nearest

if TYPE_CHECKING:
    from quadrepro.core.learners.contestants.predictor import EstimatorPredictor
    from quadrepro.papers.paper import Paper

MAX_ROWS = 2_000
"""Maximum number of rows of a table."""

MAX_CELLS = 100_000
"""Maximum number of cells of an experiment."""


def _named(data: Any) -> Any:
    return {"name": data} if isinstance(data, str) else data


class Config(Model):
    """A whole config."""

    title: str
    """Title of tables and pages."""
    paper: str = ""
    """The paper whose printed numbers are compared with ours: the name of one that ships, or the
    path of a folder. By default, there is none."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """Seed of all random draws."""
    repeats: int = Field(default=1, ge=1, le=MOST_REPEATS)
    """The number of random splits; by default the number that the protocol's `outer` makes."""
    protocol: Protocol
    """How data are split and prepared, and how candidates are chosen."""
    datasets: tuple[
        Annotated[DatasetEntry, BeforeValidator(_named, json_schema_input_type=str | DatasetEntry)],
        ...,
    ] = Field(min_length=1)
    """The rows of the tables. A name alone can stand for an entry."""
    absent: tuple[Absent, ...] = ()
    """Data sets of the paper that cannot be had."""
    sweeps: tuple[Sweep, ...] = ()
    """Fields that take several values; each data set becomes a row for each of them."""
    readings: tuple[Reading, ...] = ()
    """Other readings of the protocol; each data set becomes a row for each of them as well."""
    algorithms: tuple[
        Annotated[
            AlgorithmEntry, BeforeValidator(_named, json_schema_input_type=str | AlgorithmEntry)
        ],
        ...,
    ] = Field(min_length=1)
    """The columns of the tables. A name alone can stand for an entry."""
    metrics: tuple[str, ...] = ()
    """Names of metrics, see `quadrepro.engine.metrics`, each with tables of its own. No result
    depends on them."""
    baseline: bool | None = None
    """Whether the baseline has a column. By default, it has one if there is no paper, unless all
    candidates are measured."""
    tables: AskedField = Field(default_factory=RequestedTables)
    """The tables and figures to write, by kind."""
    notes: tuple[str, ...] = ()
    """Notes below every table."""
    timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """The seconds that a cell may take. No result depends on it."""
    memory: ByteSize | None = Field(default=None, gt=0)
    """The memory that a cell may take, such as ``4GB``. No result depends on it."""

    _folder: str = PrivateAttr(default="")

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows: the data sets, each with its readings or with every value of each sweep."""
        if not self.sweeps:
            return tuple(
                row
                for i, entry in enumerate(self.datasets)
                for row in (Row(entry, ("datasets", i), entry.title), *self._readings_of(entry))
            )
        return tuple(
            _swept(sweep, entry, value, ("sweeps", j, "values", k))
            for j, sweep in enumerate(self.sweeps)
            for entry in self.datasets
            for k, value in enumerate(sweep.values)
        )

    def _readings_of(self, entry: DatasetEntry) -> Iterator[Row]:
        for i, reading in enumerate(self.readings):
            if not reading.of or entry.title in reading.of:
                place = ("readings", i)
                with _faults_at(*place):
                    changed = reading.apply(entry)
                yield Row(changed, place, entry.title, reading=reading.name)

    @cached_property
    def own_rows(self) -> frozenset[str]:
        """The rows that tests over data sets compare: those as the config has them, by title.

        Other readings of a data set, and other values of a sweep, are no further data sets. Where
        no value of a sweep is the one that the config has without it, there is no such row.
        """
        found: dict[str, str] = {}
        for row in self.rows:
            if not row.reading and (not row.sweep or self._is_unchanged(row)):
                found.setdefault(row.of, row.entry.title)
        return frozenset(found.values())

    def _is_unchanged(self, row: Row) -> bool:
        """Return whether a sweep's value is what the config has without the sweep."""
        entry = next(entry for entry in self.datasets if entry.title == row.of)
        return (
            row.entry.changed(self.protocol) == entry.changed(self.protocol)
            and row.entry.grid == entry.grid
            and row.entry.parameters == entry.parameters
        )

    @property
    def entries(self) -> tuple[DatasetEntry, ...]:
        """The data set's entry of every row."""
        return tuple(row.entry for row in self.rows)

    @cached_property
    def views(self) -> dict[str, View]:
        """The view of each row, by the title of the row."""
        return {
            entry.title: entry.changed(self.protocol).split.without_columns(
                entry.resolve(self.protocol.view)
            )
            for entry in self.entries
        }

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """What is predicted in each row, by the title of the row."""
        views = self.views
        return {e.title: load_card(e.name).task_of(views[e.title]) for e in self.entries}

    @cached_property
    def columns(self) -> tuple[AlgorithmEntry, ...]:
        """All columns: the algorithms, and the baseline last."""
        if not self._adds_baseline:
            return self.algorithms
        numbers = {task == "regression" for task in self.tasks.values()}
        parts = {
            False: ("class prior", "the most frequent class of the training examples"),
            True: ("mean", "the mean of the training targets"),
        }
        label, what = (" or ".join(parts[k][i] for k in parts if k in numbers) for i in (0, 1))
        note = f"predicts {what}, whatever the attributes are."
        return (
            *self.algorithms,
            AlgorithmEntry(name=BASELINE, label=label.capitalize(), note=note),
        )

    @property
    def _adds_baseline(self) -> bool:
        if any(BASELINE in (a.id, a.name) for a in self.algorithms):
            return False
        default = not self.paper and not self.protocol.measures
        return default if self.baseline is None else self.baseline

    @cached_property
    def titles(self) -> dict[str, str]:
        """Title of each column in tables, by the column's name.

        A title is the column's label. Without a label it is the registry's label of the algorithm,
        or the column's name if another column without a label has the same algorithm. Without a
        paper, which says what its votes are over, their titles do if it is the same in all rows.
        """
        unlabelled = Counter(a.id for a in self.columns if not a.label)
        voters = {voters_label(entry.changed(self.protocol)) for entry in self.entries}
        over = f" ({voters.pop()})" if len(voters) == 1 and not self.paper else ""
        return {
            a.name: a.label
            or (a.name if unlabelled[a.id] > 1 else a.entry.label)
            + (over if a.make().gives_votes else "")
            for a in self.columns
        }

    @model_validator(mode="before")
    @classmethod
    def _of_some_size(cls, data: Any) -> Any:
        # Before anything that is listed is validated, which takes long if it is much.
        if isinstance(data, dict):
            found = data.get("sweeps")
            sweeps = found if isinstance(found, list | tuple) else ()
            values = [sweep.get("values") for sweep in sweeps if isinstance(sweep, dict)]
            n_values = sum(map(_count, values)) if sweeps else 1 + _count(data.get("readings"))
            repeats = data.get("repeats")
            _refuse_size(
                _count(data.get("datasets")) * max(n_values, len(sweeps)),
                _count(data.get("algorithms")),
                repeats if isinstance(repeats, int) else 1,
                next((key for key in ("sweeps", "readings") if data.get(key)), "datasets"),
            )
            _refuse_size(_count(data.get("absent")), key="absent")
        return data

    @model_validator(mode="before")
    @classmethod
    def _repeats_of_outer_folds(cls, data: Any) -> Any:
        match data:
            case {"repeats": _}:
                return data
            case {"protocol": {"split": {"outer": outer}}}:
                with suppress(ValidationError):
                    return {**data, "repeats": SplitRule(outer=outer).repeats or 1}
        return data

    @model_validator(mode="after")
    def _with_default_grids(self, info: ValidationInfo) -> Self:
        self._folder = (info.context or {}).get("folder", "")
        completed = tuple(entry.completed(self.protocol) for entry in self.algorithms)
        return self.model_copy(update={"algorithms": completed})

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _refuse_twice("data set", "datasets", [d.title for d in self.datasets])
        _refuse_twice("algorithm", "algorithms", [a.name for a in self.algorithms])
        _refuse_twice("reading", "readings", [r.name for r in self.readings])
        _refuse_twice("metric", "metrics", list(self.metrics))
        for i, name in enumerate(self.metrics):
            try:
                find_metric(name)
            except KeyError as error:
                raise fault(error.args[0], "metrics", i) from None
        self._check_readings()
        _refuse_size(len(self.rows), len(self.algorithms) + self._adds_baseline, self.repeats)
        places: list[tuple[tuple[str | int, ...], DatasetEntry | AlgorithmEntry]] = [
            *((("datasets", i), entry) for i, entry in enumerate(self.datasets)),
            *((row.place, row.entry) for row in self.rows if row.place[0] != "datasets"),
            *((("algorithms", i), entry) for i, entry in enumerate(self.algorithms)),
        ]
        for place, entry in places:
            try:
                entry.check_protocol(self.protocol)
            except PydanticCustomError as error:
                within = (error.context or {})["place"] if place[0] != "sweeps" else ()
                raise fault(error.message(), *place, *within) from None
        self._check_voters()
        self._refuse_equal_titles()
        checked = False
        for row in self.rows:
            protocol = row.entry.changed(self.protocol)
            own = protocol.split != self.protocol.split
            if protocol.split.repeats not in (None, self.repeats):
                place = (*row.place, "protocol") if own else ("repeats",)
                message = (
                    f"outer: {protocol.split.outer} makes {protocol.split.repeats} repeats, but"
                    f" {self.repeats} are asked for"
                )
                raise fault(message, *place)
            plain = not (row.entry.protocol or row.entry.grid or row.entry.settings)
            if plain and checked:
                continue
            checked = checked or plain
            for column in self._columns_of(row):
                wrong = column.fault_of_size(row.entry.grid)
                if wrong := wrong or column.fault_of_measures(protocol, row.entry.grid):
                    raise fault(wrong, *row.place)
        titles: set[str] = set()
        for row in self.rows:
            if row.entry.title in titles:
                raise fault(f"duplicate row {row.entry.title!r}", *row.place)
            titles.add(row.entry.title)
            for key, axis in row.entry.grid.items():
                place = (*row.place, "grid", key) if row.place[0] == "datasets" else row.place
                if wrong := self._fault_of_axis(key, axis):
                    raise fault(wrong, *place)
        return self

    def voters(self, protocol: Protocol) -> EstimatorPredictor | None:
        """Return what makes the transformer that votes of a row are over; None for stumps."""
        if protocol.voter_set is None:
            return None
        # The module imports scikit-learn.
        from quadrepro.core.learners.contestants.predictor import transformer

        return transformer(protocol.voter_set, self._folder)

    def _check_voters(self) -> None:
        """Refuse votes over what is not a transformer."""
        for row in self.rows:
            protocol = row.entry.changed(self.protocol)
            place = row.place if protocol.voter_set != self.protocol.voter_set else ()
            try:
                self.voters(protocol)
            except (KeyError, ValueError) as error:
                raise fault(error.args[0], *place, "protocol", "voter_set") from None

    def _check_readings(self) -> None:
        if self.readings and self.sweeps:
            raise fault("a config has either sweeps or readings", "readings")
        titles = dict.fromkeys(entry.title for entry in self.datasets)
        for i, reading in enumerate(self.readings):
            for j, title in enumerate(reading.of):
                if title not in titles:
                    message = f"unknown data set {title!r} here{nearest(title, titles)}"
                    raise fault(message, "readings", i, "of", j)

    def _refuse_equal_titles(self) -> None:
        first: dict[str, str] = {}
        for i, (name, title) in enumerate(self.titles.items()):
            if title in first:
                message = (
                    f"tables would call the columns {first[title]!r} and {name!r} both {title!r}:"
                    " give one of them another label"
                )
                if i == len(self.algorithms):
                    raise fault(f"{message}, or set baseline: false", "algorithms")
                place = ["label"] if self.algorithms[i].label else []
                raise fault(message, "algorithms", i, *place)
            first[title] = name

    def _columns_of(self, row: Row) -> tuple[AlgorithmEntry, ...]:
        """Return the columns with the settings of a row, or refuse these."""
        place = (*row.place, "settings") if row.place[0] == "datasets" else row.place
        known = {key for a in self.algorithms for key in a.entry.names(a.settings)}
        for key in row.entry.settings:
            if key not in known:
                raise fault(f"no algorithm here has a setting {key!r}{nearest(key, known)}", *place)
        with _faults_at(*place):
            return tuple(a.changed(row.entry.settings) for a in self.columns)

    def _fault_of_axis(self, key: str, axis: Axis) -> str | None:
        """Return what is wrong with a row's own values of a hyper-parameter, or None."""
        if key == N_ROUNDS.name and any(a.draws_stumps(self.protocol) for a in self.algorithms):
            return "the validation error chooses the rounds"
        known = [{h.name: h for h in a.make().hyperparameters} for a in self.algorithms]
        meant = [of_algorithm[key] for of_algorithm in known if key in of_algorithm]
        if not meant:
            hint = nearest(key, itertools.chain.from_iterable(known))
            return f"no algorithm here has a hyper-parameter {key!r}{hint}"
        faults = [h.fault(axis.resolve(h.kind)) for h in meant]
        return next((wrong for wrong in faults if wrong), None)


def _swept(sweep: Sweep, entry: DatasetEntry, value: Scalar, place: Place) -> Row:
    with _faults_at(*place):
        return Row(sweep.apply(entry, value), place, entry.title, sweep.word, value)


@contextmanager
def _faults_at(*place: str | int) -> Iterator[None]:
    """Report the first mistake of a changed part of the config at the place that changes it."""
    try:
        yield
    except ValidationError as error:
        raise fault(nested_fault(error).message(), *place) from None
    except PydanticCustomError as error:
        raise fault(error.message(), *place) from None


def _count(listed: Any) -> int:
    return len(listed) if isinstance(listed, list | tuple) else 0


def _refuse_size(n_rows: int, n_columns: int = 0, repeats: int = 1, key: str = "") -> None:
    if n_rows > MAX_ROWS:
        raise fault(f"the table has {n_rows:,} rows: at most {MAX_ROWS:,}", key)
    n_cells = n_rows * n_columns * repeats
    if n_cells > MAX_CELLS:
        message = (
            f"{n_rows} rows, {n_columns} algorithms and {repeats} repeats make"
            f" {n_cells:,} cells: at most {MAX_CELLS:,}"
        )
        raise fault(message, "repeats")


def _refuse_twice(what: str, key: str, names: list[str]) -> None:
    before: set[str] = set()
    for i, name in enumerate(names):
        if name in before:
            raise fault(f"duplicate {what} {name!r}", key, i)
        before.add(name)


@dataclass(frozen=True)
class Experiment:
    """A config that has passed all checks that need no data."""

    name: str
    """The name of the file without its ending, which is also that of the results folder."""
    config: Config
    """Its content."""
    source: YamlSource
    """The file, for messages that name a place."""

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place in the file."""
        return ConfigError(f"{self.source.where(place)}: {message}")

    @property
    def views(self) -> dict[str, View]:
        """The view of each row, by the title of the row."""
        return self.config.views

    @property
    def tasks(self) -> dict[str, Task]:
        """What is predicted in each row, by the title of the row."""
        return self.config.tasks

    @cached_property
    def small_classes(self) -> list[str]:
        """Rows with a class of fewer examples than folds, by their cards, and what follows."""
        found = []
        for entry in self.config.entries:
            protocol, card = entry.changed(self.config.protocol), load_card(entry.name)
            folds = max(protocol.split.outer_folds, protocol.inner_folds)
            least = min(self.views[entry.title].class_sizes(card.target), default=folds)
            if protocol.split.stratify and least < folds:
                found.append(
                    f"{entry.title}: a class has only {least} rows, so that it is missing in some"
                    f" of {folds} folds."
                )
        return found

    @cached_property
    def changed_rows(self) -> list[str]:
        """Rows whose views leave out or draw rows of a data set."""
        found = []
        for entry in self.config.entries:
            if words := self.views[entry.title].rows_in_words:
                found.append(f"{entry.title} ({words})")
        return found

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self.source.path.parent

    @property
    def openml_tasks(self) -> dict[tuple[str, int], None]:
        """The data sets that are divided by OpenML tasks, with the numbers of these."""
        protocol = self.config.protocol
        found = (
            (entry.name, entry.changed(protocol).split.openml_task) for entry in self.config.entries
        )
        return {(name, task): None for name, task in found if task is not None}

    @property
    def code(self) -> tuple[str, ...]:
        """Files of the config's folder that a run imports, by their paths in it."""
        folder = self.folder.resolve()
        files = {file for column in self.config.algorithms for file in column.code}
        for entry in self.config.entries:
            voters = self.config.voters(entry.changed(self.config.protocol))
            files |= {*voters.files.values()} if voters is not None else set()
        return tuple(sorted(str(file.relative_to(folder)) for file in files))

    @cached_property
    def paper(self) -> Paper | None:
        """The paper that the config names, read when it is first asked for; None without one."""
        # A worker that computes a cell needs no paper.
        from quadrepro.papers.paper import load_paper
        from quadrepro.papers.printed import NotThereError

        if not self.config.paper:
            return None
        try:
            return load_paper(self.config.paper, self.folder)
        except NotThereError as error:
            raise self.error(str(error), "paper") from None


def load_experiment(path: Path, repeats: int | None = None) -> Experiment:
    """Read and check a config."""
    if not is_utf8(path.stem):
        raise ConfigError(f"{path}: the name of a config must be UTF-8, since its tables name it")
    source = read_yaml(path)
    if not isinstance(source.data, dict):
        raise ConfigError(f"{source.where(())}: a config must be a mapping of keys to values")
    return _experiment(path.stem, source, repeats)


def load_mapping(config: Mapping[str, Any], repeats: int | None = None) -> Experiment:
    """Check a config that was not read from a file."""
    source = MappingSource(Path("config"), dict(config), Mark(1, 1))
    name = re.sub(r"[^a-z0-9]+", "-", str(config.get("title", "")).lower()).strip("-")
    return _experiment(name or "config", source, repeats)


def _experiment(name: str, source: YamlSource, repeats: int | None) -> Experiment:
    if repeats is not None:
        source = replace(source, data={**source.data, "repeats": repeats})
    context = {"folder": str(source.path.parent.resolve())}
    return Experiment(name, validated(Config, source, context=context), source)
