"""Writing a card as YAML, in the layout of the cards that ship."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from quadrepro._files import write_text
from quadrepro.data.card import Card
from quadrepro.data.schema import series
from quadrepro.documents.writing import Block, Line, to_yaml

_LAST = ("target", "attributes", "licence", "citation", "sources", "notes", "views")
_FIRST_OF_SOURCE = ("kind", "path", "format", "separator", "skip", "columns")

T = TypeVar("T")


def write_card(card: Card, path: Path) -> None:
    """Write a card so that `quadrepro.data.card.load_card_file` reads the same card back.

    Parameters
    ----------
    card : Card
        The card. A file of the user in the folder above the card's, or below it, is named relative
        to the card.
    path : Path
        NAME.yaml, where NAME is the name of the card. The folder is created if necessary. If the
        file exists, it is replaced, either completely or not at all; its comments are kept where
        the new card has the same entries.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
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
