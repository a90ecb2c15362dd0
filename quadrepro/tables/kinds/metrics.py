"""The tables of a metric: means, every pair, and a ranking, as they are made of errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from quadrepro.config.config import Experiment
from quadrepro.engine.metrics import Metric, fault_of_task, find_metric
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats.ranking import fault_of_size
from quadrepro.tables.kinds.base import Context, Kind, Request
from quadrepro.tables.kinds.comparisons import comparisons_table
from quadrepro.tables.kinds.means import means_table
from quadrepro.tables.kinds.ranking import Options, draw_ranking, ranking_caption, table_of_ranking
from quadrepro.tables.kinds.value_comparisons import has_values_to_compare
from quadrepro.tables.table import MISSING, Table

KEY = "metrics"
"""Key of the config that asks for them; it stands beside ``tables``."""

HOW = {
    "scores": "scores or class probabilities",
    "probabilities": "class probabilities",
    "predictions": "predictions",
}
"""What a note calls the needs of a metric."""

NO_ROPE = Options(rope=0.0)
"""Metrics have units of their own, so no difference is known to be too small to matter."""

Made = TypeVar("Made")


def judged_rows(experiment: Experiment, metric: Metric) -> list[str]:
    """Return the rows whose task the metric can judge."""
    return [row for row, task in experiment.tasks.items() if task in metric.tasks]


def measured(context: Context[Metric], outcomes: Outcomes) -> Outcomes:
    """Return the outcomes as the metric judges them."""
    return outcomes.by(context.option, judged_rows(context.experiment, context.option))


def lacking_note(context: Context[Metric], outcomes: Outcomes) -> list[str]:
    """Return which columns the metric cannot judge and why, and where it is undefined."""
    metric, found = context.option, measured(context, outcomes)
    dashed = {
        place: record
        for place, record in found.records.items()
        if record.ok and place[0] in found.rows and place not in found.measured
    }
    without = dict.fromkeys(c for (_, c, _), of in dashed.items() if not metric.serves(of))
    notes = []
    if without:
        note = (
            f"{'; '.join(context.titles[c] for c in without)}: no {HOW[metric.needs]}, which "
            f"{metric.label} is computed from ({MISSING})."
        )
        if metric.needs != "predictions":
            note += (
                " A calibrated classifier gives them, such as scikit-learn's "
                "CalibratedClassifierCV around an estimator."
            )
        notes.append(note)
    if undefined := sum(metric.serves(of) for of in dashed.values()):
        notes.append(
            f"{metric.label} is undefined on the test examples of {undefined} of "
            f"{len(found.rows) * len(found.columns) * found.repeats} cells ({MISSING})."
        )
    return notes


def _with(context: Context[Any], option: Any) -> Context[Any]:
    return replace(context, option=option)


def _of(
    make: Callable[[Context[Any], Outcomes], Made], option: Any
) -> Callable[[Context[Metric], Outcomes], Made]:
    """Return what makes something of a metric, given what makes it of errors."""

    def made(context: Context[Metric], outcomes: Outcomes) -> Made:
        return make(_with(context, option), measured(context, outcomes))

    return made


def _table(
    make: Callable[[Context[Any], Outcomes], Table], option: Any
) -> Callable[[Context[Metric], Outcomes], Table]:
    """Return the same for a table, with notes on what the metric lacks."""

    def made(context: Context[Metric], outcomes: Outcomes) -> Table:
        table = _of(make, option)(context, outcomes)
        return replace(table, notes=(*lacking_note(context, outcomes), *table.notes))

    return made


def _check(context: Context[Metric]) -> None:
    name = context.option.name
    if fault := fault_of_task(name, context.experiment.tasks.values()):
        raise context.experiment.error(fault, KEY, context.config.metrics.index(name))


def _several(context: Context[Metric]) -> bool:
    return len(context.titles) > 1 and has_values_to_compare(context)


def _can_be_ranked(context: Context[Metric]) -> bool:
    rows = judged_rows(context.experiment, context.option)
    return not fault_of_size(len(context.titles), len(rows))


def _draw(context: Context[Metric], outcomes: Outcomes, folder: Path) -> None:
    inner = _with(context, NO_ROPE)
    draw_ranking(inner, measured(context, outcomes), folder, f"ranking-{context.option.name}")


MEANS = Kind(key=KEY, option=Metric, stem="means", check=_check, table=_table(means_table, ""))

COMPARISONS = Kind(
    key=KEY,
    option=Metric,
    stem="comparisons",
    written=_several,
    table=_table(comparisons_table, ""),
)

RANKING = Kind(
    key=KEY,
    option=Metric,
    stem="ranking",
    written=_can_be_ranked,
    table=_table(table_of_ranking, NO_ROPE),
    draw=_draw,
    caption=_of(ranking_caption, NO_ROPE),
)


def requested_metrics(experiment: Experiment) -> list[Request[Any]]:
    """Return the tables of every metric that a config asks for."""
    return [
        Request(replace(kind, stem=f"{kind.stem}-{name}"), Context(experiment, KEY, metric))
        for name in experiment.config.metrics
        for metric in [find_metric(name)]
        for kind in (MEANS, COMPARISONS, RANKING)
    ]


def metric_columns(experiment: Experiment, outcomes: Outcomes) -> dict[str, Outcomes]:
    """Return the outcomes as each metric judges them, by its name."""
    asked = map(find_metric, experiment.config.metrics)
    return {metric.name: outcomes.by(metric, judged_rows(experiment, metric)) for metric in asked}
