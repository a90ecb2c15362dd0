"""The base class of every model of a YAML file."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from quadrepro.errors import nearest

CHANGES = "changes"
"""The key of a JSON schema that stands for the fields of a model, all of them optional."""


def changes(of: type[BaseModel]) -> WithJsonSchema:
    """Return an annotation of a mapping that changes fields of a model, for its JSON schema."""
    return WithJsonSchema({CHANGES: of.__name__})


def fault(message: str, *place: str | int) -> PydanticCustomError:
    """Return an exception for a validator to raise, with the place of the mistake.

    Parameters
    ----------
    message : str
        What is wrong, shown as it is.
    *place : str or int
        Keys and indices that lead from the value being validated to the mistake.

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

    Attributes
    ----------
    forms : tuple of type
        What may stand in place of the mapping, as `quadrepro.documents.json_schema` says it. The
        model has a validator that makes a mapping of it.
    """

    forms: ClassVar[tuple[Any, ...]] = ()

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            known = [info.alias or name for name, info in cls.model_fields.items()]
            for key in data:
                if key not in known:
                    raise fault(f"unknown key {key!r}{nearest(key, known)}", key)
        return data
