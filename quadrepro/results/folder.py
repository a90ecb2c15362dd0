"""A results folder: where it is, and what its files hold, read when asked for and checked.

What its files say is data: nothing that they name is imported.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    JsonValue,
    ValidationError,
    model_validator,
)

from quadrepro.base.files import is_regular, read_bytes, read_text, write_text
from quadrepro.base.models import Model
from quadrepro.base.resources import configs_folder
from quadrepro.config.checks import MAX_CELLS
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.tables.made import VERDICTS
from quadrepro.tables.verdicts import Verdict

MANIFEST, RUN, CELLS, NOTES = "tables.json", "run.json", "cells.csv", "notes.md"
"""Names of files: what is there, how it was computed, all cells, and what was written by hand."""

MOST_IN_ALL = 512 * 2**20
"""Size of all files of a results folder together above which none of them is read."""

OUTSIDE = "What does not reproduce"
"""Heading of the section of the notes that the scoreboard repeats."""

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
"""What becomes of a claim."""


def _in_folder(name: str) -> str:
    """Refuse a name that leads out of the results folder."""
    if Path(name).name != name or name == ".." or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a file in this folder")
    return name


FileName = Annotated[str, AfterValidator(_in_folder)]


class TableFiles(Model):
    """The files of one table."""

    key: str
    """The key below ``tables`` in the config that asks for it."""
    title: str
    files: tuple[FileName, ...]
    timed: bool = False
    """Whether they hold nothing but measured times."""
    timed_rows: tuple[str, ...] = ()
    """Rows that hold measured times, as the first column of the table or of its CSV has them."""


class FigureFiles(Model):
    """The files of one figure."""

    key: str
    """The key below ``tables`` in the config that asks for it; empty if none does."""
    files: tuple[FileName, ...]
    timed: bool = False
    """Whether it shows measured times."""


class CellsFile(Model):
    """The table of all cells, with the columns that hold measured times."""

    file: FileName
    timed_columns: tuple[str, ...]


class Manifest(Model):
    """The content of ``tables.json``."""

    tables: dict[FileName, TableFiles]
    """By name of the files without ending; the first one is the table that is shown."""
    figures: dict[FileName, FigureFiles]
    """By name of the files without ending."""
    cells: CellsFile
    score: FileName = ""
    """The file with the verdicts on whole printed tables; empty if nothing is printed."""

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
        figures = (name for figure in self.figures.values() for name in figure.files)
        return tuple(filter(None, (*tables, *figures, self.cells.file, self.score)))

    def write(self, folder: Path) -> None:
        """Write ``tables.json`` into a results folder."""
        text = json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False)
        write_text(folder / MANIFEST, text + "\n")


class _Kept(BaseModel):
    """Data that another version may have written, with more keys."""

    model_config = ConfigDict(extra="allow", frozen=True, coerce_numbers_to_str=True)


class Commit(_Kept):
    """The commit of the code, and whether it had changes that were not committed."""

    commit: str | None = None
    dirty: bool | None = None


class Processor(_Kept):
    """Architecture and vector instructions."""

    machine: str = ""
    simd: tuple[str, ...] = ()


class Environment(_Kept):
    """Cells that were computed with the same packages, code and processor."""

    cells: int | None = None
    first: str = ""
    """Date of the first of them."""
    last: str = ""
    versions: dict[str, str] = {}
    git: Commit = Commit()
    system: str = ""
    processor: Processor = Processor()
    compiled: bool | None = None


class Run(_Kept):
    """The content of ``run.json``: config, data, and with what the cells were computed."""

    experiment: str = ""
    config: dict[str, JsonValue] = {}
    """As it was written; it need not be a config of this version."""
    titles: dict[str, str] = {}
    """Titles of columns by name."""
    seed: int | None = None
    data: dict[str, str] = {}
    """Hash of the data of each row."""
    conclusion: str = ""
    """The sentence that sums up the comparison; empty for a paper's config."""
    blas_threads: int = 1
    computed: tuple[Environment, ...] = ()
    """The environment of most cells first."""

    @property
    def title(self) -> str:
        """Title of the config; empty without one."""
        return str(self.config.get("title") or "")

    @property
    def paper(self) -> str:
        """What the config calls its paper; empty without one."""
        return str(self.config.get("paper") or "")

    @property
    def claims(self) -> str:
        """The group of claims that the config names; empty without one."""
        tables = self.config.get("tables")
        return str(tables.get("claims") or "") if isinstance(tables, dict) else ""


def read_run(path: Path) -> Run:
    """Return the content of a ``run.json``."""
    try:
        return Run.model_validate_json(read_bytes(path))
    except ValidationError as error:
        raise DataError(f"{path}: {_fault(error)}") from None


def read_rows(path: Path, columns: Collection[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV, each with the number of its line."""
    lines = csv.reader(io.StringIO(read_text(path), newline=""))
    try:
        header = next(lines, [*columns])
        if missing := [column for column in columns if column not in header]:
            raise DataError(
                f"{path}: unknown column {missing[0]!r}; quadrepro table "
                f"{path.absolute().parent.name} writes the folder again"
            )
        for fields in filter(None, lines):
            fields += [""] * (len(header) - len(fields))
            yield lines.line_num, dict(zip(header, fields, strict=False))
    except csv.Error as error:
        raise DataError(f"{path}:{lines.line_num}: {error}") from None


class _Row(BaseModel):
    """A row of a CSV; fields without a default are the columns that it must have."""

    model_config = ConfigDict(frozen=True)


def _finite(number: float | None) -> float | None:
    if number is not None and not math.isfinite(number):
        raise ValueError(f"{number} is not a finite number")
    return number


def _blank(text: str) -> str | None:
    return text or None


Count = Annotated[int | None, BeforeValidator(_blank)]
Number = Annotated[float | None, BeforeValidator(_blank)]
Finite = Annotated[float | None, BeforeValidator(_blank), AfterValidator(_finite)]


class CellRow(_Row):
    """One cell: its result on one split, or why it has none."""

    dataset: str
    algorithm: str
    repeat: str
    status: str
    errors: Count
    """Wrong test examples; None if numbers are predicted."""
    n_test: Count
    value: Number
    """The error rate, or the RMSE if numbers are predicted; None without a result."""
    chosen: Annotated[Json[dict[str, Any]], BeforeValidator(lambda text: text or "{}")]
    seconds: Finite = None
    reason: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.status == "ok") != (self.value is not None):
            raise ValueError("a cell has a value if, and only if, its status is ok")
        if self.errors is not None and self.n_test is None:
            raise ValueError("errors need the number of test examples, n_test")
        return self


class VerdictRow(_Row):
    """The verdict on a printed number."""

    printed_table: str = Field(alias="printed table")
    dataset: str
    algorithm: str
    quantity: str
    printed: str
    ours: Finite
    low: Finite
    high: Finite
    p: Finite
    verdict: str
    reason: str

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        float(self.printed)
        if self.p is not None and None in (self.ours, self.low, self.high):
            raise ValueError("a verdict needs our number and its interval")
        return self

    def as_verdict(self) -> Verdict:
        """Return it as the tables have it."""
        place = self.dataset, self.algorithm, self.quantity, self.printed
        return Verdict(*place, self.ours, self.low, self.high, self.p, self.reason)


class Score(_Row):
    """The verdicts on a printed table as a whole."""

    printed: str = Field(alias="printed table")
    numbers: int
    """The number of printed numbers; how many of them have each verdict follows."""
    inside: int
    outside: int
    not_comparable: int = Field(alias="not comparable")
    expected: Finite = Field(alias="expected outside")
    """By chance, see `quadrepro.stats.Misses`; these are None if nothing is comparable."""
    low: Finite
    high: Finite
    p_more: Finite = Field(alias="p more")
    p_fewer: Finite = Field(alias="p fewer")
    surely_off: Json[tuple[tuple[str, str], ...]] = Field(alias="surely off")
    """Row and column of the entries that are off after Holm's correction."""

    @model_validator(mode="after")
    def _knows_chance(self) -> Self:
        chance = (self.expected, self.low, self.high, self.p_more, self.p_fewer)
        if self.judged and None in chance:
            raise ValueError("numbers are judged, but the numbers expected by chance are missing")
        return self

    @property
    def judged(self) -> int:
        """The number of those that are inside or outside."""
        return self.inside + self.outside

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the number outside: twice the smaller probability, at most 1."""
        return min(1.0, 2 * min(self.p_more or 0.0, self.p_fewer or 0.0))


class Tally(NamedTuple):
    """Printed numbers of several tables: compared, inside, and outside by chance on average."""

    judged: int
    inside: int
    expected: float

    @classmethod
    def of(cls, scores: Iterable[Score]) -> Tally:
        """Add up scores."""
        found = [*scores]
        return cls(
            sum(score.judged for score in found),
            sum(score.inside for score in found),
            sum(score.expected or 0.0 for score in found),
        )


class ClaimRow(_Row):
    """A claim of the paper, judged on our cells and in print."""

    text: str = Field(alias="claim")
    timed: Annotated[bool, BeforeValidator(lambda text: text == "true")]
    """Whether it is judged on measured times."""
    ours: str
    """Our numbers in words."""
    holds: str
    printed: str
    holds_in_print: str = Field(alias="holds in print")
    """Empty if nothing is printed."""

    @property
    def fate(self) -> str:
        """What becomes of it on our cells."""
        return fate_of(self.holds)


def fate_of(holds: str) -> str:
    """Return what becomes of a claim from the column ``holds`` of ``claims.csv``."""
    return holds if holds in (HOLDS, FAILS) else OPEN


Place = tuple[str, str]
R = TypeVar("R", bound=_Row)


@dataclass(frozen=True)
class Folder:
    """A results folder; a file that is not there is empty."""

    path: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.run.experiment or self.path.resolve().name

    @property
    def title(self) -> str:
        """Title of the experiment."""
        return self.run.title or self.name

    @cached_property
    def run(self) -> Run:
        """How the cells were computed."""
        path = self.path / RUN
        return read_run(path) if is_regular(path) else Run()

    @cached_property
    def cells(self) -> dict[Place, list[CellRow]]:
        """The cells of every entry, by data set and algorithm."""
        found: dict[Place, list[CellRow]] = {}
        for cell in self._rows(CELLS, CellRow):
            found.setdefault((cell.dataset, cell.algorithm), []).append(cell)
        # The main table has an entry for each pair, also where the file has no cell.
        rows, columns = (len({place[i] for place in found}) for i in (0, 1))
        if rows * columns > MAX_CELLS:
            raise DataError(
                f"{self.path / CELLS}: a table of {rows:,} rows and {columns:,} columns is too "
                f"large: at most {MAX_CELLS:,} entries"
            )
        return found

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return sum(map(len, self.cells.values()))

    @property
    def n_lacking(self) -> int:
        """The number of cells without a result."""
        return sum(cell.value is None for cells in self.cells.values() for cell in cells)

    @cached_property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """The verdict on every printed number, with the name of the printed table."""
        return [
            (row.printed_table, row.as_verdict())
            for row in self._rows(f"{VERDICTS}.csv", VerdictRow)
        ]

    @cached_property
    def scores(self) -> list[Score]:
        """How each printed table fares."""
        return [*self._rows(self.manifest.score, Score)]

    @property
    def tally(self) -> Tally:
        """How all printed numbers fare."""
        return Tally.of(self.scores)

    @cached_property
    def claims(self) -> list[ClaimRow]:
        """The claims of the paper."""
        return [*self._rows("claims.csv", ClaimRow)]

    @property
    def fates(self) -> Counter[str]:
        """The number of claims that hold, that do not, and that are not decided."""
        return Counter(claim.fate for claim in self.claims)

    @property
    def open_points(self) -> str:
        """The section of the notes on what does not reproduce, and why."""
        path = self.path / NOTES
        text = read_text(path) if is_regular(path) else ""
        _, _, rest = text.partition(f"\n## {OUTSIDE}\n")
        return rest.partition("\n## ")[0].strip()

    def check(self) -> None:
        """Read all files but notes, tables and figures."""
        for name in ("run", "cells", "verdicts", "scores", "claims"):
            getattr(self, name)

    def text(self, name: str) -> str:
        """Return the text of a file; empty if there is none, or it is not in the folder."""
        return self.content(name).decode("utf-8", errors="replace")

    def content(self, name: str) -> bytes:
        """Return the bytes of a file, as `text` does."""
        # A manifest of a stranger must not bring other files into a page.
        if Path(name).name != name or not is_regular(self.path / name):
            return b""
        return read_bytes(self.path / name)

    def _rows(self, name: str, of: type[R]) -> Iterator[R]:
        """Yield the rows of a CSV."""
        path = self.path / name
        if not is_regular(path):
            return
        fields = of.model_fields.items()
        columns = [field.alias or name for name, field in fields if field.is_required()]
        for i, (line, row) in enumerate(read_rows(path, columns)):
            if i == MAX_CELLS:
                raise DataError(f"{path}:{line}: at most {MAX_CELLS:,} rows are read")
            try:
                yield of.model_validate(row)
            except ValidationError as error:
                raise DataError(f"{path}:{line}: {_fault(error)}") from None


def read_folder(path: Path) -> Folder:
    """Return a results folder."""
    if not is_regular(path / MANIFEST):
        raise ConfigError(f"{path} is not a results folder: it has no {MANIFEST}")
    with os.scandir(path) as entries:
        sizes = {entry.name: entry.stat(follow_symlinks=False).st_size for entry in entries}
    if (total := sum(sizes.values())) > MOST_IN_ALL:
        largest = max(sizes, key=sizes.__getitem__)
        raise DataError(
            f"{path}: its files have {total / 2**20:,.0f} MiB, of which {largest} has "
            f"{sizes[largest] / 2**20:,.0f} MiB; at most {MOST_IN_ALL / 2**20:,.0f} MiB are read"
        )
    try:
        return Folder(path, Manifest.model_validate_json(read_bytes(path / MANIFEST)))
    except ValidationError as error:
        raise DataError(f"{path / MANIFEST}: {_fault(error)}") from None


def _fault(error: ValidationError) -> str:
    """Return the first fault, with its place."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place + ': ' if place else ''}{first['msg'].removeprefix('Value error, ')}"


def results_folders(out: Path) -> list[Path]:
    """Return the results folders below a folder, by name."""
    if not out.is_dir():
        return []
    return sorted(path for path in out.iterdir() if is_regular(path / MANIFEST))


def find_results(what: str, out: Path) -> tuple[Path, Path | None]:
    """Return a results folder given by its path, or by the config of its experiment.

    In the latter case the folder of the config is returned as well, which may hold its paper.
    """
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
