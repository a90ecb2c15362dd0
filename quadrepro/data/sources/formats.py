"""Reading files of common formats as frames.

Text files are read here, other files in `quadrepro.data.sources.binary`.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadrepro._files import is_special
from quadrepro.data.canonical import Column
from quadrepro.data.sources import binary
from quadrepro.data.sources.frame import Frame
from quadrepro.data.sources.limits import BYTES, limit, refuse_bytes
from quadrepro.data.sources.schema import FileLayout
from quadrepro.errors import DataError

__all__ = ["read_file", "read_idx", "text_of", "text_rows", "unpack"]

# liac-arff needs a blank after these words, and truncates the values of an integer attribute.
_DECLARATIONS = ("@attribute", "@relation")

_CODE = (
    r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|(?:[^\s,}"']|}(?!$))(?:[^\s,}]|}(?!$))*+)?+\s*+"""
)
_CODES = re.compile(rf"\s*+(?:{_CODE},\s*+)*+{_CODE}}}")
"""The codes of an attribute; liac-arff takes exponential time to find that some are none."""

FEW_CODES = 10
"""Number of commas up to which liac-arff may look by itself."""


def read_file(path: Path, layout: FileLayout, member: str = "") -> Frame:
    """Read the table in a file.

    Parameters
    ----------
    path : Path
        The file; ``.gz`` and ``.zip`` files are unpacked.
    layout : FileLayout
        The format of the file. For ``libsvm``, the number of its columns gives the number of
        features, since a file may lack the last ones.
    member : str, default ""
        The name of the file inside a ``.zip``; can be left out if there is only one.

    Returns
    -------
    Frame
        The columns of the file. For ``libsvm`` and ``mat``, the features in their order, then the
        label as text.

    Raises
    ------
    DataError
        If the file cannot be read, unpacked or parsed, or has no rows. The message names the file,
        and the line of a text file.
    """
    name, content = unpack(path, member)
    origin = str(path) if name == path.name else f"{path} ({name})"
    readers: dict[str, Callable[[], Frame]] = {
        "csv": lambda: _csv(text_of(content, origin), origin, layout),
        "arff": lambda: read_arff(text_of(content, origin), origin),
        "libsvm": lambda: binary.libsvm(content, origin, max(len(layout.columns) - 1, 0)),
        "parquet": lambda: binary.parquet(content, origin),
        "excel": lambda: binary.excel(content, origin),
        "mat": lambda: binary.mat(content, origin),
    }
    if layout.format not in readers:
        raise DataError(f"{path}: {layout.format} files are read as image/label pairs")
    frame = readers[layout.format]()
    if not frame.columns or not len(frame.columns[0]):
        raise DataError(f"{origin}: the file has no rows")
    return frame


def read_idx(paths: Sequence[Path]) -> Frame:
    """Read files in MNIST's format, and put the rows of each pair below those of the one before.

    Parameters
    ----------
    paths : sequence of Path
        Images, labels, images, labels and so on; ``.gz`` and ``.zip`` files are unpacked.

    Returns
    -------
    Frame
        The pixels as numbers, row by row of an image, then the label as text.

    Raises
    ------
    DataError
        If a file cannot be read or is not valid, or the files are not pairs with as many images as
        labels.
    """
    return binary.idx([(str(path), unpack(path)[1]) for path in paths])


def unpack(path: Path, member: str = "") -> tuple[str, bytes]:
    """Return the name and the content of a file, or of the file that is packed in it.

    Parameters
    ----------
    path : Path
        The file; ``.gz`` and ``.zip`` files are unpacked.
    member : str, default ""
        The name of the file inside a ``.zip``; can be left out if there is only one.

    Raises
    ------
    DataError
        If the file cannot be read or unpacked, has more than `quadrepro.data.sources.limits`
        allows once it is unpacked, or the archive has no such member, or several members if none
        is named.
    """
    if is_special(path):
        raise DataError(f"{path}: cannot be read: not a regular file")
    try:
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                name = _member(path, archive, member)
                # No more is read than the archive says.
                refuse_bytes(archive.getinfo(name).file_size, f"{path}: once unpacked, {name}")
                return name, archive.read(name)
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as packed:
                content = packed.read(limit(BYTES) + 1)
                refuse_bytes(len(content), f"{path}: once unpacked, the file")
                return path.stem, content
        refuse_bytes(path.stat().st_size, f"{path}: the file")
        return path.name, path.read_bytes()
    except DataError:
        raise
    except Exception as error:  # Broken archives raise errors of any kind.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise DataError(f"{path}: cannot be read: {reason}") from error


def text_of(content: bytes, origin: str) -> str:
    """Decode UTF-8, without a byte order mark.

    Parameters
    ----------
    content : bytes
    origin : str
        The file in words, for messages.

    Raises
    ------
    DataError
        If the content is not UTF-8. The message names the line.
    """
    zero = content.find(b"\0")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        zero = error.start
    if zero >= 0:
        line = content[:zero].count(b"\n") + 1
        raise DataError(f"{origin}, line {line}: not UTF-8 text")
    return text


def text_rows(
    text: str, origin: str, separator: str, skip: int = 0
) -> Iterator[tuple[list[str], int]]:
    """Yield the fields of every row that is not blank, and the line on which the row ends.

    Parameters
    ----------
    text : str
        One row per line, except that quoted fields can contain line breaks.
    origin : str
        The file in words, for messages.
    separator : str
        The character between fields, or ``blank`` for any run of blanks and tabs.
    skip : int, default 0
        The number of lines above the first row.

    Yields
    ------
    tuple of (list of str, int)
        Fields without surrounding blanks; the line, counted from 1.

    Raises
    ------
    DataError
        If a quoted field is not closed properly. The message names the line on which its row
        begins.
    """
    lines: Iterator[str] = itertools.islice(io.StringIO(text, newline=""), skip, None)
    blanks = separator == "blank"
    if blanks:
        lines = (line.replace("\t", " ").rstrip() for line in lines)
    delimiter = " " if blanks else separator
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    begin = skip
    try:
        for fields in reader:
            begin = skip + reader.line_num
            stripped = [field.strip() for field in fields]
            if stripped and stripped != [""]:
                yield stripped, begin
    except csv.Error as error:
        raise DataError(f"{origin}, line {begin + 1}: {error}") from error


def _member(path: Path, archive: zipfile.ZipFile, member: str) -> str:
    # macOS adds a file with its own metadata for each file.
    names = [
        info.filename
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    if member in names:
        return member
    if not member and len(names) == 1:
        return names[0]
    holds = ", ".join(names) or "nothing"
    if member:
        raise DataError(f"{path}: there is no {member!r} in it; it contains {holds}")
    raise DataError(f"{path}: expected an archive with one file; it contains {holds}")


def _csv(text: str, origin: str, layout: FileLayout) -> Frame:
    lines: list[int] = []
    rows = _even_rows(text_rows(text, origin, layout.separator, layout.skip), origin, lines)
    # A field takes many times as much memory as a str of Python as it does in an array.
    parts = iter(lambda: [*itertools.islice(rows, 10_000)], [])
    blocks = [[np.array(c, dtype=np.str_) for c in zip(*part, strict=True)] for part in parts]
    columns = tuple(map(np.concatenate, zip(*blocks, strict=True)))
    return Frame(columns, origin, lines=lines)


def _even_rows(
    rows: Iterator[tuple[list[str], int]], origin: str, lines: list[int]
) -> Iterator[list[str]]:
    """Yield rows with as many fields as the first, and append their lines to `lines`."""
    width = 0
    for fields, line in rows:
        if not width:
            width = len(fields)
            binary.refuse_width(width, f"{origin}, line {line}")
        elif len(fields) != width:
            raise DataError(
                f"{origin}, line {line}: {len(fields)} fields, but the first row has {width}"
            )
        lines.append(line)
        yield fields


def read_arff(text: str, origin: str) -> Frame:
    """Return the rows of an ARFF file, dense or sparse."""
    import arff

    n_attributes = text.lower().count("@attribute")
    binary.refuse_width(n_attributes, origin)
    if re.search(r"^[^\S\n]*+\{", text, re.MULTILINE):
        # A sparse row is a few bytes, whatever the number of its columns.
        binary.refuse_table(text.count("\n") + 1, n_attributes, origin)
    rows_at: list[int] = []
    line = 0

    def lines() -> Iterator[str]:
        nonlocal line
        in_data = False
        for line, written in enumerate(io.StringIO(text), start=1):
            bare = written.strip()
            if in_data and bare and not bare.startswith("%"):
                rows_at.append(line)
            in_data = in_data or bare.upper().startswith("@DATA")
            word, *rest = bare.split(None, 1) or [""]
            if in_data or not rest or word.lower() not in _DECLARATIONS:
                yield written
                continue
            after_name = max(rest[0].find(rest[0][0], 1), 0) if rest[0][0] in "\"'" else 0
            _, _, codes = rest[0][after_name:].partition("{")
            if codes.count(",") > FEW_CODES and not _CODES.fullmatch(codes):
                raise ValueError("the codes of the attribute are not a list such as {a, b}")
            *name, last = rest[0].rsplit(None, 1)
            integer = name and last.lower() == "integer"
            yield f"{word} {name[0]} real" if integer else f"{word} {rest[0]} "

    try:
        content = arff.load(lines())
    except arff.ArffException as error:
        # str(error) fails if the row has a percent sign.
        reason = textwrap.shorten(error.message.replace("%d", str(error.line)), 200)
        raise DataError(f"{origin}: not readable as ARFF: {reason}") from error
    except (ValueError, LookupError, csv.Error) as error:
        raise DataError(f"{origin}, line {line}: not readable as ARFF: {error}") from error
    if not content["data"]:
        raise DataError(f"{origin}: the file has no rows")
    names, kinds = zip(*content["attributes"], strict=True)
    columns = tuple(map(_arff_column, zip(*content["data"], strict=True), kinds))
    return Frame(columns, origin, names, rows_at)


def _arff_column(values: Sequence[str | float | None], kind: str | list[str]) -> Column:
    if kind in ("REAL", "NUMERIC"):
        return np.array(values, dtype=np.float64)
    texts: NDArray[np.str_] = np.array(
        ["" if value is None else str(value).strip() for value in values], dtype=np.str_
    )
    return texts
