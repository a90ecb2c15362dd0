from __future__ import annotations

import sys

import pytest

from quadrepro.base.registry import Registry

NAMES: Registry[str] = Registry("word", {"long": "base.text:NAME", "here": "tests:none"})
DOCS: Registry[object] = Registry("thing", {"docs": "registry:Registry"}, "quadrepro.base")


def test_an_entry_is_imported_when_it_is_asked_for() -> None:
    assert "quadrepro.tests" not in sys.modules
    assert [*NAMES] == ["long", "here"]
    assert len(NAMES) == 2
    assert "here" in NAMES
    assert DOCS.find("docs") is DOCS["docs"] is Registry


@pytest.mark.parametrize(
    ("asked", "message"),
    [("lang", "unknown word 'lang'; did you mean 'long'?"), ([1], r"unknown word \[1\]; known")],
)
def test_an_unknown_name_of_any_type_is_refused_with_the_nearest(
    asked: object, message: str
) -> None:
    with pytest.raises(KeyError, match=message):
        NAMES.find(asked)
