from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import quadrepro
from quadrepro.api import prepare, write
from quadrepro.base.yaml import read_yaml
from quadrepro.engine.records import RecordStore
from tests.cli.call import quadrepro as command

pytestmark = pytest.mark.slow

Write = Callable[..., Path]


def test_a_mapping_gives_the_tables_of_the_same_file_without_progress_if_not_wanted(
    small_config: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = small_config()
    content: dict[str, Any] = read_yaml(path).data
    of_file = quadrepro.reproduce(path, jobs=1, out=tmp_path / "a", progress=False)
    of_mapping = quadrepro.reproduce(content, jobs=1, out=tmp_path / "b", progress=False)
    assert capsys.readouterr().err == ""
    assert of_mapping.folder.name == of_file.folder.name == "small"
    compared = command("compare", of_file.folder, of_mapping.folder, "--tolerance", 0)
    assert compared.exit_code == 0, compared.output


def test_a_cell_without_a_record_is_a_dash(small_config: Write, tmp_path: Path) -> None:
    plan = prepare(small_config(), offline=True)
    results = write(plan, RecordStore(tmp_path / "records"), tmp_path)
    assert "–" in repr(results.table("errors"))
    assert set(results.cells["status"]) == {"missing"}
    assert len(results.examples) == 0
