"""The index of a results folder: its files, and how its cells were computed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from quadrepro.base.files import read_bytes
from quadrepro.base.models import Model
from quadrepro.errors import DataError

MANIFEST, RUN, NOTES = "tables.json", "run.json", "notes.md"
"""Names of files: the list of tables, how they were computed, and the notes by hand."""

CELLS, SCORE = "cells.csv", "score.csv"
"""Names of files: all cells, and the verdicts on each printed table as a whole."""

PAGE, INDEX = "report.html", "index.html"
"""Names of files: the page of a results folder, and the index above the folders."""

TOLERANCE = 1e-6
"""Relative difference of numbers that are not counts, by default."""

WRITE_AGAIN = "`quadrepro table CONFIG` writes the folder again"
"""Advice for a folder of another version."""

M = TypeVar("M", bound=BaseModel)


FileName = Annotated[str, Field(pattern=r"^\w[\w.-]*$")]
"""The name of a file, which does not lead out of the results folder."""


class TableFacts(Model):
    """A table, whose numbers are in the CSV of its name."""

    title: str
    timed_rows: tuple[str, ...] = ()
    """First cells of the rows that hold measured times."""


class Manifest(Model):
    """The content of ``tables.json``."""

    tables: dict[FileName, TableFacts] = Field(default_factory=dict)
    """By name of the files without ending; the first one is the table that is shown."""
    figures: tuple[FileName, ...] = ()
    """Names of the files of figures."""
    percent: tuple[str, ...] = ()
    """Names of the printed tables whose numbers are shown in percent."""

    @property
    def files(self) -> set[str]:
        """Names of all files of tables and figures."""
        return {f"{name}{end}" for name in self.tables for end in (".md", ".csv")} | {*self.figures}


class Run(BaseModel):
    """The content of ``run.json``: config, data, packages and machines."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    experiment: str = ""
    file: str = ""
    """Path from this folder to a config of your own; empty for one that ships."""
    config: dict[str, JsonValue] = {}
    """As it was written; it need not be a config of this version."""
    titles: dict[str, str] = {}
    """Titles of columns by name."""
    seed: int | None = None
    data: dict[str, str] = {}
    """Hash of the data of each row."""
    conclusion: str = ""
    """The sentence that sums up the run."""
    best: str = ""
    """Name of the best column of a comparison; empty without one."""
    computed: tuple[dict[str, JsonValue], ...] = ()
    """Packages and machines, the most frequent ones first; another version may keep other keys."""

    def config_text(self, key: str) -> str:
        """Return a text of the config, such as its title; empty without one."""
        return str(self.config.get(key) or "")

    @property
    def claims(self) -> str:
        """The group of claims that the config names; empty without one."""
        tables = self.config.get("tables")
        return str(tables.get("claims") or "") if isinstance(tables, dict) else ""


def read_json(path: Path, model: type[M]) -> M:
    """Return the content of a JSON file of a results folder."""
    try:
        return model.model_validate_json(read_bytes(path))
    except ValidationError as error:
        first = error.errors()[0]
        fault = f"{'.'.join(map(str, first['loc']))}: {first['msg'].removeprefix('Value error, ')}"
        raise DataError(f"{path}: {fault.removeprefix(': ')}; {WRITE_AGAIN}") from None


def facts_of(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return the packages and machines of cells, text by name."""
    return {name: text for name, value in environment.items() if (text := inline(value))}


def inline(value: Any) -> str:
    """Return nested values in a line, such as ``numpy 2.4, scipy 1.17``, without empty ones."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {text}" for name, part in value.items() if (text := inline(part)))
    if isinstance(value, list | tuple):
        return ", ".join(map(inline, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
