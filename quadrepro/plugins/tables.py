"""The kinds of tables and figures as a registry, and their contracts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quadrepro.config.tables import KINDS
from quadrepro.plugins import Contract
from quadrepro.tables.kinds.base import TableKind
from quadrepro.tables.table import ENDINGS

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


def kind_of(name: str) -> TableKind[Any]:
    """Return a kind of table or figure."""
    found = KINDS.find(name)
    assert isinstance(found, TableKind), f"{name} is not a kind of table"
    return found


def it_makes_files(name: str) -> None:
    """It makes a table or a figure, and a figure has a caption."""
    kind = kind_of(name)
    assert kind.makes_table or kind.makes_figure, "it makes neither a table nor a figure"
    has_caption = type(kind).caption is not TableKind.caption
    assert has_caption or not kind.makes_figure, "a figure needs a caption"
    assert {*kind.endings} <= {*ENDINGS}, f"endings are {', '.join(ENDINGS)}"


def it_says_what_it_is(name: str) -> None:
    """It says what is written, and its option can be written as a JSON schema."""
    kind = kind_of(name)
    assert kind.key == name, f"its key is {kind.key!r}"
    assert kind.meaning, "it has no meaning for the reference"
    assert TypeAdapter(kind.option).json_schema(), "its option has no schema"


def the_same_bytes_twice(name: str) -> None:
    """A table that is asked for with true has the same bytes twice."""
    kind = kind_of(name)
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
    stem = kind_of(name).name
    return {path.name: path.read_bytes() for path in found.folder.glob(f"{stem}.*")}


OF_TABLES: tuple[Contract, ...] = (it_makes_files, it_says_what_it_is, the_same_bytes_twice)
