"""All registries of names, by the kind of what is registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quadrepro.base import plugins
from quadrepro.base.plugins import Kind


@dataclass(frozen=True)
class Registry:
    """The names of one kind.

    Attributes
    ----------
    kind : str
        One of `quadrepro.base.plugins.KINDS`.
    own : callable
        Returns quadrepro's own entries by name.
    find : callable
        Returns the entry of a name, also of another package.
    meaning : callable
        Returns in words what an entry is.
    """

    kind: Kind
    own: Callable[[], Mapping[str, Any]]
    find: Callable[[str], Any]
    meaning: Callable[[Any], str]


def first_line(of: type[Any]) -> str:
    """Return the first line of a docstring."""
    return (of.__doc__ or "").strip().partition("\n")[0]


def _algorithms() -> Mapping[str, Any]:
    from quadrepro.core.learners.registry import ALGORITHMS

    return ALGORITHMS


def _algorithm(name: str) -> Any:
    from quadrepro.core.learners.registry import find_entry

    return find_entry(name)


def _voters() -> Mapping[str, Any]:
    from quadrepro.core.voters.registry import VOTER_SETS

    return VOTER_SETS


def _voter_set(name: str) -> Any:
    from quadrepro.core.voters.registry import find_voter_set

    return find_voter_set(name)


def _measures() -> Mapping[str, Any]:
    from quadrepro.core.measures.measure import MEASURES

    return MEASURES


def _measure(name: str) -> Any:
    from quadrepro.core.measures.measure import find_measure

    return find_measure(name)


def _metrics() -> Mapping[str, Any]:
    from quadrepro.engine.metrics import METRICS

    return METRICS


def _metric(name: str) -> Any:
    from quadrepro.engine.metrics import find_metric

    return find_metric(name)


def _claims() -> Mapping[str, Any]:
    from quadrepro.papers.claims import KINDS

    return KINDS


def _claim(name: str) -> Any:
    from quadrepro.papers.claims import find_claim

    return find_claim(name)


def _tables() -> Mapping[str, Any]:
    from quadrepro.config.tables import KINDS

    return KINDS


def _table(name: str) -> Any:
    from quadrepro.config.tables import find_kind

    return find_kind(name)


def _sources() -> Mapping[str, Any]:
    from quadrepro.data.sources.schema import OWN_SOURCES

    return OWN_SOURCES


def _source(name: str) -> Any:
    from quadrepro.data.sources.schema import PackageSource

    extension = plugins.find("sources", name)
    return extension.load_class(PackageSource) if extension else _sources()[name]


REGISTRIES: dict[str, Registry] = {
    registry.kind: registry
    for registry in (
        Registry("algorithms", _algorithms, _algorithm, lambda e: f"{e.label}: {e.source}"),
        Registry("voters", _voters, _voter_set, lambda e: str(e.label)),
        Registry("measures", _measures, _measure, lambda e: str(e.title)),
        Registry("metrics", _metrics, _metric, lambda e: str(e.label)),
        Registry("claims", _claims, _claim, first_line),
        Registry("tables", _tables, _table, lambda e: str(e.meaning)),
        Registry("sources", _sources, _source, first_line),
    )
}
