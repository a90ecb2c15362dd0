"""All that is made of an experiment's records: what the config asks for, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from quadrepro.config.config import Experiment
from quadrepro.config.tables import KINDS, asked_for
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.kinds.base import Context, Kind, Made
from quadrepro.tables.verdicts import verdicts_table

VERDICTS = "verdicts"
"""Name of the table of verdicts, which is made wherever something is printed."""


def _asked(experiment: Experiment) -> Iterator[tuple[Kind[Any], Context[Any]]]:
    """Yield the kinds that a config asks for, and those that are always written."""
    for key, option in asked_for(experiment.config.tables).items():
        yield cast("Kind[Any]", KINDS.find(key)), Context(experiment, key, option)


def check_tables(experiment: Experiment) -> None:
    """Refuse a config that asks for tables or figures that cannot be made."""
    for kind, context in _asked(experiment):
        kind.check(context)


def make_tables(experiment: Experiment, outcomes: Outcomes) -> dict[str, Made]:
    """Return everything that is written of an experiment, by the name of its files."""
    made = {kind.key: kind.make(context, outcomes) for kind, context in _asked(experiment)}
    found = {key: of for key, of in made.items() if of is not None}
    verdicts = [of.verdicts for of in found.values() if of.verdicts and of.verdicts.entries]
    if verdicts:
        found[VERDICTS] = Made(verdicts_table(experiment, verdicts))
    return found
