from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.errors import ConfigError
from quadrepro.tables.audit.counts import BOLD, MEANS
from tests.tables.audit.papers import places, subject

TABLE = "d,a,b,c\nx,0.1,0.10,0.3\ny,0.2,0.1,0.4\n"


@pytest.mark.parametrize(
    ("bold", "holds"),
    [
        ("{x: [a, b]}", True),
        ("{x: [a]}", True),
        ("{x: [a, c]}", False),
        ("{y: [b]}", True),
        ("{y: [a, b]}", False),
    ],
)
def test_bold_numbers_are_lowest_before_rounding_or_can_be(
    tmp_path: Path, bold: str, holds: bool
) -> None:
    found = subject(tmp_path, f"\n  t: {{bold: {bold}}}", t=TABLE)
    assert [*places(BOLD, found).values()] == [holds]


@pytest.mark.parametrize(
    ("bold", "message"),
    [
        ("{xx: [a]}", "paper.yaml:4:14: unknown row 'xx'; did you mean 'x'?"),
        ("{x: [a, bb]}", "paper.yaml:4:21: unknown column 'bb'; did you mean 'b'?"),
    ],
)
def test_an_unknown_name_is_refused_with_its_place(tmp_path: Path, bold: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        BOLD.judge(subject(tmp_path, f"\n  t: {{bold: {bold}}}", t=TABLE))
    assert message in str(caught.value)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_means_of_unrounded_numbers_hold_and_those_a_digit_off_fail(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float]
) -> None:
    mean = sum(numbers) / len(numbers)
    rows = "".join(f"x{i},{x:.3f},{x:.3f}\n" for i, x in enumerate(numbers))
    found = subject(
        tmp_path_factory.mktemp("paper"),
        t=f"d,a,b\n{rows}column_mean,{mean:.3f},{mean + 0.003:.3f}\n",
    )
    assert [*places(MEANS, found).values()] == [True, False]
    assert "column_mean" not in found.tables[0].rows


def test_deviations_have_no_mean_to_check(tmp_path: Path) -> None:
    table = "d,a_mean,a_sd\nx,1.0,0.1\ncolumn_mean,1.0,9.0\n"
    found = subject(tmp_path, "\n  t: {unit: percent, of: {splits: 20}}", t=table)
    assert places(MEANS, found) == {("t", "column_mean", "a_mean"): True}


def test_a_mean_of_rows_that_are_not_printed_is_left_open(tmp_path: Path) -> None:
    found = subject(tmp_path, t="d,a\nx,0.1\ny,\ncolumn_mean,0.1\n")
    assert [*places(MEANS, found).values()] == [None]
