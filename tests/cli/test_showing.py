from __future__ import annotations

import re
from pathlib import Path

import quadrepro.cli


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
