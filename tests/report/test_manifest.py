from __future__ import annotations

import json
from pathlib import Path

import pytest

from quadrepro.errors import DataError
from quadrepro.report.manifest import (
    MANIFEST,
    CellsFile,
    FigureFiles,
    Manifest,
    TableFiles,
    read_manifest,
)

WHOLE = Manifest(
    tables={
        "times": TableFiles(key="times", title="T: ∞", files=("times.md",), timed=True),
        "risks": TableFiles(key="risks", title="R", files=("risks.md",), timed_rows=("Time",)),
    },
    figures={"times": FigureFiles(key="times", files=("times.svg",), timed=True)},
    cells=CellsFile(file="cells.csv", timed_columns=("seconds",)),
)


def test_a_manifest_comes_back_as_it_was_written_in_the_same_order(tmp_path: Path) -> None:
    WHOLE.write(tmp_path)
    found = read_manifest(tmp_path)
    assert found == WHOLE
    assert [*found.tables] == ["times", "risks"]
    text = (tmp_path / MANIFEST).read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert "T: ∞" in text


def test_a_folder_without_one_has_none(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Invalid JSON"),
        ("{}", "tables: Field required"),
        (json.dumps(WHOLE.model_dump(mode="json") | {"tables": {"risks": {}}}), "tables.risks.key"),
    ],
)
def test_a_damaged_one_is_named_with_its_fault(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(DataError) as caught:
        read_manifest(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / MANIFEST}: ")
    assert message in str(caught.value)
