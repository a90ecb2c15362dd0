"""The measures by name, from all files that declare some, and the metrics.

Results depend on a measure or a metric only if a cell uses it: `quadrepro.engine.records.makers`.
"""

from __future__ import annotations

from quadrepro.base.models import Registry
from quadrepro.core import metrics
from quadrepro.core.measures import bernstein, c_bound, edges, measure, rademacher
from quadrepro.core.measures.measure import Measure

MODULES = (measure, c_bound, bernstein, edges, rademacher)


MEASURES: Registry[Measure] = Registry(
    "measure",
    {
        name: f"{module.__name__.removeprefix('quadrepro.')}:{name}"
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, Measure)
    },
)


def find_metric(name: str) -> metrics.Metric:
    """Return a metric by name, or raise ValueError with the nearest one."""
    return metrics.find_metric(name)


def title_of(name: str) -> str:
    """Return the name of a measure in tables and figures."""
    return MEASURES.find(name).title
