"""What a kind of claim must keep to, so that a paper.yaml can make claims of it."""

from __future__ import annotations

from pydantic import ValidationError

from quadrepro.papers.claims import find_claim
from quadrepro.papers.claims.claim import Claim
from quadrepro.plugins import Contract


def it_is_judged(name: str) -> None:
    """It is a claim with a judgement of its own."""
    model = find_claim(name)
    assert issubclass(model, Claim), f"{model.__name__} is no Claim"
    assert model.judge is not Claim.judge, f"{model.__name__} has no judge"


def it_says_what_it_claims(name: str) -> None:
    """Its docstring says what is claimed, and its keys can be written as a JSON schema."""
    model = find_claim(name)
    assert (model.__doc__ or "").strip(), f"{model.__name__} has no docstring"
    assert model.__doc__ != Claim.__doc__, f"{model.__name__} has the docstring of all claims"
    keys = model.model_json_schema()["properties"]
    assert {"kind", "text"} <= keys.keys(), "its schema lacks kind or text"


def unknown_keys_are_refused(name: str) -> None:
    """A key that it does not have is refused by its name."""
    try:
        find_claim(name).model_validate({"kind": name, "text": "x", "no_such_key": 1})
    except ValidationError as error:
        assert "no_such_key" in str(error), "an unknown key is not named"
    else:
        raise AssertionError("an unknown key is accepted")


CONTRACTS: tuple[Contract, ...] = (it_is_judged, it_says_what_it_claims, unknown_keys_are_refused)
