from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.notes.expressions import NUMBER, agrees, evaluate, value_of


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "here" / "cells.csv").write_text(
        "dataset,algorithm,risk,rounds\na,x,1,100\na,y,3,10\nb,x,2,\nb,y,6,1\n"
    )
    (tmp_path / "there" / "claims.csv").write_text(
        'claim,ours,holds\n"L2 wins, p = 1","5 wins, p = 0.25",2 of 30\nL1 wins,3 wins,holds\n'
    )
    (tmp_path / "here" / "table.md").write_text("Some row\nhas p = 0.42.\n")
    return tmp_path / "here"


X = ["cells", "risk", {"algorithm": "x"}, "dataset"]
Y = ["cells", "risk", {"algorithm": "y"}, "dataset"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (7, 7),
        (["cells", "risk", {"dataset": "b", "algorithm": "y"}], 6),
        ({"min": ["cells", "risk"]}, 1),
        ({"max": ["cells", "risk", {"algorithm": ["x"]}]}, 2),
        ({"mean": ["cells", "risk", {"algorithm": {"not": "x"}}]}, 4.5),
        ({"mean": ["cells", "risk", {"dataset": {"like": "^a"}}]}, 2),
        ({"sum": ["cells", "risk", {"risk": {"below": 3}}]}, 3),
        ({"sd": ["cells", "risk", {"algorithm": "x"}]}, math.sqrt(0.5)),
        ({"count": ["cells", "rounds"]}, 3),
        ({"count": ["cells", "rounds", {"dataset": "c"}]}, 0),
        ({"distinct": ["cells", "dataset"]}, 2),
        ({"max": {"difference": [Y, X]}}, 4),
        ({"mean": {"ratio": [Y, X]}}, 3),
        ({"sum": {"square": X}}, 5),
        ({"count": {"above": [X, 1]}}, 1),
        ({"max": {"product": [100, X]}}, 200),
        ({"max": {"difference": [X, ["cells", "risk", {"risk": 3}]]}}, -1),
        ({"max": {"difference": [["cells", "rounds", {"algorithm": "x"}, "dataset"], X]}}, 99),
        ({"total": [1, {"log": 1}]}, 1),
        ({"abs": {"difference": [1, 3]}}, 2),
        ({"claim": ["L2 wins", 2, "ours", "there"]}, 0.25),
        ({"claim": ["L2 wins", 2, "holds", "there"]}, 30),
        ({"remark": ["table.md", "row has p = #."]}, 0.42),
        ({"setting": ["configs/table1.yaml", "datasets"]}, 25),
        ({"setting": ["configs/cbboost-figure2.yaml", "algorithms.1.grid.epsilon"]}, 1e-6),
    ],
)
def test_an_expression_has_the_value_that_it_says(folder, expression, value) -> None:
    assert evaluate(expression, folder) == pytest.approx(value)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (["cells", "risk"], "4 values instead of one"),
        (["cells", "risk", {"dataset": "c"}], "0 values instead of one"),
        ({"max": {"difference": [Y, ["cells", "risk", {"algorithm": "y"}]]}}, "one side only"),
        (["cells", "risk", {}, "dataset"], "several rows per dataset"),
        ({"claim": ["L", 1, "ours", "there"]}, "2 claims begin"),
        ({"claim": ["wins", 1, "ours", "there"]}, "0 claims begin"),
        ({"remark": ["table.md", "column has p = #"]}, "occurs 0 times"),
    ],
)
def test_an_expression_that_is_not_one_value_is_refused(folder, expression, message) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(expression, folder)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("144 of 150", ["144", "150"]),
        ("p = .057, 0.238", [".057", "0.238"]),
        ("32,561 rows, -0.25 and 5-6", ["32,561", "-0.25", "5", "6"]),
        ("k^-1.97, 1e-10 and 10^6", ["-1.97", "1e-10", "10^6"]),
        ("QuadBoost-L2, a5a, figure4, 2n", []),
    ],
)
def test_numbers_are_told_from_names(text, numbers) -> None:
    assert NUMBER.findall(text) == numbers


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_number_agrees_with_what_is_rounded_to_it_and_with_nothing_else(value, digits) -> None:
    written, unit = f"{value:.{digits}f}", 10.0**-digits
    assert agrees(written, value)
    for side in (-1, 1):
        assert agrees(written, float(written) + side * 0.49 * unit)
        assert not agrees(written, float(written) + side * 0.51 * unit)


@pytest.mark.parametrize(
    ("number", "value"), [("Three", 3), ("none", 0), ("1,000", 1000), ("10^4", 1e4), ("−.5", -0.5)]
)
def test_words_and_signs_have_values(number, value) -> None:
    assert value_of(number) == value


def test_a_power_of_ten_is_rounded_to_its_last_digit() -> None:
    assert agrees("1e-6", 1.4e-6)
    assert not agrees("1e-6", 1.6e-6)
    assert not agrees("1e5", 2e5)
