from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import quadrepro
from quadrepro import api
from quadrepro.api import prepare
from quadrepro.base.yaml import read_yaml
from quadrepro.engine import worker
from quadrepro.engine.records import RecordStore
from quadrepro.results.files import write_results
from tests.make import config, write_config
from tests.make import quadrepro as command

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
    results = write_results(plan, RecordStore(tmp_path / "records"), tmp_path)
    assert "–" in repr(results.table("errors"))
    assert set(results.cells["status"]) == {"missing"}
    assert len(results.examples) == 0


def cell_of(out: Path, **options: Any) -> Any:
    """Return the row of the only cell of a config, of which options can change keys."""
    keys = config(**options.pop("keys", {}))
    return quadrepro.reproduce(keys, jobs=1, out=out, progress=False, **options).cells.iloc[0]


def test_cells_have_the_limits_of_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = []
    monkeypatch.setattr(api, "compute_cells", lambda *args, **_: computed.append(args[3]))
    cell_of(tmp_path, keys={"timeout": 0.5, "memory": "3GB"})
    assert [*computed[0].values()] == [worker.Limits(seconds=0.5, memory=3 * 10**9)]


def test_a_failed_cell_is_computed_again_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(worker, "compute_cell", lambda cell: 1 / 0)
        assert cell_of(tmp_path)["status"] == "failed"
    assert [cell_of(tmp_path, retry=of)["status"] for of in (False, True)] == ["failed", "ok"]


def test_code_that_has_changed_is_imported_again(tmp_path: Path) -> None:
    code, found = "class Own:\n  def fit(self, X, y): ...\n  def predict(self, X): ", []
    path = write_config(tmp_path, algorithms=["mine_again:Own"], baseline=False)
    for value in (0, 1):
        # Python takes a file of the same size and second for unchanged.
        text = f"{code}return [{value}] * len(X)\n" + value * "# changed\n"
        (tmp_path / "mine_again.py").write_text(text)
        results = quadrepro.reproduce(path, jobs=1, out=tmp_path, progress=False)
        found.append(results.cells["errors"].iloc[0])
    assert sum(found) == results.cells["n_test"].iloc[0]
