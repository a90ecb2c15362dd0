"""``tables.json``: which tables and figures a results folder holds, and what in them is measured.

It depends on the config alone, so two runs of one config write the same. `quadrepro compare` reads
there which numbers may differ.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from quadrepro._files import write_text
from quadrepro.documents.model import Model
from quadrepro.errors import DataError

MANIFEST = "tables.json"
"""Name of the file."""


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
    files: tuple[str, ...]
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
    files: tuple[str, ...]
    caption: str = ""
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

    file: str
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

    tables: dict[str, TableFiles]
    figures: dict[str, FigureFiles]
    cells: CellsFile
    score: str = ""

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
    """Return what the ``tables.json`` of a results folder says, or None if it has none.

    Raises
    ------
    DataError
        If the file cannot be read or is not what `Manifest.write` writes.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(f"{path}: {place + ': ' if place else ''}{first['msg']}") from None
