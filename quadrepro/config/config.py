"""A config as it is written, with the kinds of its tables, and the experiment that it describes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, ByteSize, Field, GetJsonSchemaHandler, create_model
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import definitions_schema

from quadrepro.base.models import Model, Registry, faults_at, known_by
from quadrepro.base.types import Task
from quadrepro.base.yaml import YamlSource
from quadrepro.config.column import AlgorithmItem, Column, resolve
from quadrepro.config.datasets import Absent, DatasetItem, Reading, Row, Sweep
from quadrepro.core.metrics import find_metric
from quadrepro.core.protocol import Protocol
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.errors import ConfigError, together
from quadrepro.papers.paper import Paper, load_paper
from quadrepro.papers.printed import NotThereError

if TYPE_CHECKING:
    from quadrepro.core.training.estimator import EstimatorPredictor
    from quadrepro.data.card import Card

KINDS: Registry[Any] = Registry(
    "key",
    {
        "errors": "tables.kinds.scores:ERRORS",
        "noiseless": "tables.kinds.scores:NOISELESS",
        "margins": "tables.kinds.margins:MARGINS",
        "differences": "tables.kinds.sweeps:DIFFERENCES",
        "times": "tables.kinds.sweeps:TIMES",
        "curves": "tables.kinds.curves:CURVES",
        "scatter": "tables.kinds.comparisons:SCATTER",
        "comparisons": "tables.kinds.comparisons:COMPARISONS",
        "ranking": "tables.kinds.comparisons:RANKING",
        "claims": "tables.kinds.claims:CLAIMS",
        "readings": "tables.kinds.readings:READINGS",
    },
)
"""All kinds (`quadrepro.tables.kinds.Kind`), in the order in which they are written."""

UNASKED = ("errors", "comparisons")
"""The kinds that are written without being asked for."""


@cache
def _tables_model() -> type[Model]:
    """Return the model of the mapping below ``tables``."""
    options: dict[str, Any] = {
        key: (kind.option, Field(None, description=kind.meaning)) for key, kind in KINDS.items()
    }
    return create_model("Tables", __base__=Model, __doc__="Tables and figures, by kind.", **options)


def asked_for(written: dict[str, Any]) -> dict[str, Any]:
    """Return the options of all that is written, in the order of `KINDS`."""
    requested = {key: option for key, option in written.items() if option is not False}
    options = _tables_model().model_validate(requested)
    return {key: option or "" for key, option in options if option or key in UNASKED}


def _checked_tables(written: dict[str, Any]) -> dict[str, Any]:
    asked_for(written)
    return written


class _TablesSchema:
    """Describes all kinds in the JSON schema."""

    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        # Among definitions, the model gets a place of its own.
        schema = handler(definitions_schema(_tables_model().__pydantic_core_schema__, []))
        return schema | {"description": "Tables and figures to write, by kind."}


RequestedTables = Annotated[dict[str, Any], AfterValidator(_checked_tables), _TablesSchema()]
"""The type of the field ``tables`` of a config, which is kept as it is written."""


BASELINE_NOTE = "predicts the most frequent class or the mean, whatever the attributes are."

MetricName = Annotated[str, known_by(find_metric)]
"""Name of a metric."""


class Config(Model):
    """A whole config."""

    instead = MappingProxyType(dict.fromkeys(Protocol.model_fields, "it below protocol"))

    title: str
    """Title of tables and pages."""
    paper: str = ""
    """Paper with printed numbers: one that ships, or a folder."""
    seed: int = Field(0, ge=0, lt=2**32)
    """Seed of all random draws."""
    repeats: int = Field(1, ge=1, le=100_000)
    """Number of random splits."""
    protocol: Protocol
    """How data are prepared and candidates are chosen."""
    datasets: tuple[DatasetItem, ...] = Field(min_length=1)
    """Rows of the tables."""
    absent: tuple[Absent, ...] = ()
    """Data sets that cannot be had."""
    sweeps: tuple[Sweep, ...] = ()
    """Fields with a row for each of some values."""
    readings: tuple[Reading, ...] = ()
    """Readings with a row of each data set."""
    algorithms: tuple[AlgorithmItem, ...] = Field(min_length=1)
    """Columns."""
    metrics: tuple[MetricName, ...] = ()
    """Metrics in addition to errors."""
    headline: str = ""
    """Metric to compare by; by default errors."""
    baseline: bool | None = None
    """Add a baseline; by default without a paper."""
    tables: RequestedTables = Field({})
    notes: tuple[str, ...] = ()
    """Notes below every table."""
    timeout: float | None = Field(None, gt=0)
    """Time limit of a cell in seconds."""
    memory: ByteSize | None = Field(None, gt=0)
    """Memory limit of a cell, as 4GB."""

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows: the data sets, each with its readings or with every value of each sweep."""
        return tuple(self._swept() if self.sweeps else self._read())

    def _swept(self) -> Iterator[Row]:
        for j, sweep in enumerate(self.sweeps):
            for item, (k, value) in product(self.datasets, enumerate(sweep.values)):
                place = ("sweeps", j, "values", k)
                with faults_at(*place):
                    changed = sweep.apply(item, value)
                yield Row(changed, place, item.title, self.protocol, sweep.word, value)

    def _read(self) -> Iterator[Row]:
        for i, item in enumerate(self.datasets):
            yield Row(item, ("datasets", i), item.title, self.protocol)
            for j, reading in enumerate(self.readings):
                if not reading.rows or item.title in reading.rows:
                    place = ("readings", j)
                    with faults_at(*place):
                        changed = reading.apply(item)
                    yield Row(changed, place, item.title, self.protocol, reading=reading.name)

    @cached_property
    def own_rows(self) -> frozenset[str]:
        """The rows that tests over data sets compare: those as the config has them, by title.

        Other readings of a data set, and other values of a sweep, are not further data sets. A data
        set has no such row if no value of a sweep equals the config's own value.
        """

        def content(item: DatasetItem) -> tuple[object, ...]:
            return item.changed(self.protocol), item.grid, item.parameters

        contents = {item.title: content(item) for item in self.datasets}
        titles: dict[str, str] = {}
        for row in self.rows:
            if not row.reading and content(row.item) == contents[row.parent]:
                titles.setdefault(row.parent, row.title)
        return frozenset(titles.values())


@dataclass(frozen=True)
class Experiment:
    """A config with the learners, data sets and paper that it names."""

    name: str
    """The name of the file without its ending, which also names the results folder."""
    config: Config
    """Its content."""
    source: YamlSource
    """The file, for messages that name a place."""

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place in the file."""
        return ConfigError(f"{self.source.where(place)}: {message}")

    @contextmanager
    def at(self, *place: str | int) -> Iterator[None]:
        """Turn a fault of a part of the config into an error that names its place in the file."""
        try:
            with faults_at(*place):
                yield
        except PydanticCustomError as error:
            raise self.error(error.message(), *(error.context or {})["place"]) from None
        except ConfigError as error:
            if not place:  # a mistake in another file, such as the paper's, names its own place
                raise
            raise self.error(str(error), *place) from None

    @cached_property
    def algorithms(self) -> tuple[Column, ...]:
        """The columns of the config's algorithms; raises the faults of all of them."""
        items = enumerate(self.config.algorithms)
        return tuple(together(partial(self._column, item, i) for i, item in items))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns: the algorithms, and the baseline last."""
        config = self.config
        default = not config.paper and not config.protocol.measures
        is_wanted = default if config.baseline is None else config.baseline
        if not is_wanted or any(BASELINE in (a.algorithm, a.name) for a in config.algorithms):
            return self.algorithms
        baseline = AlgorithmItem(name=BASELINE, label="Baseline", note=BASELINE_NOTE)
        return (*self.algorithms, self._column(baseline))

    def _column(self, item: AlgorithmItem, i: int = 0) -> Column:
        with self.at("algorithms", i):
            return resolve(item, self.config.protocol, self.code_folder)

    def columns_of(self, row: Row) -> list[Column]:
        """Return the columns, each with the row's settings that it has."""
        columns = []
        for column in self.columns:
            own, names = column.item.settings, column.source.names(column.item.settings)
            if settings := {k: value for k, value in row.item.settings.items() if k in names}:
                item = column.item.model_copy(update={"settings": own | settings})
                column = resolve(item, self.config.protocol, self.code_folder)
            columns.append(column)
        return columns

    @property
    def content(self) -> dict[str, Any]:
        """The config as plain data, with default values of hyper-parameters."""
        items = (c.item.model_copy(update={"grid": c.grid}) for c in self.algorithms)
        config = self.config.model_copy(update={"algorithms": (*items,)})
        return config.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    @property
    def code_folder(self) -> str:
        """The folder in which import paths are looked up."""
        return str(self.source.path.parent.resolve())

    @cached_property
    def titles(self) -> dict[str, str]:
        """Title of each column in tables, by the column's name.

        A title is the column's label; or its name in the paper; or the column's name, if the config
        has one in addition to the algorithm's; or the registry's label of the algorithm.
        """
        names = self.paper.file.names if self.paper else {}
        titles = {}
        for column in self.columns:
            item = column.item
            has_name = item.pipeline or item.algorithm not in ("", item.name)
            title = item.name if has_name else column.source.label
            titles[column.name] = item.label or names.get(item.name) or title
        return titles

    @cached_property
    def protocols(self) -> dict[str, Protocol]:
        """The protocol of each row, by the title of the row."""
        return {row.title: row.protocol for row in self.config.rows}

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The task of each row, by the title of the row."""
        return {row.title: row.task for row in self.config.rows}

    def voters(self, protocol: Protocol) -> EstimatorPredictor | None:
        """Return the transformer whose outputs vote, as a learner; None for stumps."""
        if protocol.voter_set is None:
            return None
        # The module imports scikit-learn.
        from quadrepro.core.training.estimator import transformer

        return transformer(protocol.voter_set, self.code_folder)

    @cached_property
    def small_classes(self) -> list[str]:
        """Warnings of rows with a class of fewer examples than folds, by their cards."""
        warnings = []
        for row in self.config.rows:
            folds = max(row.protocol.split.outer_folds, row.protocol.inner_folds)
            least = min(row.view.class_sizes(row.item.card.target), default=folds)
            if row.protocol.split.stratify and least < folds:
                warnings.append(
                    f"{row.title}: a class has only {least} row{'s' * (least != 1)}, so that it "
                    f"is missing in some of {folds} folds."
                )
        return warnings

    @property
    def openml_tasks(self) -> list[tuple[Card, int]]:
        """The data sets that are divided by OpenML tasks, with the numbers of these."""
        rows = self.config.rows
        cards = {(row.item.name, row.protocol.split.openml_task): row.item.card for row in rows}
        return [(card, task) for (_, task), card in cards.items() if task is not None]

    @property
    def code(self) -> tuple[str, ...]:
        """Files of the config's folder that a run imports, by their paths in it."""
        voters = [self.voters(row.protocol) for row in self.config.rows]
        learners = [*(column.learner for column in self.columns), *filter(None, voters)]
        return tuple(sorted({name for learner in learners for name, _ in learner.own_code}))

    @cached_property
    def paper(self) -> Paper | None:
        """The paper that the config names; None without one."""
        if not self.config.paper:
            return None
        try:
            return load_paper(self.config.paper, self.source.path.parent)
        except NotThereError as error:
            raise self.error(str(error), "paper") from None
