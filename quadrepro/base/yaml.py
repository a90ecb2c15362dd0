"""YAML that users write: reading it with the place of every value, and writing it."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from ruamel.yaml import YAML, events
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, SingleQuotedScalarString

from quadrepro.base.files import is_special
from quadrepro.errors import ConfigError, QuadreproError

Place = tuple[str | int, ...]
"""Keys and indices that lead from the whole document to one of its values."""

Scalars = Literal["typed", "text"]
"""Whether scalars become numbers, booleans and null, or stay the text that is written."""

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)\.?|(?:0|[1-9][0-9]*)?\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
MAX_BYTES = 8 * 2**20
"""A file with more bytes is refused before it is parsed."""

MAX_DEPTH = 100
"""A list or mapping inside more of them is refused."""

MAX_REPEATED = 100_000
"""Maximum number of values added by aliases, which could ask for billions in a few lines."""

_WORDS: Mapping[str, bool | None] = MappingProxyType(
    {"true": True, "false": False, "null": None, "~": None, "": None}
)
_MANY_DIGITS = 400
_TAG = "tag:yaml.org,2002:"
_ENDS = (
    events.StreamStartEvent,
    events.DocumentStartEvent,
    events.DocumentEndEvent,
    events.StreamEndEvent,
)


class Mark(NamedTuple):
    """Place of a value in its file."""

    line: int
    """Counted from 1. For an entry of a mapping, the place of its key."""
    column: int
    """Counted from 1. For an entry of a mapping, the place of its key."""
    inner: Mapping[str | int, Mark] = MappingProxyType({})
    """The marks of the entries of a mapping or the items of a list, by key or index."""


@dataclass(frozen=True)
class YamlSource:
    """A YAML file that was read."""

    path: Path
    """The file."""
    data: Any
    """Its content: dicts, lists and scalars."""
    mark: Mark
    """Place of the content in the file."""

    def where(self, place: Place) -> str:
        """Return ``file:line:column`` of a value, or of the nearest value around it.

        Examples
        --------
        >>> source = YamlSource(Path("a.yaml"), {"seed": 1}, Mark(1, 1, {"seed": Mark(1, 1)}))
        >>> source.where(("seed",))
        'a.yaml:1:1'
        """
        mark = self.mark
        for part in place:
            if part not in mark.inner:
                break
            mark = mark.inner[part]
        return f"{self.path}:{mark.line}:{mark.column}"


@dataclass(frozen=True)
class MappingSource(YamlSource):
    """A mapping that was not read from a file: its places are named by keys and indices."""

    def where(self, place: Place) -> str:
        """Return what leads to a value, as ``config['datasets'][0]``."""
        return f"{self.path}{''.join(f'[{part!r}]' for part in place)}"


def read_yaml(
    path: Path, *, scalars: Scalars = "typed", error: type[QuadreproError] = ConfigError
) -> YamlSource:
    """Read a YAML file."""
    if is_special(path):
        raise error(f"{path}: not a regular file")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise error(f"{path}: not a text file in UTF-8 (byte {fault.start})") from None
    except OSError as fault:
        raise error(f"{path}: cannot be read: {fault.strerror}") from None
    if len(content) > MAX_BYTES:
        raise error(f"{path}: larger than {MAX_BYTES >> 20} MiB, the most that can be read")
    try:
        try:
            # With ruamel.yaml.clib, libyaml parses, which is over ten times as fast.
            data, mark = _build(text, scalars, pure=False)
        except YAMLError:
            # The parser in Python names a fault more exactly, but takes seconds for a megabyte.
            if len(content) > MAX_BYTES // 8:
                raise
            data, mark = _build(text, scalars, pure=True)
    except _FaultError as fault:
        raise error(f"{path}:{fault.line}:{fault.column}: {fault}") from None
    except MarkedYAMLError as fault:
        at = fault.problem_mark or fault.context_mark
        place = f":{at.line + 1}:{at.column + 1}" if at else ""
        raise error(f"{path}{place}: not valid YAML: {fault.problem}") from None
    except YAMLError as fault:
        raise error(f"{path}: not a YAML text file: {str(fault).splitlines()[0]}") from None
    return YamlSource(path, data, mark)


def is_utf8(text: str) -> bool:
    """Return whether a text can be written in UTF-8, as the names of some files cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _build(text: str, scalars: Scalars, *, pure: bool) -> tuple[Any, Mark]:
    return _Builder(YAML(typ="safe", pure=pure).parse(text), scalars).document()


class _FaultError(Exception):
    """A fault of a value, at the place of an event."""

    def __init__(self, event: events.Event, message: str) -> None:
        super().__init__(message)
        self.line, self.column = _at(event)


class _Value(NamedTuple):
    data: Any
    mark: Mark
    text: str | None
    """The text of a scalar."""
    size: int = 1
    """Number of values it holds, itself included."""


class _Builder:
    """Builds a document from the events of a parser."""

    def __init__(self, stream: Iterator[events.Event], scalars: Scalars) -> None:
        self._events = stream
        self._typed = scalars == "typed"
        # An anchor without a value is that of a list or mapping that is not complete.
        self._anchors: dict[str, tuple[events.Event, _Value | None]] = {}
        self._depth = self._repeated = 0

    def document(self) -> tuple[Any, Mark]:
        found: _Value | None = None
        for event in self._events:
            if isinstance(event, _ENDS):
                continue
            if found is not None:
                raise _FaultError(event, "not valid YAML: a second document begins here")
            found = self._value(event)
        if found is None:
            return (None if self._typed else ""), Mark(1, 1)
        return found.data, found.mark

    def _value(self, event: events.Event) -> _Value:
        if isinstance(event, events.AliasEvent):
            return self._anchored(event)
        assert isinstance(event, events.NodeEvent)
        if event.anchor:
            if event.anchor in self._anchors:
                raise _FaultError(event, f"not valid YAML: duplicate anchor {event.anchor!r}")
            self._anchors[event.anchor] = event, None
        if isinstance(event, events.ScalarEvent):
            value = _Value(self._scalar(event), Mark(*_at(event)), event.value)
        else:
            assert isinstance(event, events.CollectionStartEvent)
            value = self._collection(event)
        if event.anchor:
            self._anchors[event.anchor] = event, value
        return value

    def _anchored(self, alias: events.AliasEvent) -> _Value:
        if alias.anchor not in self._anchors:
            raise _FaultError(alias, f"not valid YAML: found undefined alias {alias.anchor!r}")
        event, value = self._anchors[alias.anchor]
        if value is None:
            raise _FaultError(event, "a value contains itself")
        self._repeated += value.size
        if self._repeated > MAX_REPEATED:
            message = f"aliases repeat more than {MAX_REPEATED:,} values up to here"
            raise _FaultError(alias, message)
        return value

    def _collection(self, start: events.CollectionStartEvent) -> _Value:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            message = f"lists and mappings are nested too deeply: at most {MAX_DEPTH} levels"
            raise _FaultError(start, message)
        build = self._list if isinstance(start, events.SequenceStartEvent) else self._mapping
        value = build(start)
        self._depth -= 1
        return value

    def _list(self, start: events.CollectionStartEvent) -> _Value:
        _refuse_tag(start, "seq")
        data: list[Any] = []
        inner: dict[str | int, Mark] = {}
        size = 1
        while not isinstance(event := next(self._events), events.SequenceEndEvent):
            item = self._value(event)
            size += item.size
            inner[len(data)] = item.mark
            data.append(item.data)
        return _Value(data, Mark(*_at(start), inner), None, size)

    def _mapping(self, start: events.CollectionStartEvent) -> _Value:
        _refuse_tag(start, "map")
        data: dict[str, Any] = {}
        inner: dict[str | int, Mark] = {}
        size = 1
        while not isinstance(event := next(self._events), events.MappingEndEvent):
            key = self._value(event).text
            if key is None:
                raise _FaultError(event, "a key must be plain text")
            if key in data:
                raise _FaultError(event, f"duplicate key {key!r}")
            value = self._value(next(self._events))
            size += value.size
            inner[key] = Mark(*_at(event), value.mark.inner)
            data[key] = value.data
        return _Value(data, Mark(*_at(start), inner), None, size)

    def _scalar(self, event: events.ScalarEvent) -> Any:
        text: str = event.value
        kind = _refuse_tag(event, "str", "int", "float", "bool", "null")
        # Surrogates cannot be encoded, and the path of no file has a null character.
        if (self._typed and "\0" in text) or not (text.isascii() or is_utf8(text)):
            raise _FaultError(event, f"{text[:60]!r} has a character that cannot be written")
        if not self._typed or kind == "str":
            return text
        try:
            if kind:
                value = {"int": int, "float": float}.get(kind, _WORDS.__getitem__)(text)
            else:
                value = _typed(text) if event.implicit[0] else text
            if isinstance(value, int | float):
                float(value).as_integer_ratio()  # raises OverflowError for an infinite number
        except OverflowError:
            message = f"{text[:60]} is beyond the range of numbers, about 1.8e308"
            raise _FaultError(event, message) from None
        except (ValueError, KeyError):
            raise _FaultError(event, f"{text[:60]!r} cannot be read as {kind}") from None
        return value


def _at(event: events.Event) -> tuple[int, int]:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1


def _refuse_tag(event: events.ScalarEvent | events.CollectionStartEvent, *allowed: str) -> str:
    """Return which of the allowed kinds an event is tagged as, "" if it has no tag."""
    if not event.tag:
        return ""
    tag = str(event.tag)
    kind = tag.removeprefix(_TAG)
    if tag != "!" and kind not in allowed:
        raise _FaultError(event, f"the tag {tag} has no meaning here")
    return "" if tag == "!" else kind


def _typed(text: str) -> Any:
    """Return what an unquoted scalar means."""
    if text in _WORDS:
        return _WORDS[text]
    # Nothing else begins like a number, and most scalars are words.
    if text[0] in "+-.0123456789":
        if _INTEGER.fullmatch(text):
            # int() refuses thousands of digits with a ValueError; float() takes them for infinity.
            return int(text) if len(text) < _MANY_DIGITS else float(text)
        if _FLOAT.fullmatch(text):
            return float(text)
    return text


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


def to_yaml(content: dict[str, Any]) -> str:
    """Return a mapping as YAML.

    Texts that any version of YAML would read as something else, such as ``no`` and ``010``, are
    quoted.

    Examples
    --------
    >>> print(to_yaml({"title": "New", "rows": Block([Line(name="no")])}), end="")
    title: New
    rows:
      - {name: 'no'}
    """
    yaml = YAML()
    yaml.Emitter = _Emitter
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    text = io.StringIO()
    yaml.dump(_laid_out(content), text)
    # ruamel.yaml leaves a blank at the end of a line that it breaks.
    return re.sub(" +$", "", text.getvalue(), flags=re.MULTILINE)


def _laid_out(value: Any, in_line: bool = False) -> Any:
    """Return plain data as ruamel.yaml's types, which carry layout."""
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
