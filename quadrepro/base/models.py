"""Pydantic models of YAML documents, mistakes as `file:line:column`, and registries of names."""

from __future__ import annotations

import re
import reprlib
from collections import UserDict, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from quadrepro.base.yaml import Place, YamlSource, valid_part
from quadrepro.errors import ConfigError, QuadreproError, closest, nearest

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_PLAINER = {
    r", (unable|got) .*": "",
    r"valid (dictionary|object)\b.*": "mapping of keys to values",
    r"valid tuple": "list",
    r"greater than or equal to": "at least",
    r"less than or equal to": "at most",
    r"have at (least|most) (\d+) .*": r"have a length of at \1 \2",
}
"""Patterns in pydantic's sentences, and their replacements."""

MOST_SHOWN = 100
"""Maximum number of mistakes that a message names."""


def fault(message: str, *place: str | int) -> PydanticCustomError:
    """Return an exception for a validator to raise, with the place of the mistake.

    Examples
    --------
    >>> raise fault("row 'monks' occurs twice", "datasets", 3)
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.PydanticCustomError: row 'monks' occurs twice
    """
    return PydanticCustomError("fault", "{message}", {"message": message, "place": place})


def refuse_unknown(lack: str, name: str, names: Collection[str], *place: str | int) -> None:
    """Refuse a name that is not among some, with the nearest of them."""
    if name not in names:
        raise fault(f"{lack} {name!r}{nearest(name, names)}", *place)


def known_by(find: Callable[[str], object]) -> AfterValidator:
    """Return a validator of names, which refuses those that `find` raises a ValueError for."""

    def check(name: str) -> str:
        find(name)
        return name

    return AfterValidator(check)


class Model(BaseModel):
    """A mapping of a config, a card or a paper.

    A model cannot be changed, and refuses an unknown key with the nearest known one.
    """

    instead: ClassVar[Mapping[str, str]] = {}
    """Unknown keys that users expect, with what to write instead."""

    short: ClassVar[str] = ""
    """The key whose value can be written in place of the mapping."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys(cls, data: Any, handler: Callable[[Any], Self]) -> Self:
        """Name each unknown key with the nearest one, in addition to all other mistakes."""
        if cls.short and not isinstance(data, dict | Model):
            data = {cls.short: data}
        keys = [info.alias or name for name, info in cls.model_fields.items()]
        unknown = [key for key in data if key not in keys] if isinstance(data, dict) else []
        if not unknown:
            return handler(data)
        faults = []
        for key in unknown:
            hint = f"; write {cls.instead[key]}" if key in cls.instead else nearest(str(key), keys)
            faults.append(fault(f"unknown key {key!r}{hint}", key))
        # A key that is only misspelt is not missing as well.
        misspelt = [f"{closest(str(key), keys)} is missing" for key in unknown]
        try:
            handler({key: value for key, value in data.items() if key in keys})
        except ValidationError as error:
            others = [other for other in mistakes(error, data) if other.message not in misspelt]
            faults += [fault(other.message, *other.place) for other in others]
        lines = [InitErrorDetails(type=each, input=data) for each in faults]
        raise ValidationError.from_exception_data(cls.__name__, lines)


class Mistake(NamedTuple):
    """A mistake in a document."""

    place: Place
    """Keys and indices that lead to it."""
    message: str
    """A fault, and the valid form."""


def validated(
    model: type[M],
    source: YamlSource,
    error: type[QuadreproError] = ConfigError,
    *,
    context: dict[str, Any] | None = None,
) -> M:
    """Return the content of a file as a model."""
    try:
        return model.model_validate(source.data, context=context)
    except ValidationError as invalid:
        first = mistakes(invalid, source.data)[:MOST_SHOWN]
        lines = (f"{source.where(place)}: {text}" for place, text in first)
        raise error("\n".join(dict.fromkeys(lines))) from None


@contextmanager
def faults_at(*place: str | int, data: Any = None) -> Iterator[None]:
    """Report the first mistake inside of a block, in some data, as a fault below a place."""
    try:
        yield
    except ValidationError as error:
        first = mistakes(error, data)[0]
        raise fault(first.message, *place, *first.place) from None
    except PydanticCustomError as error:
        raise fault(error.message(), *place, *(error.context or {}).get("place", ())) from None
    except ValueError as error:
        raise fault(str(error), *place) from None


def mistakes(invalid: ValidationError, data: Any = None) -> list[Mistake]:
    """Return all mistakes that pydantic found in a document.

    A value that fits no member of a union is one mistake. If something inside a value is wrong,
    other forms of the value are not named.
    """
    by_place: dict[Place, list[ErrorDetails]] = defaultdict(list)
    for detail in invalid.errors(include_url=False):
        by_place[_place(detail, data)].append(detail)
    outer = {place[:n] for place in by_place for n in range(len(place))}
    named = []
    for place, details in by_place.items():
        sentences = [*filter(None, (_sentence(place, detail) for detail in details))]
        if not sentences and place not in outer:
            required = dict.fromkeys(_required(detail) for detail in details)
            forms = " or ".join(required).replace(" or be ", " or ")
            value = reprlib.repr(details[0]["input"])
            sentences = [f"{_name(place)} must {forms}, not {value}"]
        named += [Mistake(place, sentence) for sentence in sentences]
    return named


def _place(detail: ErrorDetails, data: Any) -> Place:
    """Return where a mistake is, without the names of union members that pydantic adds."""
    context, kind, parts = detail.get("ctx", {}), detail["type"], detail["loc"]
    place = [*parts] if data is None else valid_part(data, parts)
    if kind == "missing" and data is not None:
        place.append(parts[-1])
    if kind.startswith("union_tag"):
        place.append(context["discriminator"].strip("'"))
    return (*place, *context.get("place", ()))


def _sentence(place: Place, detail: ErrorDetails) -> str:
    """Return the sentence of a mistake, or "" if it is about the form or range of a value."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in ("missing", "union_tag_not_found"):
        return f"{_name(place)} is missing"
    if kind == "union_tag_invalid":
        tag, tags = context["tag"], context["expected_tags"].replace("'", "").split(", ")
        return f"{_name(place)} cannot be {tag!r}{nearest(tag, tags)}"
    if kind in ("fault", "value_error"):
        return detail["msg"].removeprefix("Value error, ")
    return "" if " should " in detail["msg"] else f"{_name(place)}: {detail['msg']}"


def _required(detail: ErrorDetails) -> str:
    """Return the requirement on a value, such as "be a list"."""
    text = detail["msg"].partition(" should ")[2]
    for pattern, plainer in _PLAINER.items():
        text = re.sub(pattern, plainer, text)
    return text


def _name(place: Sequence[str | int]) -> str:
    """Return the name of a value: its key, or its number in the list of a name."""
    *outer, last = place or ["the document"]
    return last if isinstance(last, str) else f"item {last + 1} of {_name(outer)}"


class Registry(UserDict[str, T]):
    """Objects by name, each imported when it is needed.

    Parameters
    ----------
    kind : str
        Noun for one of the names in messages.
    places : dict of str to str
        ``"module:attribute"`` of each object, below this package.
    """

    def __init__(self, kind: str, places: Mapping[str, Any]) -> None:
        super().__init__(places)
        self.kind = kind

    def __getitem__(self, name: str) -> T:
        return cast("T", resolve_name(f"quadrepro.{self.data[name]}"))

    def find(self, written: object) -> T:
        """Return the object of a name, or raise ValueError with the nearest name.

        A user may have written a value of any type in place of the name.
        """
        name = str(written)
        if name not in self:
            raise ValueError(f"unknown {self.kind} {written!r}{nearest(name, self)}")
        return self[name]
