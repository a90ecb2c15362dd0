"""What a config takes from its paper, and what is wrong if that is not there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from statistics import median
from typing import TYPE_CHECKING

from quadrepro.base.text import few
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.paper import Paper, load_paper, paper_names
from quadrepro.papers.printed import NOTHING, Holds, NotThereError, Printed

if TYPE_CHECKING:
    from quadrepro.config.config import Experiment

MISSPELT = 0.85
"""Names that are at least so similar, by `difflib`, are taken for one name."""


def printed_for(experiment: Experiment, name: str) -> Printed:
    """Return a printed table of the paper, under the titles of the config's rows."""
    if not name or experiment.paper is None:
        return NOTHING
    table = experiment.paper.printed(name)
    # The rows of comparisons are algorithms.
    of_algorithms = table.facts.holds == "comparisons"
    return table if of_algorithms else table.under(experiment.config.entries)


_AVERAGE = r"average|avg\.?|mean|median|rank"
AVERAGE = re.compile(rf"(?:(?:{_AVERAGE}|overall) )?(?:{_AVERAGE})s?", re.IGNORECASE)
"""Names of rows that summarise the others."""


def described(experiment: Experiment) -> list[str]:
    """Return what the printed tables of a config are, and how many of their numbers meet a cell."""
    paper = experiment.paper
    asked = experiment.config.tables.every.values()
    names = dict.fromkeys(name for name in asked if isinstance(name, str))
    tables = [paper.printed(name) for name in names if paper and name in paper.tables]
    return [_described(experiment, table) for table in tables]


def _described(experiment: Experiment, table: Printed) -> str:
    columns = {algorithm.name for algorithm in experiment.config.algorithms}
    rows = {table.row_of(entry) for entry in experiment.config.entries}
    if table.facts.holds == "comparisons":
        rows = {*columns}
    else:
        columns = {table.mean_column(name) for name in columns}
    numbers = table.numbers
    met = sum(row in rows and column in columns for row, column in numbers)
    text = f"printed {table.name}, {table.words}: {met} of {len(numbers)} numbers meet a cell"
    absent = {of.name for of in experiment.config.absent}
    others = [f"row {row}" for row in table.rows if row not in rows | absent]
    others += [f"column {c}" for c in dict.fromkeys(c for _, c in numbers) if c not in columns]
    if others:
        text += f"; without one: {few(others)}"
    if of_absent := [row for row in table.rows if row in absent - rows]:
        text += f"; absent: {few(of_absent)}"
    if found := [row for row in table.rows if row not in rows and AVERAGE.fullmatch(row)]:
        text += f" (ignore: [{', '.join(found)}] leaves out what summarises other rows)"
    shares = [float(table.text(*at)) for at in numbers]
    half = {"percent": 50, "fraction": 0.5}.get(table.facts.unit or "", math.inf)
    unsaid = "metric" not in table.facts.model_fields_set and "regression" not in {
        *experiment.tasks.values()
    }
    if unsaid and shares and median(shares) > half:
        text += "; most are above one half: if they are accuracies, set metric: accuracy"
    return text


def check_printed(experiment: Experiment, key: str, name: str, holds: Holds) -> None:
    """Refuse a printed table that is not there or does not fit the config."""
    # Read even if no table is asked for, so that a paper that is not there is refused.
    paper = experiment.paper
    if not name:
        return
    if paper is None:
        raise _no_paper(experiment, key, name)
    try:
        table = paper.printed(name)
    except NotThereError as error:
        raise experiment.error(str(error), "tables", key) from None
    if table.facts.holds != holds:
        found = table.facts.holds
        message = f"{name} of the paper {paper.reference} holds {found}, and not {holds}"
        raise experiment.error(message, "tables", key)
    _check_names(experiment, table)


def check_claims(experiment: Experiment, name: str) -> None:
    """Refuse claims that are not there or do not fit the config."""
    paper = experiment.paper
    if paper is None:
        raise _no_paper(experiment, "claims", name)
    try:
        group = paper.group(name)
    except NotThereError as error:
        raise experiment.error(str(error), "tables", "claims") from None
    titles = [entry.title for entry in experiment.config.entries]
    for i, claim in enumerate(group.claims):
        place = ("claims", name, "claims", i)
        for key, rows in (("rows", claim.rows), ("except", claim.excluded)):
            for j, row in enumerate(rows):
                if row not in titles and (meant := _misspelt([row], titles)):
                    message = (
                        f"{experiment.source.path} has no row {row!r}; did you mean {meant!r}?"
                    )
                    raise paper.error(message, *place, key, j)
    for table in group.printed:
        _check_names(experiment, paper.printed(table))
    _check_algorithms(experiment, tuple(paper.file.names), f"the paper {paper.reference}")


def _no_paper(experiment: Experiment, key: str, name: str) -> ConfigError:
    """Return the error of a name of a table or of claims in a config without a paper."""
    known = ", ".join(paper_names())
    message = (
        f"{key}: name the paper that {name} belongs to, as paper: NAME (known are {known}) or "
        "paper: ./FOLDER"
    )
    for paper in paper_names():
        if name == paper or name.startswith(f"{paper}-"):
            message = _with_paper(load_paper(paper), key, name) or message
    return experiment.error(message, "tables", key)


def _with_paper(paper: Paper, key: str, name: str) -> str:
    """Return what is to be written instead of a name that holds the paper's, if it is one."""
    known = list(paper.groups) if key == "claims" else paper.tables
    of_paper = name.removeprefix(f"{paper.reference}-")
    if of_paper in known:
        what = f"{name} is {of_paper} of the paper {paper.reference}"
    elif name == paper.reference:
        what, of_paper = f"{name} is a paper", " or ".join(known)
    else:
        return ""
    return f"{what}: write paper: {paper.reference} and {key}: {of_paper}"


def _check_names(experiment: Experiment, table: Printed) -> None:
    """Refuse rows and columns that are nearly, but not quite, called like printed ones."""
    where = str(table.path)
    ours = {algorithm.name for algorithm in experiment.config.algorithms}
    if table.facts.holds != "comparisons" and {*table.rows} & ours and experiment.paper:
        message = f"lines of {where} are algorithms: set rows: algorithms"
        raise experiment.paper.error(message, "printed", table.name)
    _check_algorithms(experiment, table.algorithms, where)
    if table.facts.holds == "comparisons":
        _check_algorithms(experiment, table.rows, where)
        return
    config = experiment.config
    _check_named_rows(experiment, table)
    taken = {table.row_of(entry) for entry in config.entries} | {a.name for a in config.absent}
    free = [row for row in table.rows if row not in taken]
    for row in config.rows:
        names = [row.entry.printed, row.entry.title, row.entry.name]
        if table.row_of(row.entry) is None and (meant := _misspelt(names, free)):
            message = (
                f"no row {row.entry.title!r} is printed; did you mean {meant!r} "
                f"({where}:{table.lines[meant]})?"
            )
            raise experiment.error(message, *row.place)


def _check_named_rows(experiment: Experiment, table: Printed) -> None:
    """Refuse a row whose ``printed:`` names no row of any table of the paper."""
    paper = experiment.paper
    assert paper is not None
    named = [row for row in experiment.config.rows if row.entry.printed]
    if not named:
        return
    known = {name for other in paper.tables for name in paper.printed(other).rows}
    for row in named:
        name = row.entry.printed
        if name not in known:
            message = f"no row {name!r} is printed{nearest(name, table.rows)} ({table.path})"
            raise experiment.error(message, *row.place)


def _check_algorithms(experiment: Experiment, names: Sequence[str], where: str) -> None:
    ours = dict.fromkeys(algorithm.name for algorithm in experiment.config.algorithms)
    free, known = [name for name in names if name not in ours], set(names)
    for i, name in enumerate(ours):
        if name not in known and (meant := _misspelt([name], free)):
            message = f"{where} has no algorithm {name!r}; did you mean {meant!r}?"
            raise experiment.error(message, "algorithms", i, "name")


def _misspelt(names: Iterable[str], known: Sequence[str]) -> str | None:
    """Return the known name that one of some names is a misspelling of, or None.

    Names with other digits are other names: table1 is not table2.
    """
    for name in names:
        for other in get_close_matches(name, known, len(known) or 1, MISSPELT):
            if re.findall(r"\d+", name) == re.findall(r"\d+", other):
                return other
    return None
