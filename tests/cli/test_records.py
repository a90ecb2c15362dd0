"""Records as verbs see them, and runs in parts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.results.compare import compare
from tests.cli.call import quadrepro

Write = Callable[..., Path]


def fail(*args: object) -> None:
    raise ArithmeticError("the oracle is silent")


REASON = (
    f"ArithmeticError: the oracle is silent (test_records.py:{fail.__code__.co_firstlineno + 1})"
)


def test_check_counts_what_is_done_and_lists_what_is_not(
    small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config()
    asked = "check", config, "--cells", "--out", tmp_path
    lines = quadrepro(*asked).stdout.splitlines()
    assert len(lines) == 6
    assert lines[0] == "monks, quadboost-l2, repeat 0: missing: not computed"
    assert lines[-1] == "4 cells, 0 already computed, 4 left"
    assert list(tmp_path.glob("records")) == []
    monkeypatch.setattr("quadrepro.core.learners.greedy.adaboost.AdaBoost._paths", fail)
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path)
    done = "4 cells, 4 already computed (2 without a result)"
    failed = f"repeat 0: failed: {REASON}"
    expected = [f"monks, ada, {failed}", f"people, ada, {failed}", "", done]
    assert quadrepro(*asked).stdout.splitlines() == expected
    *_, l2, ada, _, last = quadrepro("check", config, "--out", tmp_path).stdout.splitlines()
    assert l2.split()[:6] == ["quadboost-l2", "4", "2", "2", "0", "0"]
    assert ada.split()[:6] == ["ada", "1", "2", "0", "2", "0"]
    assert last == done


def test_parts_whose_records_are_copied_together_give_the_tables_of_one_run(
    small_config: Write, tmp_path: Path
) -> None:
    config = small_config()
    parts = [tmp_path / "part 1", tmp_path / "part 2"]
    for i, part in enumerate(parts, start=1):
        result = quadrepro("run", config, "--jobs", 1, "--out", part, "--shard", f"{i}/2")
        assert result.exit_code == 0
        assert not (part / "small").exists()
    for part in parts:
        shutil.copytree(part / "records", tmp_path / "all" / "records", dirs_exist_ok=True)
    assert quadrepro("table", config, "--out", tmp_path / "all").exit_code == 0
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path / "one")
    found = compare(tmp_path / "all" / "small", tmp_path / "one" / "small", tolerance=0)
    assert found.differences == []


def damage(out: Path) -> Path:
    record = sorted((out / "records").glob("??/*.json"))[0]
    record.write_bytes(record.read_bytes()[:-5])
    return record


def test_a_damaged_record_counts_as_missing_and_is_named(
    small_config: Write, tmp_path: Path
) -> None:
    config = small_config()
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path)
    record = damage(tmp_path)
    for option in ((), ("--cells",)):
        result = quadrepro("check", config, *option, "--out", tmp_path)
        assert "4 cells, 3 already computed, 1 left" in result.stdout
        assert f"{record} is damaged, counts as missing" in result.stderr


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/2/3"])
def test_a_part_that_is_none_is_refused(small_config: Write, shard: str) -> None:
    result = quadrepro("run", small_config(), "--shard", shard)
    assert result.exit_code == 2
    assert "is not a part such as 1/4" in result.stderr


@pytest.mark.parametrize("options", [(), ("--quiet",)])
def test_a_failure_is_told_with_its_reason_before_the_next_cell(
    options: tuple[str, ...], small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quadrepro.core.learners.greedy.adaboost.AdaBoost._paths", fail)
    told: list[str] = []
    monkeypatch.setattr("quadrepro.engine.progress.tell", told.append)
    command = "run", small_config(), "--jobs", 1, "--out", tmp_path, *options
    assert quadrepro(*command).exit_code == 1
    line = f"{{}}, ada, repeat 0: failed: {REASON}"
    failures = [line.format("monks"), line.format("people")]
    assert sorted(text for text in told if "failed" in text) == failures
    if not options:
        assert "4/4 cells" in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--memory", "lots"), "'lots' is not a size such as 4GB"),
        (("--memory", "0GB"), "is not a size such as 4GB"),
        (("--retry", "fialed"), "unknown status 'fialed'; did you mean 'failed'?"),
        (("--backend", "dask"), "--backend dask and --scheduler go together"),
        (("--scheduler", "tcp://localhost:1"), "--backend dask and --scheduler go together"),
    ],
)
def test_options_that_cannot_be_are_refused(
    small_config: Write, options: tuple[str, ...], message: str
) -> None:
    result = quadrepro("run", small_config(), *options)
    assert result.exit_code == 2
    assert message in result.stderr
