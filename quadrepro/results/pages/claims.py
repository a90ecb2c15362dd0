"""Parts that pages and their index share: claims, and templates."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quadrepro.papers.paper import Paper
from quadrepro.results.pages.folder import Folder
from quadrepro.results.scoreboard import FAILS, HOLDS, OPEN, SOME, fate_of

GENERATOR = "quadrepro"
"""Says in a page who has written it."""


def render(template: str, **names: Any) -> str:
    """Return a page of a template."""
    return _templates().get_template(template).render(names)


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("quadrepro.results.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    assert templates.loader is not None
    style, script = (templates.loader.get_source(templates, f"page.{e}")[0] for e in ("css", "js"))
    templates.globals |= {
        "generator": GENERATOR,
        "claim_marks": MARKS,
        "style": Markup(style),
        "script": Markup(script),
        # A page runs its own script alone, whatever the names in it are.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return templates


MARKS = {HOLDS: "✓", SOME: "◐", FAILS: "✗", OPEN: "?"}
"""Mark of each, for those who do not see colours."""


@dataclass(frozen=True)
class Judged:
    """What a side says of a claim: its verdict, and the words and numbers behind it."""

    verdict: str
    words: str
    numbers: str

    @property
    def mark(self) -> str:
        """Mark of the verdict."""
        return MARKS[self.verdict]


@dataclass(frozen=True)
class LedgerClaim:
    """A claim.

    Attributes
    ----------
    text : str
        What is claimed.
    timed : bool
        Whether it is judged on measured times.
    ours : Judged
        On our cells.
    printed : Judged or None
        On the printed table; None without one.
    columns, rows : tuple of str
        Columns and rows of the main table that it speaks of, as far as that is known.
    """

    text: str
    timed: bool
    ours: Judged
    printed: Judged | None
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


def make_ledger(
    folder: Folder, paper: Paper | None, rows: Collection[str], columns: Collection[str]
) -> list[LedgerClaim]:
    """Return the claims of a results folder."""
    declared = {text: _words(claim) for text, claim in _declared(folder, paper).items()}
    named = {
        text: tuple(tuple(name for name in names if name in words) for names in (columns, rows))
        for text, words in declared.items()
    }
    found = []
    for line in folder.claims:
        printed = _judged(line["holds in print"], line["printed"])
        found.append(
            LedgerClaim(
                line["claim"],
                line["timed"] == "true",
                _judged(line["holds"], line["ours"]),
                printed if line["holds in print"] else None,
                *named.get(line["claim"], ()),
            )
        )
    return found


def count_claims(verdicts: Iterable[str]) -> dict[str, int]:
    """Return how many claims hold, do not and cannot be judged; what there is none of is absent."""
    counts = Counter(verdicts)
    return {verdict: counts[verdict] for verdict in MARKS if counts[verdict]}


def _judged(holds: str, numbers: str) -> Judged:
    verdict = fate_of(holds)
    words = f"holds on {holds} splits" if " of " in holds else verdict
    return Judged(verdict, words, numbers)


def _declared(folder: Folder, paper: Paper | None) -> dict[str, dict[str, Any]]:
    """Return the claims of the config's group in ``paper.yaml``, by their text."""
    tables = folder.settings.get("tables")
    name = tables.get("claims") if isinstance(tables, dict) else None
    group = paper.groups.get(str(name)) if paper else None
    return {str(claim.get("text")): claim for claim in group.entry.claims} if group else {}


def _words(data: Any) -> set[str]:
    """Return all texts within a declared claim."""
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list | tuple):
        return set().union(*map(_words, data))
    return {data} if isinstance(data, str) else set()
