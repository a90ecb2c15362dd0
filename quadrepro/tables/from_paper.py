"""Printed tables and claims that a config takes from its paper, by their exact names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from quadrepro.base.models import Model
from quadrepro.base.text import few
from quadrepro.config.config import Experiment, asked_for
from quadrepro.errors import nearest
from quadrepro.papers.paper import Paper, paper_names
from quadrepro.papers.printed import Holds, NotThereError, Printed

MISSPELT = 0.85
"""Minimum similarity, by `difflib`, of two names that are taken for one."""


def described(experiment: Experiment) -> list[str]:
    """Return the printed tables of a config in words, and how much of each is recomputed."""
    options = [*asked_for(experiment.config.tables).values()]
    for option in [option for option in options if isinstance(option, Model)]:
        options += vars(option).values()
    paper = experiment.paper
    names = [name for name in paper.tables if name in options] if paper else []
    return [_described(experiment, paper.printed(name)) for name in names if paper]


def _described(experiment: Experiment, table: Printed) -> str:
    config = experiment.config
    columns = {algorithm.name for algorithm in config.algorithms}
    rows = {table.row_of(row.item.printed_names) for row in config.rows}
    if table.facts.holds == "comparisons":
        rows = {*columns}
    columns = {table.mean_column(name) for name in columns}
    n = sum(row in rows and column in columns for row, column in table.numbers)
    text = f"printed {table.name}, {table.description}: {n} of {len(table.numbers)} numbers are "
    others = [f"row {row}" for row in table.rows if row not in rows]
    others += dict.fromkeys(f"column {c}" for _, c in table.numbers if c not in columns)
    return f"{text}recomputed{'; not recomputed: ' * bool(others)}{few(others)}"


def check_printed(experiment: Experiment, key: str, name: str, holds: Holds) -> None:
    """Refuse a printed table that is missing or does not fit the config."""
    # Read even if no table is asked for, so that a missing paper is refused.
    paper = _paper(experiment, key, name)
    if paper is None or not name:
        return
    try:
        table = paper.printed(name)
    except NotThereError as error:
        raise experiment.error(str(error), "tables", key) from None
    if table.facts.holds != holds:
        kind = table.facts.holds
        message = f"{name} of the paper {paper.reference} holds {kind}, and not {holds}"
        raise experiment.error(message, "tables", key)
    _check_names(experiment, paper, table)


def check_claims(experiment: Experiment, name: str) -> None:
    """Refuse claims that are missing or do not fit the config."""
    paper = _paper(experiment, "claims", name)
    if paper is None:
        return
    try:
        group = paper.group(name)
    except NotThereError as error:
        raise experiment.error(str(error), "tables", "claims") from None
    titles = [row.title for row in experiment.config.rows]
    for i, claim in enumerate(group.claims):
        for key, rows in (("rows", claim.rows), ("except", claim.excluded)):
            for j, row in enumerate(rows):
                if near := _nearly(row, titles):
                    missing = f"{experiment.source.path} has no row {row!r}"
                    message = f"{missing}; did you mean {near!r}?"
                    raise paper.error(message, "claims", name, "claims", i, key, j)
    for table in group.printed:
        _check_names(experiment, paper, paper.printed(table))
    _check_columns(experiment, paper.file.names, f"the paper {paper.reference}")


def _paper(experiment: Experiment, key: str, name: str) -> Paper | None:
    """Return the paper of a config; refuse the name of a table or of claims without one."""
    if experiment.paper is None and name:
        message = f"name the paper that {name} belongs to, as paper: NAME or paper: ./FOLDER"
        names = ", ".join(paper_names())
        raise experiment.error(f"{message}; known are {names}", "tables", key)
    return experiment.paper


def _check_names(experiment: Experiment, paper: Paper, table: Printed) -> None:
    """Refuse rows and columns that are nearly, but not quite, called like printed ones."""
    config, where = experiment.config, str(table.path)
    _check_columns(experiment, table.algorithms, where)
    if table.facts.holds == "comparisons":
        return _check_columns(experiment, table.rows, where)
    every = {row for name in paper.tables for row in paper.printed(name).rows}
    taken = {table.row_of(row.item.printed_names) for row in config.rows}
    taken |= {absent.name for absent in config.absent}
    free = [row for row in table.rows if row not in taken]
    for i, item in enumerate(config.datasets):
        name = item.printed or item.title
        hint = nearest(name, table.rows) if item.printed and name not in every else ""
        if table.row_of(item.printed_names) is None and (near := _nearly(name, free)):
            hint = f"; did you mean {near!r} ({where}:{table.lines[near]})?"
        if hint:
            raise experiment.error(f"no row {name!r} is printed{hint}", "datasets", i)


def _check_columns(experiment: Experiment, names: Iterable[str], where: str) -> None:
    ours = [algorithm.name for algorithm in experiment.config.algorithms]
    printed = {*names}
    for i, name in enumerate(ours):
        if name not in printed and (near := _nearly(name, [*printed.difference(ours)])):
            message = f"{where} has no algorithm {name!r}; did you mean {near!r}?"
            raise experiment.error(message, "algorithms", i, "name")


def _nearly(name: str, names: Sequence[str]) -> str | None:
    """Return the one of some names that a misspelt name is, or None if it is one or not alike.

    Names with other digits are other names: table1 is not table2.
    """
    alike = get_close_matches(name, names, len(names) or 1, MISSPELT) if name not in names else []
    return next((o for o in alike if re.findall(r"\d+", o) == re.findall(r"\d+", name)), None)
