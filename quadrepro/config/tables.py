"""The key ``tables`` of a config: kinds of tables and figures by name, with their options.

Kinds are imported when the first config is read; each brings the type of its option.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, Field, GetJsonSchemaHandler, create_model
from pydantic_core import CoreSchema
from pydantic_core.core_schema import definitions_schema

from quadrepro.base.models import Model
from quadrepro.base.registry import Registry

KINDS: Registry[Any] = Registry(
    "key",
    {
        "errors": "tables.kinds.errors:ERRORS",
        "noiseless": "tables.kinds.errors:NOISELESS",
        "margins": "tables.kinds.margins:MARGINS",
        "differences": "tables.kinds.sweeps:DIFFERENCES",
        "times": "tables.kinds.sweeps:TIMES",
        "curves": "tables.kinds.curves:CURVES",
        "scatter": "tables.kinds.scatter:SCATTER",
        "comparisons": "tables.kinds.comparisons:COMPARISONS",
        "ranking": "tables.kinds.ranking:RANKING",
        "claims": "tables.kinds.claims:CLAIMS",
        "readings": "tables.kinds.readings:READINGS",
    },
)
"""All kinds (`quadrepro.tables.kinds.Kind`), in the order in which they are written."""

UNASKED = ("errors", "comparisons")
"""The kinds that are written without being asked for."""


@cache
def _model() -> type[Model]:
    """Return the model of the mapping below ``tables``."""
    options: dict[str, Any] = {
        key: (kind.option, Field(None, description=kind.meaning)) for key, kind in KINDS.items()
    }
    return create_model("Tables", __base__=Model, __doc__="Tables and figures, by kind.", **options)


def asked_for(written: dict[str, Any]) -> dict[str, Any]:
    """Return the options of all that is written, in the order of `KINDS`."""
    requested = {key: option for key, option in written.items() if option is not False}
    options = _model().model_validate(requested)
    return {key: option or "" for key, option in options if option or key in UNASKED}


def _checked(written: dict[str, Any]) -> dict[str, Any]:
    asked_for(written)
    return written


class _Schema:
    """Describes all kinds in the JSON schema."""

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        # Among definitions, the model gets a place of its own.
        schema = handler(definitions_schema(_model().__pydantic_core_schema__, []))
        return schema | {"description": "Tables and figures to write, by kind."}


RequestedTables = Annotated[dict[str, Any], AfterValidator(_checked), _Schema()]
"""The type of the field ``tables`` of a config, which is kept as it is written."""
