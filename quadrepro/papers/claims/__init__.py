"""The kinds of claims by the names that ``paper.yaml`` gives them.

A claim is judged twice, on our numbers and on the printed ones: one that does not follow from the
paper's own numbers is a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias, Union, get_args

from pydantic import Field

from quadrepro.papers.claims import claim, trends, winners
from quadrepro.papers.claims.claim import Claim

CLAIMS: dict[str, type[Claim]] = {
    name: model
    for module in (winners, trends, claim)
    for model in vars(module).values()
    if isinstance(model, type) and issubclass(model, Claim)
    for name in get_args(model.model_fields["kind"].annotation)
}
"""The model of every kind; its field ``kind`` lists its names."""


if TYPE_CHECKING:
    AnyClaim: TypeAlias = Claim
else:
    AnyClaim = Annotated[Union[tuple(CLAIMS.values())], Field(discriminator="kind")]  # noqa: UP007
