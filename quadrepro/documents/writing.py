"""Writing YAML that users read and edit: its layout, and the comments that they wrote."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, SingleQuotedScalarString

WIDTH = 100
"""Longer lines are broken where there is a blank."""

_IN_LINE = frozenset(":?")
"""Characters that parsers disagree about in an unquoted text between braces or brackets."""

_TEXT = "tag:yaml.org,2002:str"
_RESOLVERS = tuple(VersionedResolver(version=version) for version in ((1, 1), (1, 2)))


class _Emitter(RoundTripEmitter):
    def write_plain(self, text: str, split: bool = True) -> None:
        # ruamel.yaml breaks even a key, which must stay on one line, and double blanks.
        split = split and "  " not in text
        width = self.best_width
        self.best_width = width if split else sys.maxsize
        super().write_plain(text, split)
        self.best_width = width

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        # Beside an escaped character, ruamel.yaml makes breaks that change the text.
        super().write_double_quoted(text, split and text.isprintable() and "\\" not in text)


class Line(dict[str, Any]):
    """A mapping to be written on one line, in braces; other mappings have one key per line."""


class Block(list[Any]):
    """A list to be written with one item per line; other lists are on one line, in brackets."""


def to_yaml(content: dict[str, Any], old: str = "") -> str:
    """Return a mapping as YAML.

    Texts that any version of YAML would read as something else, such as ``no`` and ``010``, are
    quoted.

    Parameters
    ----------
    content : dict
        Mappings, lists and scalars. `Line` and `Block` change the layout of a mapping or a list.
    old : str, default ""
        The text that the new one replaces. Its comments are kept where `content` has the same
        entries.

    Returns
    -------
    str
        The text, at most 100 characters wide where it can be broken.

    Examples
    --------
    >>> old = "title: Old  # as printed"
    >>> print(to_yaml({"title": "New", "rows": Block([Line(name="no")])}, old), end="")
    title: New  # as printed
    rows:
      - {name: 'no'}
    """
    plain = _dumped(_laid_out(content))
    if "#" not in old:
        return plain
    try:
        new = _laid_out(content)
        _keep_comments(new, YAML().load(old))
        text = _dumped(new)
        # A comment that ends up in the wrong place must not change the content.
        same = YAML(typ="safe").load(text) == YAML(typ="safe").load(plain)
    except (YAMLError, ValueError):
        return plain
    return text if same else plain


def _dumped(content: CommentedMap) -> str:
    yaml = YAML()
    yaml.Emitter = _Emitter
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    text = io.StringIO()
    yaml.dump(content, text)
    # ruamel.yaml leaves a blank at the end of a line that it breaks.
    return re.sub(" +$", "", text.getvalue(), flags=re.MULTILINE)


def _laid_out(value: Any, in_line: bool = False) -> Any:
    """Return plain data as ruamel.yaml's types, which carry layout and comments."""
    match value:
        case dict():
            in_line = in_line or isinstance(value, Line)
            pairs = ((_text(key, in_line), _laid_out(v, in_line)) for key, v in value.items())
            new: CommentedMap | CommentedSeq = CommentedMap(pairs)
        case list():
            in_line = not isinstance(value, Block)
            new = CommentedSeq([_laid_out(item, in_line) for item in value])
        case str():
            return _text(value, in_line)
        case _:
            return value
    (new.fa.set_flow_style if in_line else new.fa.set_block_style)()
    return new


def _text(text: str, in_line: bool) -> Any:
    if not text.isprintable():
        # Only double quotes keep every kind of line break.
        return DoubleQuotedScalarString(text)
    tags = {str(resolver.resolve(ScalarNode, text, (True, False))) for resolver in _RESOLVERS}
    if tags != {_TEXT} or (in_line and not _IN_LINE.isdisjoint(text)):
        return SingleQuotedScalarString(text)
    return text


def _keep_comments(new: Any, old: Any) -> None:
    """Copy the comments of the entries that two documents have in common."""
    for kind in (CommentedMap, CommentedSeq):
        if isinstance(new, kind) and isinstance(old, kind):
            new.ca.comment = old.ca.comment
            for new_key, old_key in _common(new, old):
                if old_key in old.ca.items:
                    new.ca.items[new_key] = old.ca.items[old_key]
                _keep_comments(new[new_key], old[old_key])


def _common(new: Any, old: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(new, CommentedMap):
        yield from ((key, key) for key in new if key in old)
        return
    left = {i: _identity(item) for i, item in enumerate(old)}
    for j, item in enumerate(new):
        i = next((i for i, identity in left.items() if identity == _identity(item)), None)
        if i is not None:
            del left[i]
            yield j, i


def _identity(item: Any) -> Any:
    """Return what an item of a list is known by: the first value of a mapping, such as its name."""
    return next(iter(item.values()), None) if isinstance(item, CommentedMap) else item
