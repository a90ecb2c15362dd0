"""The base of everything a config holds: unknown keys are refused with the nearest known one."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from quadrepro.errors import nearest


def fault(message: str, *place: str | int) -> PydanticCustomError:
    """Return an error at a place below the model that finds it."""
    return PydanticCustomError("fault", "{message}", {"message": message, "place": place})


class Model(BaseModel):
    """A mapping of the config; an unknown key is refused with the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in data if isinstance(data, dict) else ():
            if key not in known:
                raise fault(f"unknown key {key!r}{nearest(key, known)}", key)
        return data
