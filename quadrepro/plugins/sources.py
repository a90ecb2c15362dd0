"""What a kind of source must keep to, so that a card can name it."""

from __future__ import annotations

from pydantic import ValidationError

from quadrepro.data.sources.schema import Layout, PackageSource
from quadrepro.plugins import Contract
from quadrepro.plugins.kinds import REGISTRIES


def it_says_what_it_is(name: str) -> None:
    """Its docstring says what it is, and its keys can be written as a JSON schema."""
    model = REGISTRIES["sources"].find(name)
    inherited = (PackageSource.__doc__, Layout.__doc__)
    assert model.__doc__ not in (None, *inherited), f"{model.__name__} has no docstring of its own"
    assert "kind" in model.model_json_schema()["properties"], "its schema lacks kind"


def it_can_be_read(name: str) -> None:
    """A source of another package reads its rows itself."""
    model = REGISTRIES["sources"].find(name)
    if name not in REGISTRIES["sources"].own():
        assert issubclass(model, PackageSource), f"{model.__name__} is no PackageSource"
        assert model.read is not PackageSource.read, f"{model.__name__} does not read"


def unknown_keys_are_refused(name: str) -> None:
    """A key that it does not have is refused by its name."""
    model = REGISTRIES["sources"].find(name)
    try:
        model.model_validate({"kind": name, "no_such_key": 1})
    except ValidationError as error:
        assert "no_such_key" in str(error), "an unknown key is not named"
    else:
        raise AssertionError("an unknown key is accepted")


CONTRACTS: tuple[Contract, ...] = (it_says_what_it_is, it_can_be_read, unknown_keys_are_refused)
