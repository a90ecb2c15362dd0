"""The sources that a card can name, and how what they hold becomes the columns of the card."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, PositiveInt, field_validator, model_validator

from quadrepro.data.schema import Frozen, series


class Layout(Frozen):
    """How the table of a source becomes that of the card.

    Attributes
    ----------
    columns : tuple of str, default ()
        What each column of the source is, in the order of the source: the name of an attribute,
        ``target``, or empty for a column that is left out. Default: the card's attributes, then
        the target. ``p1..p784`` stands for 784 columns.
    codes : dict of str to dict of str to str, default {}
        By column: the codes of the source, and what they are called in the card. A code that is
        not listed stays what it is. The name of a column can stand for a series here as well.
    missing : tuple of str, default ("?", "")
        What a source writes for a missing value.
    rows : tuple of int or None, default None
        The first and the last row of the source that are taken, counted from 1.
    only : dict of str to tuple of str, default {}
        By column: the codes, as the card calls them, of the rows that are taken; others are left
        out.
    complete : bool, default False
        Rows with a missing value are left out.
    note : str, default ""
        What a person should know of this source.
    """

    columns: tuple[str, ...] = ()
    codes: dict[str, dict[str, str]] = Field(default_factory=dict)
    missing: tuple[str, ...] = ("?", "")
    rows: tuple[PositiveInt, PositiveInt] | None = None
    only: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    complete: bool = False
    note: str = ""

    @field_validator("columns", mode="before")
    @classmethod
    def _whole_series(cls, names: Any) -> Any:
        if isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names):
            return [one for name in names for one in series(name)]
        return names

    @field_validator("codes", mode="before")
    @classmethod
    def _codes_of_whole_series(cls, codes: Any) -> Any:
        if not isinstance(codes, dict):
            return codes
        return {one: new for name, new in codes.items() for one in series(str(name))}


class FileLayout(Layout):
    """How a file is read.

    Attributes
    ----------
    format : {"csv", "arff", "libsvm", "parquet", "idx", "mat", "excel"}, default "csv"
        ``csv`` is any text with one row a line; ``idx`` takes pairs of files, images and labels;
        ``mat`` is MATLAB's, with one matrix of examples and one column of labels.
    separator : str, default ","
        Between the fields of ``csv``; ``blank`` for any run of blanks and tabs.
    skip : int, default 0
        Lines of ``csv`` above the first row, such as a header.
    """

    format: Literal["csv", "arff", "libsvm", "parquet", "idx", "mat", "excel"] = "csv"
    separator: str = ","
    skip: int = Field(default=0, ge=0)


class RemoteFile(Frozen):
    """A file of the web.

    Attributes
    ----------
    url : str
        Where it is; ``.gz`` and ``.zip`` are unpacked.
    hash : str or None, default None
        ``sha256:`` or ``md5:`` and hexadecimal digits, where they are known; the content of the
        rows is checked in any case.
    member : str, default ""
        The file's name inside a ``.zip``; empty where there is only one.
    constants : dict of str to str, default {}
        Columns that the file lacks, for they have one value in all its rows.
    """

    url: str = Field(pattern=r"^https?://")
    hash: str | None = Field(default=None, pattern=r"^(sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$")
    member: str = ""
    constants: dict[str, str] = Field(default_factory=dict)


class GeneratedSource(Frozen):
    """A rule of `quadrepro.data.sources.generated.GENERATORS` that makes the rows.

    Attributes
    ----------
    generator : str
        Name of the rule.
    parameters : dict of str to float, default {}
        Arguments of the rule, such as the number of rows.
    """

    kind: Literal["generated"]
    generator: str
    parameters: dict[str, float] = Field(default_factory=dict)


class SklearnSource(Frozen):
    """A function of `quadrepro.data.sources.bundled.LOADERS` that takes rows from scikit-learn."""

    kind: Literal["sklearn"]
    loader: str


class OpenMLSource(Layout):
    """A data set of OpenML by its number, which stands for a name and a version.

    Attributes
    ----------
    id : int
        The number.
    version : int or None, default None
        The version that OpenML must report, where it is known.
    """

    kind: Literal["openml"]
    id: int = Field(gt=0)
    version: int | None = Field(default=None, gt=0)


class WebSource(FileLayout):
    """Files of UCI's archive, or of a mirror, to be taken together, one below the other."""

    kind: Literal["uci", "mirror"]
    files: tuple[RemoteFile, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _same_constants(self) -> Self:
        if any(file.constants.keys() != self.files[0].constants.keys() for file in self.files):
            raise ValueError("all files of a source must have the same constants")
        return self


class FileSource(FileLayout):
    """A person's own file; a path that is not absolute starts at the folder of the card.

    Attributes
    ----------
    path : str
        The file; ``.gz`` and ``.zip`` are unpacked.
    """

    kind: Literal["file"]
    path: str


Source = Annotated[
    GeneratedSource | SklearnSource | OpenMLSource | WebSource | FileSource,
    Field(discriminator="kind"),
]


def describe(source: Source) -> str:
    """Return a source in words, such as ``OpenML 37``."""
    match source:
        case GeneratedSource():
            return "generated by rule"
        case SklearnSource():
            return "scikit-learn"
        case OpenMLSource():
            return f"OpenML {source.id}"
        case WebSource():
            return " + ".join(file.url for file in source.files)
        case FileSource():
            return source.path
