"""The kinds of claims by the names that ``paper.yaml`` gives them.

A claim is judged twice, on our numbers and on the printed ones: one that does not follow from the
paper's own numbers is a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, get_args

from pydantic import BeforeValidator, Field

from quadrepro.base.models import fault
from quadrepro.errors import nearest
from quadrepro.papers.claims import claim, curves, errors
from quadrepro.papers.claims.claim import Claim

CLAIMS: dict[str, type[Claim]] = {
    name: model
    for module in (errors, curves, claim)
    for model in vars(module).values()
    if isinstance(model, type) and issubclass(model, Claim)
    for name in get_args(model.model_fields["kind"].annotation)
}
"""The model of every kind; its field ``kind`` lists its names."""


def _known_kind(data: Any) -> Any:
    """Refuse an unknown kind with the one that begins with its name, or else the nearest."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind is None or kind in [*CLAIMS]:
        return data
    longer = [name for name in CLAIMS if name.startswith(f"{kind}-")]
    raise fault(f"unknown kind of claim {kind!r}{nearest(str(kind), longer or CLAIMS)}", "kind")


if TYPE_CHECKING:
    AnyClaim: TypeAlias = Claim
else:
    AnyClaim = Annotated[
        Union[tuple(CLAIMS.values())],  # noqa: UP007
        Field(discriminator="kind"),
        BeforeValidator(_known_kind),
    ]
