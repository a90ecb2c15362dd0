"""Exit codes of errors, and hints at the nearest name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro import errors
from quadrepro.errors import ConfigError, QuadreproError, nearest, together


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
    ("name", "names", "hint"),
    [
        ("pimo", ["wine", "pima", "pimas"], "; did you mean 'pima'?"),
        ("spam", ["wine", "pima"], "; known are pima, wine"),
        ("spam", ["wine", "wine"], "; known are wine"),
        ("spam", [], ""),
        ("", ["wine"], "; known are wine"),
        ("spam", [*"abcdefghijklmno"], "; known are a, b, c, d, e, f, g, h, i, j, k, l, m, n, o"),
        ("zz", ["zara", *map(str, range(99)), "zap"], "; the nearest of 101 are zap, zara, 98"),
    ],
)
def test_the_hint_is_the_closest_name_or_all_or_the_nearest_of_many(
    name: str, names: list[str], hint: str
) -> None:
    assert nearest(name, names) == nearest(name, iter(names)) == hint
    listed = f"{hint} (see list all)" if "nearest of" in hint else hint
    assert nearest(name, names, "list all") == listed


NAMES = st.sets(st.text(st.characters(categories=("L", "N")), min_size=4), min_size=1)


@given(NAMES, st.data())
def test_a_name_with_one_letter_more_is_still_recognised(
    names: set[str], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(names)))
    assert nearest(f"{name}_", names).startswith("; did you mean ")


def test_the_faults_of_several_calls_are_raised_together() -> None:
    def fail(message: str) -> int:
        raise ConfigError(message)

    assert together([lambda: 1, lambda: 2]) == [1, 2]
    with pytest.raises(ConfigError, match=r"^a\nb$"):
        together([lambda: fail("a"), lambda: 2, lambda: fail("a\nb")])
