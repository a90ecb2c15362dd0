"""The measures by name; each is declared in its own file."""

from __future__ import annotations

from quadrepro.core.measures import adaboost, cbboost, concentration, ebboost, measure, quadboost
from quadrepro.core.measures.measure import Measure
from quadrepro.errors import nearest

MODULES = (measure, cbboost, concentration, ebboost, adaboost, quadboost)


class Measures(dict[str, Measure]):
    """Measures by name."""

    def find(self, asked: object) -> Measure:
        """Return the measure of a name, or raise KeyError with the nearest name."""
        name = str(asked)
        if name not in self:
            raise KeyError(f"unknown measure {asked!r}{nearest(name, self)}")
        return self[name]


MEASURES = Measures(
    (name, found)
    for module in MODULES
    for name, found in vars(module).items()
    if isinstance(found, Measure)
)


def title_of(name: str) -> str:
    """Return the name of a measure in tables and figures."""
    return MEASURES.find(name).title
