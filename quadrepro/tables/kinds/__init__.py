"""The kinds of tables and figures: one module for each, and what a config asks for.

To add a kind, write its module and name it in `KINDS`, or in the entry points of a package of your
own. Nothing else knows which kinds there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import Field, create_model, model_validator

from quadrepro.base import plugins
from quadrepro.base.models import Model, fault, validated
from quadrepro.config.config import Experiment
from quadrepro.errors import ConfigError, nearest
from quadrepro.tables.kinds.audit import AUDIT
from quadrepro.tables.kinds.base import Context, Kind, Request
from quadrepro.tables.kinds.claims import CLAIMS
from quadrepro.tables.kinds.comparisons import COMPARISONS
from quadrepro.tables.kinds.curves import CURVES
from quadrepro.tables.kinds.differences import DIFFERENCES
from quadrepro.tables.kinds.margins import MARGIN_FIGURE, MARGINS
from quadrepro.tables.kinds.means import MEANS, NOISELESS_MEANS
from quadrepro.tables.kinds.metrics import requested_metrics
from quadrepro.tables.kinds.ranking import RANKING
from quadrepro.tables.kinds.readings import READINGS
from quadrepro.tables.kinds.risks import RISKS
from quadrepro.tables.kinds.scatter import SCATTER
from quadrepro.tables.kinds.times import TIMES

KINDS: tuple[Kind[Any], ...] = (
    MEANS,
    NOISELESS_MEANS,
    MARGINS,
    MARGIN_FIGURE,
    DIFFERENCES,
    TIMES,
    CURVES,
    SCATTER,
    RISKS,
    COMPARISONS,
    RANKING,
    CLAIMS,
    READINGS,
    AUDIT,
)
"""All kinds. The first table of these that a config asks for is the one that is shown."""

_SPLITS = "printed_splits"
_NOW_CALLED = {former: kind.key for kind in KINDS for former in kind.former}
_FORMER = {*_NOW_CALLED, _SPLITS}


class _Tables(Model):
    """The tables and figures to write, by kind."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_former_names(cls, data: Any) -> Any:
        for key in data if isinstance(data, dict) else ():
            if key not in cls.model_fields and key not in _FORMER:
                known = (*cls.model_fields, *plugins.names("tables"))
                raise fault(f"unknown key {key!r}{nearest(key, known)}", key)
            if key in _NOW_CALLED:
                raise fault(f"{key} is now called {_NOW_CALLED[key]}", key)
            if key == _SPLITS:
                raise fault(
                    f"{_SPLITS} is a fact of the printed table: say it in the paper's "
                    f"paper.yaml, as printed: {{table1: {{splits: {data[key]}}}}}",
                    key,
                )
        return data


def model_of(kinds: tuple[Kind[Any], ...]) -> type[Model]:
    """Return the model of what a config asks for, given the kinds that it can ask for."""
    options: dict[str, Any] = {
        kind.key: (kind.option, Field(default=None, description=kind.meaning)) for kind in kinds
    }
    return create_model("Tables", __base__=_Tables, **options)


def _document(tables: type[Model]) -> type[Model]:
    return create_model("_Document", __base__=Model, tables=(tables, ...))


Tables = model_of(KINDS)
_Document = _document(Tables)


def find_kind(key: str) -> Kind[Any] | None:
    """Return a kind of an extension by its key, or None."""
    extension = plugins.find("tables", key)
    if extension is None:
        return None
    kind = extension.load(Kind)
    if kind.key != key:
        raise ConfigError(f"{extension.where}: its key is {kind.key!r}, not {key!r}")
    if kind.default is not None:
        raise ConfigError(f"{extension.where}: it must not have a default")
    if kind.name in {own.name for own in KINDS}:
        raise ConfigError(f"{extension.where}: {kind.name} are files of quadrepro: give a stem")
    return kind


def kinds_for(keys: Iterable[str]) -> tuple[Kind[Any], ...]:
    """Return all kinds of ours, and those of extensions with some keys."""
    others = (find_kind(key) for key in keys if key not in {*Tables.model_fields, *_FORMER})
    return (*KINDS, *(kind for kind in others if kind is not None))


def requested(experiment: Experiment) -> tuple[Request[Any], ...]:
    """Return the kinds that a config asks for, and those that are written by default."""
    asked = experiment.config.tables
    source = replace(experiment.source, data={"tables": asked})
    kinds = kinds_for(asked)
    document = _Document if kinds == KINDS else _document(model_of(kinds))
    options = vars(vars(validated(document, source))["tables"])
    found = []
    for kind in kinds:
        option = options[kind.key] or kind.default
        if option is not None:
            found.append(Request(kind, Context(experiment, kind.key, option)))
    return (*found, *requested_metrics(experiment))
