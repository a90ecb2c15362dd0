"""Files of the user's own: reading one, and writing its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, TypeVar

from quadrepro.base.files import write_text
from quadrepro.base.yaml import Block, Line, to_yaml
from quadrepro.data.canonical import Frame, number
from quadrepro.data.card import Card
from quadrepro.data.schema import series
from quadrepro.data.sources.formats import read_file, text_of, text_rows, unpack
from quadrepro.data.sources.schema import FileLayout
from quadrepro.errors import DataError

_LAST = ("target", "attributes", "licence", "citation", "sources", "notes", "views")
_FIRST_OF_SOURCE = ("kind", "path", "format", "separator", "skip", "columns")

T = TypeVar("T")


def write_card(card: Card, path: Path) -> None:
    """Write a card so that `quadrepro.data.card.load_card_file` reads the same card back."""
    old = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    write_text(path, to_yaml(_content(card, path.parent.resolve()), old))


def _content(card: Card, folder: Path) -> dict[str, Any]:
    content = _whole(card.model_dump(mode="json", exclude_none=True, exclude_defaults=True))
    content["target"] = {k: Line(v) if k == "labels" else v for k, v in content["target"].items()}
    said = [(attribute.pop("name"), attribute) for attribute in content["attributes"]]
    content["attributes"] = Block(Line(name=name, **rest) for name, rest in _folded(said))
    content["sources"] = Block(_source(source, folder) for source in content["sources"])
    if "notes" in content:
        content["notes"] = Block(content["notes"])
    return {k: v for k, v in content.items() if k not in _LAST} | _first(content, _LAST)


def _source(source: dict[str, Any], folder: Path) -> dict[str, Any]:
    source = _first(source, _FIRST_OF_SOURCE) | source
    if "columns" in source:
        source["columns"] = [name for name, _ in _folded([(n, None) for n in source["columns"]])]
    path = Path(source.get("path", ""))
    # A relative path stays right if the whole project is moved.
    if path.is_relative_to(folder):
        source["path"] = path.relative_to(folder).as_posix()
    elif path.is_relative_to(folder.parent):
        source["path"] = f"../{path.relative_to(folder.parent).as_posix()}"
    return source


def _first(content: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: content[key] for key in keys if key in content}


def _whole(value: Any) -> Any:
    """Return plain data with 1 instead of 1.0, and so on."""
    match value:
        case dict():
            return {key: _whole(held) for key, held in value.items()}
        case list():
            return [_whole(held) for held in value]
        case float() if value.is_integer() and abs(value) < 1e15:
            return int(value)
    return value


def _folded(described: Sequence[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Yield names with their descriptions, ``f1..f9`` for nine with the same description."""

    def place_in_series(item: tuple[int, tuple[str, T]]) -> tuple[object, ...]:
        i, (name, description) = item
        stem = name.rstrip("0123456789")
        number = name[len(stem) :]
        # No series counts so far.
        return (stem, int(number) - i, repr(description)) if 0 < len(number) < 10 else (i,)

    for _, items in groupby(enumerate(described), place_in_series):
        run = [one for _, one in items]
        name = f"{run[0][0]}..{run[-1][0]}"
        if len(run) > 2 and [*series(name)] == [one for one, _ in run]:
            yield name, run[0][1]
        else:
            yield from run


LIBSVM_LABEL = "label"
"""The name of the label in a LIBSVM file; its features are called f1, f2 and so on."""

_FORMATS = {
    ".arff": "arff",
    ".csv": "csv",
    ".dat": "csv",
    ".data": "csv",
    ".libsvm": "libsvm",
    ".parquet": "parquet",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".tab": "csv",
    ".tsv": "csv",
    ".txt": "csv",
}
_PACKED = (".gz", ".zip")


def read_own(path: Path, target: str, gaps: Collection[str]) -> tuple[Frame, dict[str, Any]]:
    """Read a file whose layout is not known."""
    name, content = unpack(path)
    suffix = PurePath(name).suffix.lower()
    if suffix not in _FORMATS:
        known = ", ".join(sorted(_FORMATS))
        raise DataError(f"{path}: the format is not known, since {name!r} does not end in {known}")
    if not content.strip():
        raise DataError(f"{path}: the file is empty")
    if _FORMATS[suffix] == "csv":
        return _text(path, text_of(content, str(path)), target, gaps)
    layout = {"format": _FORMATS[suffix]}
    frame = read_file(path, FileLayout.model_validate(layout))
    if frame.names is None:
        names = (*(f"f{j}" for j in range(1, len(frame.columns))), LIBSVM_LABEL)
    else:
        names = tuple(name.strip() for name in frame.names)
    _refuse_same_names(names, str(path))
    return Frame(frame.columns, frame.origin, names, frame.lines), layout


def plain_stem(path: Path) -> str:
    """Return the name of a file without the endings for its format.

    Examples
    --------
    >>> plain_stem(Path("my.data.csv.gz"))
    'my.data'
    """
    stem = path.name
    for endings in (_PACKED, tuple(_FORMATS)):
        if PurePath(stem).suffix.lower() in endings:
            stem = PurePath(stem).stem
    return stem


def _text(
    path: Path, text: str, target: str, gaps: Collection[str]
) -> tuple[Frame, dict[str, Any]]:
    if not text.strip():
        raise DataError(f"{path}: the file is empty")
    separator = _separator(text, target)
    # The header is read as a row, so that all rows must have as many fields.
    frame = read_file(path, FileLayout(separator=separator))
    assert frame.lines is not None
    line = frame.lines[0]
    names = tuple(str(column[0]) for column in frame.columns)
    rows = Frame(tuple(c[1:] for c in frame.columns), frame.origin, names, frame.lines[1:])
    if _looks_like_data(rows, names, target, gaps):
        first = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise DataError(
            f"{path}, line {line}: this looks like a row ({first}), not like the names of columns;"
            " add a line with the names above it"
        )
    _refuse_same_names(names, f"{path}, line {line}")
    if not rows.lines:
        raise DataError(f"{path}: the file has a header but no rows")
    return rows, {"separator": separator, "skip": line}


def _separator(text: str, target: str) -> str:
    """Return what splits the header into the most fields, preferably with the target among them."""
    best, separator = (False, 1), ","
    for candidate in (",", ";", "\t"):
        header = _header(text, candidate)
        if (target in header, len(header)) > best:
            best, separator = (target in header, len(header)), candidate
    # Names can contain blanks, so blanks are separators only if nothing else is.
    return "blank" if best[1] == 1 and len(_header(text, "blank")) > 1 else separator


def _header(text: str, separator: str) -> list[str]:
    try:
        return next(text_rows(text, "", separator), ([], 0))[0]
    except DataError:  # A quote is followed by another separator.
        return []


def _looks_like_data(
    frame: Frame, names: Sequence[str], target: str, gaps: Collection[str]
) -> bool:
    """Whether the first line has numbers above numbers, or codes that occur again below."""
    columns = dict(zip(names, frame.columns, strict=True))
    if target in columns and number(target) is None and target not in columns[target]:
        return False
    n_numbers = n_again = 0
    for name, column in columns.items():
        texts = column.tolist()
        seen = next((text for text in texts if text not in gaps), "")
        if seen and number(seen) is not None and name not in gaps:
            if number(name) is None:
                return False
            n_numbers += 1
        n_again += name in texts
    return n_numbers > 0 or 2 * n_again > len(columns)


def _refuse_same_names(names: Sequence[str], place: str) -> None:
    name, times = Counter(filter(None, names)).most_common(1)[0] if any(names) else ("", 0)
    if times > 1:
        numbers = [str(j) for j, other in enumerate(names, start=1) if other == name]
        both = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
        raise DataError(f"{place}: columns {both} have the same name {name!r}")
