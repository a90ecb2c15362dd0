"""YAML that a person wrote, with the place of every value.

Scalars follow YAML 1.2: `1e-3` is a number, and only `true` and `false` are booleans, so that a
label `no` stays a label. A number written with leading zeros stays text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from quadrepro.errors import ConfigError

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class YamlSource:
    """A parsed file.

    Attributes
    ----------
    path : Path
        The file.
    data : object
        Its content.
    marks : dict of tuple to tuple of int
        Line and column, from 1, of the value at each path of keys and indices.
    """

    path: Path
    data: Any
    marks: dict[Place, tuple[int, int]]

    def where(self, place: Place) -> str:
        """Return ``file:line:column`` of a value, or of the nearest thing around it."""
        while place and place not in self.marks:
            place = place[:-1]
        line, column = self.marks.get(place, (1, 1))
        return f"{self.path}:{line}:{column}"


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012


_PLAIN_TAGS = {
    f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null")
}
_NUMBER = r"[-+]?(?:0|[1-9][0-9]*)"
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"~|null|", ["~", "n", ""]),
    ("int", _NUMBER, "-+0123456789"),
    ("float", rf"{_NUMBER}?\.[0-9]+(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", rf"{_NUMBER}\.?(?:[eE][-+]?[0-9]+)?", "-+0123456789"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first)
    )


def read_yaml(path: Path) -> YamlSource:
    """Read a YAML file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    YamlSource
        Content and places.

    Raises
    ------
    ConfigError
        If the file is missing, unreadable, not UTF-8, not YAML, holds a key twice or a value that
        contains itself; the message names the place.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        marks: dict[Place, tuple[int, int]] = {}
        data = None if node is None else _build(loader, node, (), marks, path, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ConfigError(f"{path}{at}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(f"{path}: not a YAML text file: {problem}") from None
    finally:
        if loader is not None:
            loader.dispose()
    return YamlSource(path, data, marks)


def _build(
    loader: _Loader,
    node: yaml.Node,
    place: Place,
    marks: dict[Place, tuple[int, int]],
    path: Path,
    around: tuple[yaml.Node, ...],
) -> Any:
    line, column = node.start_mark.line + 1, node.start_mark.column + 1
    marks.setdefault(place, (line, column))
    if node in around:
        raise ConfigError(f"{path}:{line}:{column}: a value contains itself")
    if node.tag not in _PLAIN_TAGS:
        raise ConfigError(f"{path}:{line}:{column}: the tag {node.tag} has no meaning here")
    around = (*around, node)
    if isinstance(node, yaml.MappingNode):
        built: dict[str, Any] = {}
        for key_node, value_node in node.value:
            at = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(f"{path}:{at[0]}:{at[1]}: a key must be plain text")
            key = key_node.value
            if key in built:
                raise ConfigError(f"{path}:{at[0]}:{at[1]}: key {key!r} stands here twice")
            marks[(*place, key)] = at
            built[key] = _build(loader, value_node, (*place, key), marks, path, around)
        return built
    if isinstance(node, yaml.SequenceNode):
        return [
            _build(loader, item, (*place, i), marks, path, around)
            for i, item in enumerate(node.value)
        ]
    try:
        return loader.construct_object(node)
    except ValueError as error:
        raise ConfigError(f"{path}:{line}:{column}: {error}") from None
