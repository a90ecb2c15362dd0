"""The files of a results folder: where one is, and what it says of itself."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, ValidationError, model_validator

from quadrepro.base.files import is_regular, read_bytes, write_text
from quadrepro.base.models import Model
from quadrepro.base.resources import configs_folder
from quadrepro.config.plan import Plan
from quadrepro.engine.records import Record
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.tables.table import LABEL


def provenance(plan: Plan, records: Iterable[Record]) -> dict[str, Any]:
    """Return what ``run.json`` says: config, data, and with what the cells were computed."""
    config = plan.experiment.config
    return {
        "experiment": plan.experiment.name,
        "config": config.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        "titles": config.titles,
        "seed": config.seed,
        "data": {row: d.content_hash for row, d in plan.datasets.items()},
        "blas_threads": 1,
        "computed": environments(records),
    }


def environments(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return with what the cells were computed, the environment of most cells first."""
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.environment:
            found.setdefault(json.dumps(record.environment, sort_keys=True), []).append(record)
    groups = sorted(found.values(), key=lambda group: (-len(group), group[0].key))
    return [
        {
            "cells": len(group),
            "first": min(record.date for record in group),
            "last": max(record.date for record in group),
            **group[0].environment,
        }
        for group in groups
    ]


def mixture(records: Iterable[Record]) -> str:
    """Return in a sentence what a reader of a table must know of how its cells were computed."""
    computed = environments(records)
    alike = {json.dumps([e["versions"], e["processor"]], sort_keys=True) for e in computed}
    sentences = []
    if len(alike) > 1:
        sentences.append(
            f"Cells were computed with {len(alike)} sets of packages or processors, which"
            " run.json lists."
        )
    if dirty := sum(e["cells"] for e in computed if e["git"].get("dirty")):
        sentences.append(f"{dirty} cells were computed by code that was not committed.")
    return LABEL + " ".join(sentences) if sentences else ""


MANIFEST = "tables.json"
"""Name of the file."""

MOST_IN_ALL = 512 * 2**20
"""Size of all files of a results folder together above which none of them is read."""


def _in_folder(name: str) -> str:
    """Refuse a name that leads out of the results folder."""
    if Path(name).name != name or name == ".." or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a file in this folder")
    return name


FileName = Annotated[str, AfterValidator(_in_folder)]


class TableFiles(Model):
    """The files of one table.

    Attributes
    ----------
    key : str
        The key below ``tables`` in the config that asks for it.
    title : str
        Its title.
    files : tuple of str
        Their names.
    timed : bool
        Whether they hold nothing but measured times.
    timed_rows : tuple of str
        Names of the rows that hold measured times, as the first column of the table or of its CSV
        has them.
    """

    key: str
    title: str
    files: tuple[FileName, ...]
    timed: bool = False
    timed_rows: tuple[str, ...] = ()


class FigureFiles(Model):
    """The files of one figure.

    Attributes
    ----------
    key : str
        The key below ``tables`` in the config that asks for it; empty if none does.
    files : tuple of str
        Their names.
    caption : str, default ""
        Name of the file that says what it shows and how that was computed, in Markdown.
    timed : bool
        Whether it shows measured times.
    """

    key: str
    files: tuple[FileName, ...]
    caption: FileName = ""
    timed: bool = False


class CellsFile(Model):
    """The table of all cells.

    Attributes
    ----------
    file : str
        Its name.
    timed_columns : tuple of str
        Columns that hold measured times.
    key_columns : tuple of str, default ()
        Columns that name records.
    """

    file: FileName
    timed_columns: tuple[str, ...]
    key_columns: tuple[str, ...] = ()


class Manifest(Model):
    """What ``tables.json`` says.

    Attributes
    ----------
    tables : dict of str to TableFiles
        By name of the files without ending; the first one is the table that is shown.
    figures : dict of str to FigureFiles
        By name of the files without ending.
    cells : CellsFile
        The table of all cells.
    score : str, default ""
        The file with the verdicts on each printed table as a whole; empty if nothing is printed.
    """

    tables: dict[FileName, TableFiles]
    figures: dict[FileName, FigureFiles]
    cells: CellsFile
    score: FileName = ""

    @model_validator(mode="after")
    def _refuse_repeated_files(self) -> Self:
        # A page shows each file that is listed, so that a short list could take any time.
        names = self.files
        if len(set(names)) < len(names):
            repeated = next(name for name, n in Counter(names).items() if n > 1)
            raise ValueError(f"{repeated!r} is listed twice")
        return self

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all files."""
        tables = (name for table in self.tables.values() for name in table.files)
        figures = (name for f in self.figures.values() for name in (*f.files, f.caption))
        return tuple(filter(None, (*tables, *figures, self.cells.file, self.score)))

    def write(self, folder: Path) -> None:
        """Write ``tables.json`` into a results folder."""
        text = json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False)
        write_text(folder / MANIFEST, text + "\n")


def read_manifest(folder: Path) -> Manifest | None:
    """Return what the ``tables.json`` of a results folder says, or None if it has none."""
    path = folder / MANIFEST
    if not is_regular(path):
        return None
    with os.scandir(folder) as entries:
        sizes = {entry.name: entry.stat(follow_symlinks=False).st_size for entry in entries}
    if (total := sum(sizes.values())) > MOST_IN_ALL:
        largest = max(sizes, key=sizes.__getitem__)
        raise DataError(
            f"{folder}: its files have {total / 2**20:,.0f} MiB, of which {largest} has "
            f"{sizes[largest] / 2**20:,.0f} MiB; at most {MOST_IN_ALL / 2**20:,.0f} MiB are read"
        )
    try:
        return Manifest.model_validate_json(read_bytes(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(f"{path}: {place + ': ' if place else ''}{first['msg']}") from None


def results_folders(out: Path) -> list[Path]:
    """Return the results folders below a folder, by name."""
    if not out.is_dir():
        return []
    return sorted(path for path in out.iterdir() if is_regular(path / MANIFEST))


def find_results(what: str, out: Path) -> tuple[Path, Path | None]:
    """Return a results folder given by its path, or by the config of its experiment."""
    path = Path(what)
    if is_regular(path / MANIFEST):
        return path, None
    is_config = path.is_file()
    folder = out / (path.stem if is_config else what)
    if is_regular(folder / MANIFEST):
        return folder, path.parent if is_config else None
    known = [other.name for other in results_folders(out)]
    if path.is_dir():
        raise ConfigError(f"{path} is not a results folder: it has no {MANIFEST}")
    shipped = [config.stem for config in configs_folder().glob("*.yaml")]
    if is_config or what in shipped:
        raise ConfigError(f"{out} holds no results of {what}; quadrepro run {what} computes them")
    hint = nearest(what, [*known, *shipped])
    raise ConfigError(f"unknown config or results folder {what!r}{hint}")
