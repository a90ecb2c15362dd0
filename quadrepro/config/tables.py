"""What a config asks for below ``tables``: kinds of tables and figures by name, with their options.

A kind is imported when a config names it, and brings the type of its option.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, PlainSerializer, PlainValidator, create_model
from pydantic_core import CoreSchema, PydanticKnownError
from pydantic_core.core_schema import definitions_schema

from quadrepro.base.models import Model, fault
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
"""All kinds (`quadrepro.tables.kinds.base.Kind`), in the order in which they are written."""

UNASKED = {"errors": "", "comparisons": ""}
"""Options of the kinds that are written without being asked for."""


class RequestedTables(dict[str, Any]):
    """Validated options by key, without those that ask for nothing.

    Attributes
    ----------
    written : dict
        The same as the config says it.
    """

    def __init__(
        self, options: Mapping[str, Any] = MappingProxyType({}), written: Any = None
    ) -> None:
        super().__init__({key: option for key, option in options.items() if option})
        self.written = {} if written is None else written

    @property
    def every(self) -> dict[str, Any]:
        """Options of all that is written, in the order of `KINDS`."""
        options = UNASKED | self
        return {key: options[key] for key in KINDS if key in options}


@cache
def model_of(keys: Iterable[str]) -> type[Model]:
    """Return the model of some keys below ``tables``."""
    kinds = [KINDS.find(key) for key in keys]
    options: dict[str, Any] = {
        kind.key: (kind.option, Field(default=None, description=kind.meaning)) for kind in kinds
    }
    return create_model("Tables", __base__=Model, __doc__="Tables and figures, by kind.", **options)


def _asked(written: Any) -> RequestedTables:
    if not isinstance(written, dict):
        raise PydanticKnownError("dict_type")
    for key in written:
        try:
            KINDS.find(key)
        except KeyError as unknown:
            raise fault(unknown.args[0], key) from None
    wanted = {key: option for key, option in written.items() if option is not False}
    return RequestedTables(vars(model_of(tuple(wanted)).model_validate(wanted)), written)


class _Schema:
    """Describes all kinds in the JSON schema, for which all of them are imported."""

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        model = model_of(tuple(KINDS)).__pydantic_core_schema__
        # Among definitions, the model gets a place of its own.
        schema = handler(definitions_schema(model, []))
        return schema | {"description": "Tables and figures to write, by kind."}


AskedField = Annotated[
    RequestedTables,
    PlainValidator(_asked, json_schema_input_type=dict[str, Any]),
    PlainSerializer(lambda asked: asked.written),
    _Schema(),
]
"""The type of the field ``tables`` of a config."""
