"""Sources of a card, and how to turn their tables into its rows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PositiveInt, ValidationInfo, field_validator

from quadrepro.base.models import Model
from quadrepro.data.schema import series


def text_encoding(name: str) -> str:
    """Return the name of an encoding in lower case, or raise ValueError."""
    try:
        "".encode(name)
    except LookupError:
        raise ValueError(f"unknown encoding {name!r}; known are Python's") from None
    return name.lower().replace("_", "-")


def _expanded_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for name in names for one in series(name))


def _expanded_codes(codes: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {one: renamed for name, renamed in codes.items() for one in series(name)}


GAPS = ("?", "", "NA", "N/A", "NaN", "NULL", "None", "na", "n/a", "nan", "null", "#N/A")
"""Words that always mean a missing value in a file of the user."""


PART = "part"
"""Name of the column that tells training and test rows of two files apart."""


class Layout(Model):
    """How to turn the table of a source into the rows of a card."""

    columns: Annotated[tuple[str, ...], AfterValidator(_expanded_columns)] = ()
    """Attribute or target in each column; '' leaves a column out."""
    codes: Annotated[dict[str, dict[str, str]], AfterValidator(_expanded_codes)] = Field({})
    """Codes of the source by column, with their names in the card."""
    missing: tuple[str, ...] = ("?", "")
    """Texts that mean a missing value."""
    rows: tuple[PositiveInt, PositiveInt] | None = None
    """First and last row to use, counted from 1; by default all."""
    only: dict[str, tuple[str, ...]] = Field({})
    """Rows to use, by the codes of columns as named in the card."""
    complete: bool = False
    """Whether rows with missing values are left out."""
    drop_unlabelled: bool = False
    """Whether rows without a label are left out."""
    decimal: Literal[".", ","] = "."
    """Decimal sign of numbers."""
    thousands: bool = False
    """Whether the other sign separates thousands."""
    note: str = ""
    """What users should know about this source."""


class FileLayout(Layout):
    """How a file is read."""

    format: Literal["csv", "arff", "libsvm", "parquet", "idx", "mat", "excel", "json"] = "csv"
    """`csv` is any text with one row per line, `idx` is MNIST's format."""
    separator: str = Field(",", pattern=r'^(blank|[^"\r\n])$')
    """Character between fields, or `blank`."""
    encoding: Annotated[str, AfterValidator(text_encoding)] = "utf-8"
    """Encoding of `csv` and `arff`."""
    skip: int = Field(0, ge=0)
    """Number of lines above the first row."""
    sheet: str = ""
    """Sheet of `excel`, by default the first."""


class RemoteFile(Model):
    """A file on the web."""

    url: str = Field(pattern=r"^https?://")
    """Address; `.gz`, `.zip` are unpacked."""
    hash: str | None = Field(None, pattern=r"^(sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$")
    """`sha256:` or `md5:` and hexadecimal digits."""
    member: str = ""
    """File inside a `.zip` that has several."""
    constants: dict[str, str] = Field({})
    """Columns to append, with their value in all rows of this file."""


class GeneratedSource(Model):
    """The rows of a card, drawn by a rule of `quadrepro.data.rules`."""

    kind: Literal["generated"]
    """Kind of source."""
    generator: str
    """Name of the rule."""
    seed: int = Field(ge=0)
    """Seed of the random numbers."""
    parameters: dict[str, float] = Field({})
    """Parameters of the rule, as `sigma`."""


class OpenMLSource(Layout):
    """A data set of OpenML."""

    kind: Literal["openml"]
    """Kind of source."""
    id: PositiveInt
    """Number, which means a name and a version."""


class WebSource(FileLayout):
    """Files of UCI's archive or of a mirror, whose rows are put one below the other."""

    kind: Literal["uci", "mirror"]
    """Whether it is UCI's archive."""
    files: tuple[RemoteFile, ...] = Field(min_length=1)
    """Files in their order."""


class FileSource(FileLayout):
    """A file of the user."""

    kind: Literal["file"]
    """Kind of source."""
    path: str
    """Path from the card's folder; `.gz`, `.zip` are unpacked."""
    member: str = ""
    """File inside a `.zip` that has several."""
    header: int = Field(0, ge=0)
    """Line with the names of the columns; 0 without one."""
    test: str = ""
    """Path of a file with the test rows; they are below."""
    test_skip: int = Field(0, ge=0)
    """Number of lines above its first row."""

    @field_validator("path", "test")
    @classmethod
    def _from_card(cls, path: str, info: ValidationInfo) -> str:
        return str((info.context["folder"] / path).resolve()) if info.context and path else path


Source = Annotated[
    GeneratedSource | OpenMLSource | WebSource | FileSource, Field(discriminator="kind")
]


def describe(source: Source) -> str:
    """Return a source in words, such as ``OpenML 37``."""
    match source:
        case GeneratedSource():
            return "generated by rule"
        case OpenMLSource():
            return f"OpenML {source.id}"
        case WebSource():
            return " + ".join(file.url for file in source.files)
        case FileSource():
            return source.path


def origin(source: Source) -> str:
    """Return where a source is, without its address, such as ``OpenML 37`` or ``UCI``."""
    names = {"generated": "rule", "openml": describe(source), "uci": "UCI", "file": "own file"}
    return names.get(source.kind, source.kind)
