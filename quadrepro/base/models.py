"""Pydantic models of YAML documents: one strict base, and faults as `file:line:column`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, WithJsonSchema, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError
from pydantic_core.core_schema import ErrorType

from quadrepro.base.yaml import Place, YamlSource
from quadrepro.errors import ConfigError, QuadreproError, few_hints, nearest

CHANGES = "changes"
"""The key of a JSON schema that stands for the fields of a model, all of them optional."""


def changes(of: type[BaseModel]) -> WithJsonSchema:
    """Return an annotation of a mapping that changes fields of a model, for its JSON schema."""
    return WithJsonSchema({CHANGES: of.__name__})


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


class Model(BaseModel):
    """A mapping of a config, a card or a paper.

    A model cannot be changed, and refuses an unknown key with the nearest known one.
    """

    forms: ClassVar[tuple[Any, ...]] = ()
    """Types that may replace the mapping, as `quadrepro.base.json_schema` describes it. The model
    has a validator that makes a mapping of it."""

    meant: ClassVar[Mapping[str, str]] = {}
    """Keys of other tools, with what to write for them."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            known = [info.alias or name for name, info in cls.model_fields.items()]
            for key in data:
                if key in cls.meant:
                    raise fault(f"unknown key {key!r}; write {cls.meant[key]}", key)
                if key not in known:
                    raise fault(f"unknown key {key!r}{nearest(str(key), known)}", key)
        return data


M = TypeVar("M", bound=BaseModel)

_WHOLE, _NUMBER, _BOOL = "be a whole number", "be a number", "be true or false"
_LIST, _MAPPING = "be a list", "be a mapping of keys to values"
_EXPECTED = MappingProxyType(
    {
        "bool_parsing": _BOOL,
        "bool_type": _BOOL,
        "dict_type": _MAPPING,
        "finite_number": "be a finite number",
        "float_parsing": _NUMBER,
        "float_type": _NUMBER,
        "greater_than": "be greater than {gt}",
        "greater_than_equal": "be at least {ge}",
        "int_from_float": _WHOLE,
        "int_parsing": _WHOLE,
        "int_type": _WHOLE,
        "less_than": "be less than {lt}",
        "less_than_equal": "be at most {le}",
        "list_type": _LIST,
        "literal_error": "be {expected}",
        "model_attributes_type": _MAPPING,
        "model_type": _MAPPING,
        "none_required": "be null",
        "string_pattern_mismatch": "match the pattern {pattern!r}",
        "string_type": "be text",
        "tuple_type": _LIST,
    }
)
"""The required form of a value, by the type of pydantic's error."""

_SHOWN = 60
"""Maximum number of characters of an invalid value in a message."""

MOST_SHOWN = 100
"""Maximum number of mistakes that a message names; the others are counted."""


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
    place: Place = (),
    context: dict[str, Any] | None = None,
) -> M:
    """Return the content of a file, or of a part of it, as a model."""
    data = source.data
    for key in place:
        data = data[key]
    try:
        with few_hints():
            return model.model_validate(data, context=context)
    except ValidationError as invalid:
        found = mistakes(invalid, data)
        lines = [f"{source.where((*place, *at))}: {text}" for at, text in found[:MOST_SHOWN]]
        if len(found) > MOST_SHOWN:
            lines.append(f"{source.path}: {len(found) - MOST_SHOWN} more mistakes")
        raise error("\n".join(dict.fromkeys(lines))) from None


def nested_fault(
    invalid: ValidationError, *place: str | int, data: Any = None
) -> PydanticCustomError:
    """Return the first mistake of a validation inside a validator, for that validator to raise."""
    first = mistakes(invalid, data)[0]
    return fault(first.message, *place, *first.place)


def mistakes(invalid: ValidationError, data: Any = None) -> list[Mistake]:
    """Return all mistakes that pydantic found in a document.

    A value that fits no member of a union is one mistake. If something inside a value is wrong,
    nothing is said of what else the value could have been.
    """
    found = [_read(detail, data) for detail in invalid.errors(include_url=False)]
    around = {place[:n] for place, _, _ in found for n in range(len(place))}
    expected: dict[Place, list[str]] = {}
    for place, message, detail in found:
        if not message:
            expected.setdefault(place, []).append(_expected(detail))
    result: list[Mistake] = []
    for place, message, detail in found:
        if message:
            result.append(Mistake(place, message))
        elif place not in around and place in expected:
            result.append(Mistake(place, _sentence(place, expected.pop(place), detail)))
    return result


class _Found(NamedTuple):
    place: Place
    message: str
    """Empty if the message is made of what the value must be."""
    detail: ErrorDetails


def _read(detail: ErrorDetails, data: Any) -> _Found:
    kind, context = detail["type"], detail.get("ctx", {})
    place = _place(detail["loc"], data)
    if kind == "value_error" or kind not in get_args(ErrorType):
        # A validator of ours said what is wrong, and where if it used `fault`.
        message = detail["msg"].removeprefix("Value error, ")
        return _Found((*place, *context.get("place", ())), message, detail)
    if kind == "missing":
        place = (*_place(detail["loc"][:-1], data), detail["loc"][-1])
    elif kind.startswith("union_tag"):
        place = (*place, context["discriminator"].strip("'"))
    message = _missing(place) if kind in ("missing", "union_tag_not_found") else ""
    return _Found(place, message, detail)


def _place(location: Place, data: Any) -> Place:
    """Return a location without the names of union members, which are not in the document."""
    if data is None:
        return location
    place: list[str | int] = []
    for part in location:
        is_key = isinstance(data, dict) and part in data
        if is_key or (isinstance(data, list | tuple) and part in range(len(data))):
            place.append(part)
            data = data[part]
    return tuple(place)


def _missing(place: Place) -> str:
    if isinstance(place[-1], int):
        return f"{_name(place)} is missing"
    return f"the key {place[-1]!r} is missing"


def _expected(detail: ErrorDetails) -> str:
    """Return what a value must be, as "be a number", or "" for an unusual error."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "too_short":
        n = context["min_length"]
        return "list at least one" if n == 1 else f"list at least {n} values"
    if kind == "too_long":
        return f"list at most {context['max_length']} values"
    if kind == "string_too_short":
        n = context["min_length"]
        return "not be empty" if n == 1 else f"have at least {n} characters"
    if kind == "union_tag_invalid":
        return f"be {' or '.join(context['expected_tags'].rsplit(', ', 1))}"
    shown = {k: f"{v:.15g}" if isinstance(v, float) else v for k, v in context.items()}
    return _EXPECTED.get(kind, "").format_map(shown)


def _sentence(place: Place, expected: list[str], detail: ErrorDetails) -> str:
    name, value = _name(place), detail["input"]
    if "" in expected:
        text = detail["msg"]
        return f"{name}: {text[0].lower()}{text[1:]}, not {_shown(value)}"
    must = f"{name} must {' or '.join(dict.fromkeys(expected))}".replace(" or be ", " or ")
    if detail["type"] in ("too_short", "string_too_short"):
        return must
    if detail["type"] == "too_long":
        return f"{must}, not {len(value)}"
    if detail["type"] == "union_tag_invalid":
        context = detail["ctx"]
        tag, known = context["tag"], context["expected_tags"].replace("'", "").split(", ")
        hint = nearest(tag, known)
        return f"{must}, not {tag!r}" + (hint if "did you mean" in hint else "")
    return f"{must}, not {_shown(value)}"


def _name(place: Place) -> str:
    """Return what a value is called: its key, or "item 2 of" that of its list."""
    return " of ".join(_names(place)) or "the document"


def _names(place: Place) -> Iterator[str]:
    for part in reversed(place):
        if isinstance(part, str):
            yield part
            return
        yield f"item {part + 1}"


def _shown(value: Any) -> str:
    """Return a value as YAML would write it, shortened."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
