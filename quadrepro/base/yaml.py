"""YAML that users write: reading it with the place of every value, and writing it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from quadrepro.errors import ConfigError, QuadreproError

Place = tuple[str | int, ...]
"""Keys and indices that lead from the whole document to one of its values."""

Scalars = Literal["typed", "text"]
"""Whether scalars become numbers, booleans and null, or stay the text that is written."""

MAX_VALUES = 1_000_000
"""Maximum number of values of a file; a few lines of aliases could repeat billions of them."""

WIDTH = 100
"""Longer lines are broken where there is a blank."""

_TAG = "tag:yaml.org,2002:"
_WHOLE = r"(0|[1-9][0-9]*)"
_RESOLVERS = {
    "bool": (r"true|false", "tf"),
    "null": (r"null|~|", ["n", "~", ""]),
    "int": (rf"[-+]?{_WHOLE}", "-+0123456789"),
    "float": (rf"[-+]?({_WHOLE}\.?|{_WHOLE}?\.[0-9]+)([eE][-+]?[0-9]+)?", "-+.0123456789"),
}
"""Forms of scalars other than text, by YAML 1.2: ``no``, ``010`` and ``2020-01-01`` are text."""


class Mark(NamedTuple):
    """Place of a value in its file."""

    line: int
    """Counted from 1. A value in a mapping has the place of its key."""
    column: int
    """Counted from 1. A value in a mapping has the place of its key."""
    inner: Mapping[str | int, Mark] = MappingProxyType({})
    """The marks of the values of a mapping or the items of a list, by key or index."""


@dataclass(frozen=True)
class YamlSource:
    """A YAML file that was read."""

    path: Path
    """The file."""
    data: Any
    """Its content: dicts, lists and scalars."""
    mark: Mark | None = None
    """Place of the content in the file; None for a mapping that was not read from one."""

    def where(self, place: Place) -> str:
        """Return ``file:line:column`` of a value, or of the nearest value around it.

        Examples
        --------
        >>> source = YamlSource(Path("a.yaml"), {"seed": 1}, Mark(1, 1, {"seed": Mark(1, 1)}))
        >>> source.where(("seed",))
        'a.yaml:1:1'
        """
        mark = self.mark
        if mark is None:
            return str(self.path) + "".join(f"[{part!r}]" for part in valid_part(self.data, place))
        for part in place:
            if part not in mark.inner:
                break
            mark = mark.inner[part]
        return f"{self.path}:{mark.line}:{mark.column}"


def valid_part(data: Any, parts: Place) -> list[str | int]:
    """Return the keys and indices that lead into some data, without all others."""
    place = []
    for part in parts:
        with suppress(KeyError, IndexError, TypeError):
            data = data[part]
            place.append(part)
    return place


def read_yaml(
    path: Path, *, scalars: Scalars = "typed", error: type[QuadreproError] = ConfigError
) -> YamlSource:
    """Read a YAML file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        loader = (_Typed if scalars == "typed" else yaml.CBaseLoader)(text)
        root = loader.get_single_node()
        if root is None:
            return YamlSource(path, None if scalars == "typed" else "", Mark(1, 1))
        mark = _place(root, count(1))
        return YamlSource(path, loader.construct_document(root), mark)
    except yaml.MarkedYAMLError as fault:
        at = fault.problem_mark or fault.context_mark
        place = f"{at.line + 1}:{at.column + 1}: " if at else ""
        kind = "" if isinstance(fault, ConstructorError) else "not valid YAML: "
        raise error(f"{path}:{place}{kind}{fault.problem}") from None
    except (RecursionError, OSError, ValueError, KeyError, yaml.YAMLError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
        raise error(f"{path}: cannot be read: {reason}") from None


class _Typed(yaml.CSafeLoader):
    """Reads scalars by YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012


class _Dumper(yaml.SafeDumper):
    """Quotes texts that any version of YAML would read as something else."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write a value in full wherever it occurs."""
        return True


def _text(dumper: _Dumper, text: str) -> ScalarNode:
    # Only double quotes keep every kind of line break.
    style = None if text.isprintable() else '"'
    return dumper.represent_scalar(f"{_TAG}str", text, style=style)


_Dumper.add_representer(str, _text)
for _name, (_pattern, _first) in _RESOLVERS.items():
    for _kind in (_Typed, _Dumper):
        _kind.add_implicit_resolver(_TAG + _name, re.compile(f"^(?:{_pattern})$"), list(_first))


def to_yaml(content: dict[str, Any]) -> str:
    """Return a mapping as YAML.

    Examples
    --------
    >>> print(to_yaml({"title": "New", "rows": [{"name": "no"}]}), end="")
    title: New
    rows:
    - name: 'no'
    """
    text: str = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
    return text


def _place(node: Node, number: Iterator[int]) -> Mark:
    """Return the place of a node and of all in it; refuse what would surprise a reader."""
    if next(number) > MAX_VALUES:
        raise _fault(f"the file has more than {MAX_VALUES:,} values, counting aliases", node)
    inner: dict[str | int, Mark] = {}
    if isinstance(node, SequenceNode):
        inner |= {i: _place(item, number) for i, item in enumerate(node.value)}
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                raise _fault("a key must be plain text", key)
            if key.value in inner:
                raise _fault(f"duplicate key {key.value!r}", key)
            key.tag = f"{_TAG}str"  # a key 5 or true is text
            inner[key.value] = _mark(key, _place(value, number).inner)
    return _mark(node, inner)


def _mark(node: Node, inner: Mapping[str | int, Mark]) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1, inner)


def _fault(message: str, node: Node) -> ConstructorError:
    return ConstructorError(None, None, message, node.start_mark)
