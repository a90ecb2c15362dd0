"""What is written of an experiment: kinds with their options, and those of metrics and verdicts.

A metric has means, comparisons and a ranking, as they are made of errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from quadrepro.config.config import Experiment
from quadrepro.config.tables import KINDS
from quadrepro.engine.metrics import Metric, fault_of_task, find_metric
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import fault_of_size
from quadrepro.tables.kinds.base import Context, TableKind
from quadrepro.tables.kinds.comparisons import COMPARISONS, has_values_to_compare
from quadrepro.tables.kinds.errors import MEANS, MeansKind
from quadrepro.tables.kinds.ranking import RANKING, Options, RankingKind, conclusion
from quadrepro.tables.printed_figure import NAME as PRINTED
from quadrepro.tables.printed_figure import draw_printed
from quadrepro.tables.table import MISSING, Table
from quadrepro.tables.verdicts import NAME as VERDICTS
from quadrepro.tables.verdicts import Verdicts, verdicts_table

KEY = "metrics"
"""Key of the config that asks for metrics, next to ``tables``."""

HOW = {
    "scores": "scores or class probabilities",
    "probabilities": "class probabilities",
    "predictions": "predictions",
}
"""Names of the needs of a metric in notes."""


class Request(NamedTuple):
    """A kind that a config asks for, or that is written without being asked for."""

    kind: TableKind[Any]
    context: Context[Any]


def requested(experiment: Experiment) -> tuple[Request, ...]:
    """Return the kinds that a config asks for, and those that are written by default."""
    found = [
        Request(cast("TableKind[Any]", KINDS.find(key)), Context(experiment, key, option))
        for key, option in experiment.config.tables.every.items()
    ]
    for name in experiment.config.metrics:
        context = Context(experiment, KEY, find_metric(name))
        found += [Request(kind, context) for kind in kinds_of(name, experiment)]
    return tuple(found)


def find_verdicts(experiment: Experiment, outcomes: Outcomes) -> list[Verdicts]:
    """Return the verdicts on every printed table that a config names."""
    found = (request.kind.verdicts(request.context, outcomes) for request in written(experiment))
    return [verdicts for verdicts in found if verdicts is not None and verdicts.entries]


def written(experiment: Experiment, verdicts: Sequence[Verdicts] = ()) -> list[Request]:
    """Return the kinds that have files; those of verdicts come last."""
    found = [request for request in requested(experiment) if request.kind.written(request.context)]
    # A single split allows no verdict.
    if verdicts and experiment.config.repeats > 1:
        context = Context(experiment, "", verdicts)
        found += [Request(kind, context) for kind in (VerdictsKind(), PrintedKind())]
    return found


class VerdictsKind(TableKind[Sequence[Verdicts]]):
    """Where the printed numbers lie in our intervals."""

    key, option, stem = "", Sequence[Verdicts], VERDICTS

    def table(self, context: Context[Sequence[Verdicts]], outcomes: Outcomes) -> Table:
        """Return the table of positions."""
        return verdicts_table(context.experiment, context.option)


class PrintedKind(TableKind[Sequence[Verdicts]]):
    """The same as a figure."""

    key, option, stem = "", Sequence[Verdicts], PRINTED

    def draw(self, context: Context[Sequence[Verdicts]], outcomes: Outcomes, folder: Path) -> None:
        """Draw the printed numbers within our intervals."""
        draw_printed(context.experiment, context.option, folder)


def judged_rows(experiment: Experiment, metric: Metric) -> list[str]:
    """Return the rows whose task the metric can judge."""
    return [row for row, task in experiment.tasks.items() if task in metric.tasks]


def measured(context: Context[Metric], outcomes: Outcomes) -> Outcomes:
    """Return the outcomes as the metric judges them."""
    return outcomes.by(context.option, judged_rows(context.experiment, context.option))


def metric_columns(experiment: Experiment, outcomes: Outcomes) -> dict[str, Outcomes]:
    """Return the outcomes as each metric judges them, by its name."""
    asked = map(find_metric, experiment.config.metrics)
    return {metric.name: outcomes.by(metric, judged_rows(experiment, metric)) for metric in asked}


class OfMetric(TableKind[Metric]):
    """A kind of table of errors, made of the values of a metric."""

    key, option = KEY, Metric

    def __init__(self, kind: TableKind[Any], inner: Any, metric: str) -> None:
        self.kind, self.inner = copy(kind), inner
        self.stem = self.kind.stem = f"{kind.key}-{metric}"

    @property
    def makes_figure(self) -> bool:
        """Whether there is a figure."""
        return self.kind.makes_figure

    def check(self, context: Context[Metric]) -> None:
        """Refuse a metric that judges no row."""
        name = context.option.name
        if fault := fault_of_task(name, context.experiment.tasks.values()):
            raise context.experiment.error(fault, KEY, context.config.metrics.index(name))

    def written(self, context: Context[Metric]) -> bool:
        """Return whether there is enough to compare, or to rank."""
        n_columns = len(context.compared)
        if isinstance(self.kind, RankingKind):
            judged = judged_rows(context.experiment, context.option)
            return not fault_of_size(n_columns, len(context.config.own_rows.intersection(judged)))
        several = n_columns > 1 and has_values_to_compare(context)
        return several or isinstance(self.kind, MeansKind)

    def table(self, context: Context[Metric], outcomes: Outcomes) -> Table:
        """Return the table, with notes on what the metric lacks."""
        table = self.kind.table(self._of_errors(context), measured(context, outcomes))
        summary = conclusion(context, measured(context, outcomes))
        notes = (*lacking_note(context, outcomes), *table.notes, *([summary] if summary else []))
        return replace(table, notes=notes)

    def draw(self, context: Context[Metric], outcomes: Outcomes, folder: Path) -> None:
        """Draw the figure."""
        self.kind.draw(self._of_errors(context), measured(context, outcomes), folder)

    def verdicts(self, context: Context[Metric], outcomes: Outcomes) -> Verdicts | None:
        """Return verdicts on printed numbers of the metric."""
        return self.kind.verdicts(self._of_errors(context), measured(context, outcomes))

    def _of_errors(self, context: Context[Metric]) -> Context[Any]:
        return replace(context, option=self.inner)


def kinds_of(metric: str, experiment: Experiment) -> tuple[OfMetric, ...]:
    """Return the kinds of a metric; its means stand beside a printed table of it."""
    beside = experiment.config.tables.every.get(MEANS.key, "")
    # Metrics have units of their own, so no difference is known to be too small to matter.
    kinds = ((MEANS, beside), (COMPARISONS, ""), (RANKING, Options(rope=0.0)))
    return tuple(OfMetric(kind, inner, metric) for kind, inner in kinds)


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
