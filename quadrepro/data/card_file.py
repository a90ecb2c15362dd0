"""Writing a card as YAML, laid out as those are that ship."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import yaml

from quadrepro._files import write_text
from quadrepro.data.card import Card
from quadrepro.data.schema import series

_LAST = ("target", "attributes", "licence", "citation", "sources", "notes", "views")
_FIRST_OF_SOURCE = ("kind", "path", "format", "separator", "skip", "columns")
_NUMBERED = re.compile(r"(.*?)(\d+)", re.DOTALL)

T = TypeVar("T")


def write_card(card: Card, path: Path) -> None:
    """Write a card so that `quadrepro.data.card.load_card_file` reads the same back.

    Parameters
    ----------
    card : Card
        The card. A person's own file in the folder above that of the card, or below, is named
        relative to the card.
    path : Path
        NAME.yaml, where NAME is the card's own name. Its folder is made where there is none; a
        file that is there is replaced, at once or not at all.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    write_text(path, _yaml(card, path.parent.resolve()))


class _Line(dict[str, Any]):
    """A mapping on one line, between braces."""


class _Block(list[Any]):
    """A list with one item a line; others are on one line, between brackets."""


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _scalar(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # Between double quotes alone is every end of a line written by its number, not as itself.
    return dumper.represent_scalar(_STR, text, style=None if text.isprintable() else '"')


_MAP, _SEQ, _STR = (f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str"))
_Dumper.add_representer(str, _scalar)
_Dumper.add_representer(_Line, lambda d, held: d.represent_mapping(_MAP, held, flow_style=True))
_Dumper.add_representer(list, lambda d, held: d.represent_sequence(_SEQ, held, flow_style=True))
_Dumper.add_representer(_Block, lambda d, held: d.represent_sequence(_SEQ, held, flow_style=False))


def _yaml(card: Card, folder: Path) -> str:
    content = _whole(card.model_dump(mode="json", exclude_none=True, exclude_defaults=True))
    content["target"] = {k: _Line(v) if k == "labels" else v for k, v in content["target"].items()}
    said = [(attribute.pop("name"), attribute) for attribute in content["attributes"]]
    content["attributes"] = _Block(_Line(name=name, **rest) for name, rest in _folded(said))
    content["sources"] = _Block(_source(source, folder) for source in content["sources"])
    if "notes" in content:
        content["notes"] = _Block(content["notes"])
    text: str = yaml.dump(
        {k: v for k, v in content.items() if k not in _LAST} | _first(content, _LAST),
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=100,
    )
    return text


def _source(source: dict[str, Any], folder: Path) -> dict[str, Any]:
    source = _first(source, _FIRST_OF_SOURCE) | source
    if "columns" in source:
        source["columns"] = [name for name, _ in _folded([(n, None) for n in source["columns"]])]
    path = Path(source.get("path", ""))
    # A project that is moved as a whole keeps its data where its cards look for it.
    if path.is_relative_to(folder):
        source["path"] = path.relative_to(folder).as_posix()
    elif path.is_relative_to(folder.parent):
        source["path"] = f"../{path.relative_to(folder.parent).as_posix()}"
    return source


def _first(content: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: content[key] for key in keys if key in content}


def _whole(value: Any) -> Any:
    """Return plain data with whole numbers in place of 1.0 and its like."""
    match value:
        case dict():
            return {key: _whole(held) for key, held in value.items()}
        case list():
            return [_whole(held) for held in value]
        case float() if value.is_integer() and abs(value) < 1e15:
            return int(value)
    return value


def _folded(said: Sequence[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Yield names and what is said of them, ``f1..f9`` for nine of which the same is said."""

    def place_in_series(item: tuple[int, tuple[str, T]]) -> tuple[object, ...]:
        i, (name, rest) = item
        numbered = _NUMBERED.fullmatch(name)
        return (numbered[1], int(numbered[2]) - i, repr(rest)) if numbered else (i,)

    for _, items in groupby(enumerate(said), place_in_series):
        run = [one for _, one in items]
        name = f"{run[0][0]}..{run[-1][0]}"
        if len(run) > 2 and [*series(name)] == [one for one, _ in run]:
            yield name, run[0][1]
        else:
            yield from run
