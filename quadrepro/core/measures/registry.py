"""The measures by name; each is declared in its own file."""

from __future__ import annotations

from quadrepro.base.registry import Registry
from quadrepro.core.measures import adaboost, cbboost, concentration, ebboost, measure, quadboost
from quadrepro.core.measures.measure import Measure

MODULES = (measure, cbboost, concentration, ebboost, adaboost, quadboost)


MEASURES: Registry[Measure] = Registry(
    "measure",
    {
        name: f"{module.__name__.removeprefix('quadrepro.')}:{name}"
        for module in MODULES
        for name, found in vars(module).items()
        if isinstance(found, Measure)
    },
)


def title_of(name: str) -> str:
    """Return the name of a measure in tables and figures."""
    return MEASURES.find(name).title
