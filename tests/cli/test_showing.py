from __future__ import annotations

import re
from pathlib import Path

import pytest

import quadrepro.cli
from quadrepro.cli.showing import expected
from quadrepro.engine.estimates import Forecast


@pytest.mark.parametrize(
    ("forecast", "jobs", "text"),
    [
        (Forecast(1200.0, 2.0, ()), 2, ", about 20 min (10 min to 40 min) with 2 workers"),
        (Forecast(1200.0, 1.02, ()), 0, ", about 20 min with 1 worker"),
        (Forecast(0.1, 3.0, ()), 2, ", about 1 s with 2 workers"),
        (
            Forecast(60.0, 1.0, ("svm",)),
            2,
            ", about 60 s with 2 workers, not counting svm, which never ran here",
        ),
        (
            Forecast(0.0, 1.0, ("svm", "forest")),
            2,
            ", of unknown time",
        ),
    ],
)
def test_times_are_shown_with_their_range_if_its_ends_differ(
    forecast: Forecast, jobs: int, text: str
) -> None:
    assert expected(forecast, jobs) == text


def test_every_verb_prints_through_the_function_that_escapes_control_characters() -> None:
    folder = Path(quadrepro.cli.__file__).parent
    calls = [
        f"{path.name}: {line.strip()}"
        for path in folder.glob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"click\.s?echo\(|(?<!\w)print\(", line)
    ]
    assert [call for call in calls if not call.startswith("showing.py")] == []
    assert len(calls) == 2
