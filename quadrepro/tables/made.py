"""All that is made of an experiment's records: what the config asks for, and the verdicts."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from quadrepro.config.config import Experiment
from quadrepro.config.tables import KINDS
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.kinds.base import Context, Kind, Made
from quadrepro.tables.printed_figure import draw_printed
from quadrepro.tables.verdicts import verdicts_table

VERDICTS = "verdicts"
"""Name of the table of verdicts, which is made wherever something is printed."""


def _asked(experiment: Experiment) -> dict[str, tuple[Kind[Any], Context[Any]]]:
    """Return the kinds that a config asks for, and those that are always written."""
    return {
        key: (cast("Kind[Any]", KINDS.find(key)), Context(experiment, key, option))
        for key, option in experiment.config.tables.every.items()
    }


def check_tables(experiment: Experiment) -> None:
    """Refuse a config that asks for tables or figures that cannot be made."""
    for kind, context in _asked(experiment).values():
        kind.check(context)


def make_tables(experiment: Experiment, outcomes: Outcomes) -> dict[str, Made]:
    """Return everything that is written of an experiment, by the name of its files."""
    found = {
        key: made
        for key, (kind, context) in _asked(experiment).items()
        if (made := kind.make(context, outcomes)) is not None
    }
    verdicts = [of.verdicts for of in found.values() if of.verdicts and of.verdicts.entries]
    if verdicts:
        draw = partial(draw_printed, experiment, verdicts) if outcomes.repeats > 1 else None
        found[VERDICTS] = Made(verdicts_table(experiment, verdicts), draw)
    return found
