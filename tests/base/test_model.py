"""The base class of what users write in YAML: frozen, and strict about keys."""

from __future__ import annotations

import pytest
from pydantic import Field, ValidationError, field_validator

from quadrepro.base.models import Model, fault


class Scale(Model):
    start: float = Field(alias="from")
    points: int = 1


class Grid(Model):
    scale: Scale

    @field_validator("scale")
    @classmethod
    def _even(cls, scale: Scale) -> Scale:
        if scale.points % 2:
            raise fault("points must be even", "points")
        return scale


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("pionts", "; did you mean 'points'?"),
        ("form", "; did you mean 'from'?"),
        ("start", "; known are from, points"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_that_yaml_takes(key: str, hint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Scale.model_validate({"from": 1, key: 2})
    (detail,) = caught.value.errors()
    assert detail["msg"] == f"unknown key {key!r}{hint}"
    assert detail["ctx"]["place"] == (key,)


def test_a_key_of_the_mapping_around_is_not_taken_for_one_of_the_inner_mapping() -> None:
    with pytest.raises(ValidationError) as caught:
        Grid.model_validate({"scale": {"from": 1, "scale": 2}})
    (detail,) = caught.value.errors()
    assert (detail["loc"], detail["ctx"]["place"]) == (("scale",), ("scale",))


def test_a_fault_says_where_below_its_value_the_mistake_is() -> None:
    with pytest.raises(ValidationError) as caught:
        Grid.model_validate({"scale": {"from": 1, "points": 3}})
    (detail,) = caught.value.errors()
    assert (detail["type"], detail["msg"]) == ("fault", "points must be even")
    assert (*detail["loc"], *detail["ctx"]["place"]) == ("scale", "points")


def test_a_message_with_braces_is_shown_as_it_is() -> None:
    assert fault("give {at_most: 9}", "positive").message() == "give {at_most: 9}"


def test_a_model_cannot_be_changed() -> None:
    scale = Scale.model_validate({"from": 1})
    with pytest.raises(ValidationError, match="frozen"):
        scale.points = 2  # type: ignore[misc]
