"""All that quadrepro has itself keeps to the contracts of its kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quadrepro.base.plugins import KINDS
from quadrepro.papers.claims import CLAIMS
from quadrepro.plugins import REGISTRIES, Contract, contracts_of, title
from quadrepro.plugins.contracts import a_claim_has_the_name_of_its_entry

ANOTHER_PROCESS = ("adaboost", "lpboost", "boosting")
"""One of a family, since a process takes a second to begin."""


def cases() -> Iterator[object]:
    for kind in KINDS:
        for name in REGISTRIES[kind]:
            for contract in contracts_of(kind):
                what = contract.__name__
                other = "another_process" in what
                if not other or name in ANOTHER_PROCESS:
                    marks = [pytest.mark.slow] if other else []
                    yield pytest.param(contract, name, id=f"{kind}-{name}-{what}", marks=marks)


@pytest.mark.parametrize(("contract", "name"), [*cases()])
def test_all_of_ours_keep_to_the_contracts(contract: Contract, name: str) -> None:
    contract(name)


@pytest.mark.parametrize("kind", KINDS)
def test_every_contract_says_in_a_line_of_its_own_what_it_asks(kind: str) -> None:
    lines = [title(contract) for contract in contracts_of(kind)]  # type: ignore[arg-type]
    assert all(lines)
    assert len({*lines}) == len(lines)


def test_a_claim_under_a_name_that_it_does_not_carry_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(CLAIMS.places, "mine", CLAIMS["rank"])
    with pytest.raises(AssertionError, match=r"its names are \('rank',\): give class X"):
        a_claim_has_the_name_of_its_entry("mine")
