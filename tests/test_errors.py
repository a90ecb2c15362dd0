"""Exit codes of errors, and hints at the nearest name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro import errors
from quadrepro.errors import COMPARED, QuadreproError, few_hints, nearest


def test_every_kind_of_error_has_the_exit_code_that_the_readme_lists() -> None:
    codes = {
        kind.__name__: kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, QuadreproError)
    }
    assert codes == {
        "QuadreproError": 1,
        "ConfigError": 2,
        "DataError": 3,
        "NoConnectionError": 3,
        "ToleranceError": 4,
    }


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("pimo", ["wine", "pima", "pimas"], "; did you mean 'pima'?"),
        ("spam", ["wine", "pima"], "; known are pima, wine"),
        ("spam", ["wine", "wine"], "; known are wine"),
        ("spam", [], ""),
        ("", ["wine"], "; known are wine"),
        ("spam", [*"abcdefghijklmno"], "; known are a, b, c, d, e, f, g, h, i, j, k, l, m, n, o"),
        ("zz", ["zara", *map(str, range(99)), "zap"], "; the nearest of 101 are zap, zara, 0"),
    ],
)
def test_the_hint_is_the_closest_name_or_all_or_the_nearest_of_many(
    name: str, known: list[str], hint: str
) -> None:
    assert nearest(name, known) == hint
    assert nearest(name, iter(known)) == hint


def test_of_many_names_the_command_that_lists_them_is_named() -> None:
    many = [str(i) for i in range(50)]
    assert nearest("x", many, "list all") == "; the nearest of 50 are 0, 1, 10 (see list all)"
    assert nearest("x", ["wine"], "list all") == "; known are wine"


NAMES = st.sets(st.text(st.characters(categories=("L", "N")), min_size=4), min_size=1)


@given(NAMES, st.data())
def test_a_name_with_one_letter_more_is_still_recognised(
    known: set[str], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(known)))
    assert nearest(f"{name}_", known).startswith("; did you mean ")


def test_there_is_no_hint_among_more_letters_than_are_compared() -> None:
    assert nearest("pimo", ["pima", "x" * (COMPARED // 2)]) == "; did you mean 'pima'?"
    assert nearest("n7", map(str, range(COMPARED))) == ""


def test_hints_on_one_document_share_what_is_compared() -> None:
    known = ["pima", *(f"{i:059d}" for i in range(COMPARED // 100))]
    with few_hints():
        assert nearest("pimo", known) == "; did you mean 'pima'?"
        assert nearest("pimo", known) == ""
        assert nearest("pimo", ["pima"]) == ""
    assert nearest("pimo", known) == "; did you mean 'pima'?"


def test_a_long_name_is_compared_by_its_beginning_and_shown_whole() -> None:
    known = "a" * 59 + "b" * 200
    assert nearest("a" * 59 + "c" * 10_000_000, [known]) == f"; did you mean {known!r}?"
