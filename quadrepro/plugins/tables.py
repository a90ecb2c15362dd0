"""The kinds of tables and figures as a registry, and their contracts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quadrepro.base.plugins import Places
from quadrepro.plugins import Contract
from quadrepro.tables.kinds import KINDS, find_kind
from quadrepro.tables.kinds.base import Kind
from quadrepro.tables.table import ENDINGS


class _Tables(Places[Kind[Any]]):
    """The kinds by their keys."""

    def added(self, name: str) -> Kind[Any] | None:
        """Return what another package adds by a key, or None."""
        return find_kind(name)


# Kinds may share a key; the first is the one that the key is about.
TABLES = _Tables(
    "quadrepro.tables",
    Kind,
    {kind.key: kind for kind in reversed(KINDS)},
    kind="tables",
    meaning="meaning",
)
"""The kinds of quadrepro itself."""

CONFIG = {
    "title": "Contract",
    "baseline": False,
    "repeats": 3,
    "protocol": {"view": "quadboost", "folds": 2},
    "datasets": ["monks"],
    "algorithms": [
        {"name": "adaboost", "grid": {"n_rounds": [1, 3]}},
        {"name": "quadboost", "grid": {"n_rounds": [1, 3]}},
    ],
}
"""A small experiment whose table is written, if the kind can be asked for with `true`."""


def it_makes_files(name: str) -> None:
    """It makes a table or a figure, and a figure has a caption."""
    kind = TABLES.find(name)
    assert kind.table or kind.draw, "it makes neither a table nor a figure"
    assert not kind.draw or kind.caption, "a figure needs a caption"
    assert {*kind.endings} <= {*ENDINGS}, f"endings are {', '.join(ENDINGS)}"


def it_says_what_it_is(name: str) -> None:
    """It says what is written, and its option can be written as a JSON schema."""
    kind = TABLES.find(name)
    assert kind.key == name, f"its key is {kind.key!r}"
    assert kind.meaning, "it has no meaning for the reference"
    assert TypeAdapter(kind.option).json_schema(), "its option has no schema"


def the_same_bytes_twice(name: str) -> None:
    """A table that is asked for with true has the same bytes twice."""
    kind = TABLES.find(name)
    try:
        asked = TypeAdapter(kind.option).validate_python(True, strict=True)
    except ValidationError:
        return
    if kind.timed or asked is not True:
        return
    with TemporaryDirectory() as folder:
        first, second = (_files(name, Path(folder)) for _ in range(2))
    assert first, "no file is written"
    assert first == second, "two calls write other bytes"


def _files(name: str, folder: Path) -> dict[str, bytes]:
    """Return the files of a kind, of an experiment that is computed only once."""
    from quadrepro.api import reproduce

    config = CONFIG | {"tables": {name: True}}
    found = reproduce(config, jobs=0, out=folder, offline=True, progress=False)
    stem = TABLES.find(name).name
    return {path.name: path.read_bytes() for path in found.folder.glob(f"{stem}.*")}


OF_TABLES: tuple[Contract, ...] = (it_makes_files, it_says_what_it_is, the_same_bytes_twice)
