from __future__ import annotations

import json
from pathlib import Path

import pytest

from quadrepro.errors import DataError
from quadrepro.results.folder import (
    MANIFEST,
    CellsFile,
    FigureFiles,
    Manifest,
    TableFiles,
    read_folder,
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
    found = read_folder(tmp_path).manifest
    assert found == WHOLE
    assert [*found.tables] == ["times", "risks"]
    text = (tmp_path / MANIFEST).read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert "T: ∞" in text


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
        read_folder(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / MANIFEST}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/b", "..", "."])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    whole = WHOLE.model_dump(mode="json")
    tables, figures = whole["tables"], whole["figures"]
    for key, content in (
        ("cells", whole["cells"] | {"file": name}),
        ("tables", {name: tables["risks"]}),
        ("tables", {"risks": tables["risks"] | {"files": [name]}}),
        ("figures", {name: figures["times"]}),
        ("figures", {"times": figures["times"] | {"caption": name}}),
        ("score", name),
    ):
        (tmp_path / MANIFEST).write_text(json.dumps(whole | {key: content}))
        with pytest.raises(DataError, match=f"{name!r} is not the name of a file in this folder"):
            read_folder(tmp_path)


def test_a_file_is_listed_once(tmp_path: Path) -> None:
    whole = WHOLE.model_dump(mode="json")
    (tmp_path / MANIFEST).write_text(json.dumps(whole | {"score": "risks.md"}))
    with pytest.raises(DataError, match=r"'risks\.md' is listed twice"):
        read_folder(tmp_path)


def test_a_huge_folder_is_refused_with_its_largest_file(tmp_path: Path) -> None:
    WHOLE.write(tmp_path)
    with (tmp_path / "risks.md").open("wb") as file:
        file.truncate(6 * 2**30)
    message = (
        r"its files have 6,144 MiB, of which risks\.md has 6,144 MiB; at most 512 MiB are read"
    )
    with pytest.raises(DataError, match=message):
        read_folder(tmp_path)
