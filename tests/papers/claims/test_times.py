from __future__ import annotations

from dataclasses import replace

import pytest

from quadrepro.papers.claims.counts import FasterEverywhere, TimesFaster
from quadrepro.papers.claims.evidence import Lacking, Ours
from tests.papers.measured import changed, errors_of


def timed(seconds: dict[str, list[list[float]]]) -> Ours:
    """Return evidence of seconds by algorithm, row and split."""
    evidence = errors_of({c: [[1] * len(row) for row in rows] for c, rows in seconds.items()})
    return changed(
        evidence,
        lambda record, row, column, split: replace(
            record, seconds=seconds[column][int(row[1:]) - 1][split]
        ),
    )


@pytest.mark.parametrize(("times", "holds"), [(4, True), (4.1, False)])
def test_times_are_compared_by_their_means(times: float, holds: bool) -> None:
    evidence = timed({"a": [[1.0, 2.0], [3.0, 2.0]], "b": [[2.0, 2.0], [2.0, 26.0]]})
    claim = TimesFaster(kind="k", text="t", of="a", than="b", times=times)
    assert claim.judge(evidence) == ("4 times as fast", holds)
    assert claim.label == "t (measured time)"


def test_every_fast_one_beats_every_slow_one_on_every_row_by_medians() -> None:
    seconds = {
        "a": [[1.0, 1.0, 99.0], [2.0, 2.0, 2.0]],
        "b": [[2.0, 2.0, 0.0], [1.0, 1.0, 1.0]],
        "c": [[4.0, 4.0, 4.0], [8.0, 8.0, 8.0]],
        "d": [[6.0, 6.0, 6.0], [1.5, 1.5, 1.5]],
    }
    claim = FasterEverywhere(kind="k", text="t", of=("a", "b"), than=("c",))
    assert claim.judge(timed(seconds)) == (
        "faster at 2 of 2 points; 2 to 4 times as fast, median 3",
        True,
    )
    claim = FasterEverywhere(kind="k", text="t", of=("a", "b"), than=("c", "d"))
    assert claim.judge(timed(seconds)) == (
        "faster at 1 of 2 points; 0.75 to 2 times as fast, median 1.38",
        False,
    )


def test_a_fraction_of_a_second_is_evidence_and_the_same_time_is_not_faster() -> None:
    claim = FasterEverywhere(kind="k", text="t", of=("a",), than=("b",))
    assert claim.judge(timed({"a": [[0.1]], "b": [[0.2]]})) == (
        "faster at 1 of 1 points; 2 to 2 times as fast, median 2",
        True,
    )
    assert claim.judge(timed({"a": [[0.2]], "b": [[0.2]]})) == (
        "faster at 0 of 1 points; 1 to 1 times as fast, median 1",
        False,
    )


def test_no_time_at_all_is_no_evidence() -> None:
    evidence = timed({"a": [[0.0]], "b": [[1.0]]})
    for claim in (
        TimesFaster(kind="k", text="t", of="a", than="b", times=2),
        FasterEverywhere(kind="k", text="t", of=("a",), than=("b",)),
    ):
        with pytest.raises(Lacking, match="cells missing"):
            claim.judge(evidence)
