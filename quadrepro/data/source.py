"""The sources that a card can name, and how their tables become that of the card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from quadrepro.base.models import Model, fault
from quadrepro.data.schema import MAX_ROWS, every_name

RowNumber = Annotated[int, Field(gt=0, lt=MAX_ROWS)]


def text_encoding(name: str) -> str:
    """Return the name of an encoding in lower case, or raise ValueError."""
    try:
        "".encode(name)
    except LookupError:
        raise ValueError(f"unknown encoding {name!r}; known are those of Python") from None
    return name.lower().replace("_", "-")


class Layout(Model):
    """How the table of a source becomes that of the card."""

    columns: tuple[str, ...] = Field(
        default=(),
        description="The columns of the source in their order: for each, the name of an attribute,"
        " `target`, or an empty text if the column is left out. `p1..p784` stands for 784 columns."
        " By default, the attributes of the card, then the target.",
    )
    codes: dict[str, dict[str, str]] = Field(
        default_factory=dict,
        description="By column: the codes of the source, and their names in the card. A code that"
        " is not listed keeps its name. As in `columns`, a series of columns can be given.",
    )
    missing: tuple[str, ...] = Field(
        default=("?", ""), description="How the source writes missing values."
    )
    rows: tuple[RowNumber, RowNumber] | None = Field(
        default=None,
        description="The first and the last row of the source to use, counted from 1. By default,"
        " all rows.",
    )
    only: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="By column: the codes, as named in the card, of the rows to use. By default,"
        " all rows.",
    )
    complete: bool = Field(
        default=False, description="Whether rows with missing values are left out."
    )
    drop_unlabelled: bool = Field(
        default=False,
        description="Whether rows without a label are left out. By default, they are an error.",
    )
    decimal: Literal[".", ","] = Field(default=".", description="The decimal sign of numbers.")
    thousands: bool = Field(
        default=False,
        description="Whether the other of the two signs separates thousands, as in `1,234.5`.",
    )
    note: str = Field(default="", description="What users should know about this source.")

    @field_validator("columns")
    @classmethod
    def _columns_of_series(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for _, one in every_name(names))

    @field_validator("codes")
    @classmethod
    def _codes_of_series(cls, codes: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        renamed = list(codes.values())
        try:
            return {one: renamed[i] for i, one in every_name(codes)}
        except PydanticCustomError as error:
            raise fault(error.message()) from None


class FileLayout(Layout):
    """How a file is read."""

    format: Literal["csv", "arff", "libsvm", "parquet", "idx", "mat", "excel"] = Field(
        default="csv",
        description="`csv` is any text with one row per line. `idx` is MNIST's format: pairs of"
        " files with images and labels. `mat` is MATLAB's, with one matrix of examples and one"
        " vector of labels.",
    )
    separator: str = Field(
        default=",",
        pattern=r'^(blank|[^"\r\n])$',
        description="The character between the fields of `csv`, or `blank` for any run of blanks"
        " and tabs.",
    )
    encoding: Annotated[str, AfterValidator(text_encoding)] = Field(
        default="utf-8", description="The encoding of `csv`."
    )
    skip: int = Field(
        default=0,
        ge=0,
        lt=MAX_ROWS,
        description="The number of lines of `csv` above the first row, such as a header.",
    )


class RemoteFile(Model):
    """A file on the web."""

    url: str = Field(
        pattern=r"^https?://", description="Its address. `.gz` and `.zip` files are unpacked."
    )
    hash: str | None = Field(
        default=None,
        pattern=r"^(sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$",
        description="`sha256:` or `md5:` and hexadecimal digits. The rows are checked in any case.",
    )
    member: str = Field(
        default="",
        description="The name of the file inside a `.zip`; can be left out if there is only one.",
    )
    constants: dict[str, str] = Field(
        default_factory=dict,
        description="Columns to append that have the same value in all rows of this file.",
    )


class GeneratedSource(Model):
    """Rows that are drawn by a rule of `quadrepro.data.rules`, as many as the card has."""

    kind: Literal["generated"] = Field(description="The kind of source.")
    generator: str = Field(description="The name of the rule.")
    seed: int = Field(ge=0, description="The seed of the random numbers.")
    parameters: dict[str, float] = Field(
        default_factory=dict, description="The parameters of the rule, such as `sigma`."
    )


class OpenMLSource(Layout):
    """A data set of OpenML."""

    kind: Literal["openml"] = Field(description="The kind of source.")
    id: int = Field(
        gt=0, lt=2**31, description="Its number, which stands for a name and a version."
    )
    version: int | None = Field(
        default=None, gt=0, description="The version that OpenML must report, if it is known."
    )


class WebSource(FileLayout):
    """Files of UCI's archive or of a mirror, whose rows are put one below the other."""

    kind: Literal["uci", "mirror"] = Field(description="Whether it is UCI's archive.")
    files: tuple[RemoteFile, ...] = Field(min_length=1, description="The files in their order.")

    @model_validator(mode="after")
    def _same_constants(self) -> Self:
        for i, file in enumerate(self.files):
            if file.constants.keys() != self.files[0].constants.keys():
                raise fault("all files of a source must have the same constants", "files", i)
        return self


class FileSource(FileLayout):
    """A file of the user."""

    kind: Literal["file"] = Field(description="The kind of source.")
    path: str = Field(
        pattern=r"^[^\x00]*$",
        description="The file; a relative path starts at the folder of the card. `.gz` and `.zip`"
        " files are unpacked.",
    )


Source = Annotated[
    GeneratedSource | OpenMLSource | WebSource | FileSource, Field(discriminator="kind")
]
SOURCES: Mapping[str, type[Model]] = {
    "generated": GeneratedSource,
    "openml": OpenMLSource,
    "uci": WebSource,
    "mirror": WebSource,
    "file": FileSource,
}
"""The kinds of sources."""


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
    if isinstance(source, OpenMLSource):
        return describe(source)
    names = {"generated": "rule", "uci": "UCI", "file": "own file"}
    return names.get(source.kind, source.kind)
