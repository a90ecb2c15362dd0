from __future__ import annotations

import contextlib
import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.results.compare import compare
from quadrepro.results.folder import read_folder
from quadrepro.results.results import load_results
from tests.cli.call import quadrepro
from tests.hostile import CONTROLS, HOSTILE

pytestmark = pytest.mark.slow

Write = Callable[..., Path]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results"


def test_a_run_writes_every_file_and_prints_the_table_and_plain_lines_where_it_is_piped(
    small_config: Write, out: Path
) -> None:
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", out)
    assert result.exit_code == 0, result.output
    assert "| monks" in result.stdout
    names = {p.name for p in (out / "small").iterdir()}
    tables = {f"{t}.{e}" for t in ("risks", "comparisons") for e in ("md", "csv")}
    assert names == tables | {"cells.csv", "tables.json", "run.json", "report.html"}
    first, *_, last = result.stderr.splitlines()
    assert first.startswith("Small: 4 cells, 0 already computed, 4 left; tables go to ")
    assert last == "4/4 cells"
    assert "\r" not in result.stderr
    assert "\x1b" not in result.stderr


def test_cells_csv_has_one_row_a_cell_in_the_stated_form(small_config: Write, out: Path) -> None:
    quadrepro("run", small_config(), "--jobs", 1, "--out", out, "--repeats", 2)
    with open(out / "small" / "cells.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "dataset",
        "algorithm",
        "repeat",
        "status",
        "errors",
        "n_test",
        "value",
        "risk",
        "chosen",
        "seconds",
        "published",
        "reason",
    ]
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        risk = int(row["errors"]) / int(row["n_test"])
        assert float(row["risk"]) == pytest.approx(risk, rel=1e-7)
        assert row["value"] == row["risk"]
        assert float(row["seconds"]) > 0
        assert set(json.loads(row["chosen"])) <= {"n_rounds", "lam"}


def test_run_json_says_what_tables_were_made_from_and_a_second_run_computes_nothing(
    small_config: Write, out: Path
) -> None:
    quadrepro("run", small_config(), "--jobs", 1, "--out", out)
    found = json.loads((out / "small" / "run.json").read_text())
    named = {"experiment", "config", "titles", "seed", "data", "blas_threads", "computed"}
    named |= {"conclusion"}
    assert named == set(found)
    assert sum(group["cells"] for group in found["computed"]) == 4
    assert found["seed"] == 7
    assert all(h.startswith("sha256:") for h in found["data"].values())
    before = {p: p.stat().st_mtime_ns for p in (out / "records").glob("??/*.json")}
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", out)
    assert "4 already computed" in result.output
    assert before == {p: p.stat().st_mtime_ns for p in (out / "records").glob("??/*.json")}


def test_tables_are_the_same_bytes_without_workers_and_with_two_resumed_and_shared(
    small_config: Write, tmp_path: Path
) -> None:
    first = small_config()
    second = small_config("seed: 7", "seed: 8", name="other")
    alone, together = tmp_path / "alone", tmp_path / "together"
    for config in (first, second):
        quadrepro("run", config, "--jobs", 1, "--out", alone, "--repeats", 3)
    begun = quadrepro("run", first, "--jobs", 2, "--out", together)
    assert begun.exit_code == 0, begun.output
    result = quadrepro("run", second, first, "--jobs", 2, "--out", together, "--repeats", 3)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("| monks") == 2
    timed = {"risks.md", "risks.csv", "cells.csv", "run.json", "report.html"}
    for name in ("small", "other"):
        assert compare(alone / name, together / name, tolerance=0).differences == []
        for path in (alone / name).iterdir():
            if path.name not in timed:
                assert path.read_bytes() == (together / name / path.name).read_bytes()


def test_a_config_with_a_mistake_does_not_stop_the_others(small_config: Write, out: Path) -> None:
    wrong = small_config("seed: 7", "sed: 7", name="wrong")
    result = quadrepro("run", wrong, small_config(), "--jobs", 1, "--out", out)
    assert result.exit_code == 2
    assert f"error: {wrong}: " in result.stderr
    assert (out / "small" / "risks.md").exists()


@pytest.mark.parametrize("in_config", [False, True])
def test_a_time_limit_without_workers_is_refused_before_anything_is_computed(
    small_config: Write, out: Path, in_config: bool
) -> None:
    config = small_config("seed: 7", "seed: 7\ntimeout: 1" if in_config else "seed: 7")
    words = ("--jobs", 1, *(() if in_config else ("--timeout", 1)))
    result = quadrepro("run", config, *words, "--out", out)
    assert result.exit_code == 2
    assert "error: a time limit needs worker processes: give one job or more" in result.stderr
    assert not [*out.rglob("*.json")]


def test_two_configs_of_one_name_are_refused(small_config: Write, out: Path) -> None:
    result = quadrepro("run", small_config(), small_config(), "--jobs", 1, "--out", out)
    assert result.exit_code == 2
    assert "two configs are called 'small'" in result.stderr


def test_a_failed_cell_is_a_dash_and_the_exit_code_1(
    small_config: Write, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise ArithmeticError("the oracle is silent")

    monkeypatch.setattr("quadrepro.core.learners.greedy.adaboost.AdaBoost._paths", fail)
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", out)
    assert result.exit_code == 1
    assert "monks, ada, repeat 0: failed: ArithmeticError: the oracle is silent" in result.stderr
    assert "2 of 4 cells have no result" in result.stderr
    assert re.search(r"monks +\| +\d\.\d{3} +\| +– \|", result.stdout)
    cells = (out / "small" / "cells.csv").read_text()
    assert re.search(
        r"^monks,ada,0,failed,,,,,,,,"
        r"ArithmeticError: the oracle is silent \(test_run\.py:\d+\)$",
        cells,
        re.MULTILINE,
    )
    monkeypatch.undo()
    monkeypatch.delenv("QUADREPRO_DATA", raising=False)
    again = "run", small_config(), "--jobs", 1, "--out", out
    assert "compute them again with --retry failed" in quadrepro(*again).stderr
    assert quadrepro(*again, "--retry", "failed").exit_code == 0


RUN = ("--out", "results", "--repeats", "40")


def begun(config: Path, jobs: str, records: int = 3) -> subprocess.Popen[str]:
    """Return a run in a process of its own, beside its config, once it has kept these records."""
    folder = config.parent
    process = subprocess.Popen(
        [sys.executable, "-m", "quadrepro", "run", str(config), "--jobs", jobs, *RUN],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "QUADREPRO_DATA"}
        | {"QUADREPRO_TEST": str(folder)},
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while len(list(folder.glob("results/records/??/*.json"))) < records and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


@pytest.mark.parametrize(
    ("sent", "jobs"), [(signal.SIGINT, "2"), (signal.SIGTERM, "1"), (signal.SIGHUP, "2")]
)
def test_a_run_whose_processes_are_all_interrupted_says_how_to_go_on_and_loses_nothing(
    small_config: Write, tmp_path: Path, sent: signal.Signals, jobs: str
) -> None:
    config = small_config("n_rounds: 5", "n_rounds: 50000")
    process = begun(config, jobs)
    # A scheduler of jobs sends the signal to workers as well, and perhaps before.
    for worker in {*map(int, of_this_test(tmp_path))} - {process.pid}:
        with contextlib.suppress(ProcessLookupError):  # a helper of the start may have ended
            os.kill(worker, sent)
    time.sleep(0.5)
    process.send_signal(sent)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 130, text
    line = text.strip().splitlines()[-1]
    found = re.fullmatch(r"interrupted: (\d+) of 160 cells are kept; continue with: (.+)", line)
    assert found, text
    records = tmp_path / "results" / "records"
    assert int(found[1]) == len(list(records.glob("??/*.json"))) >= 3
    assert list(records.glob("??/*.failed.json")) == []
    assert found[2] == f"quadrepro run {config} --jobs {jobs} {' '.join(RUN)}"
    assert "Traceback" not in text


@pytest.mark.skipif(sys.platform != "linux", reason="workers are looked for in /proc")
def test_workers_end_with_a_run_that_is_killed_and_the_next_run_goes_on(
    small_config: Write, tmp_path: Path
) -> None:
    config = small_config("n_rounds: 5", "n_rounds: 50000")
    process = begun(config, "2")
    assert len(of_this_test(tmp_path)) > 1
    # Nobody would remove it if all processes were killed.
    assert list(Path("/dev/shm").glob(f"*-{process.pid}-*")) == []
    process.kill()
    process.wait()
    deadline = time.monotonic() + 5
    while left := of_this_test(tmp_path):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    process.communicate()
    again = quadrepro("run", config, "--jobs", 1, "--out", tmp_path / "results", "--repeats", 2)
    assert again.exit_code == 0


def test_a_run_killed_at_random_moments_and_resumed_gives_the_same_tables(
    small_config: Write, tmp_path: Path
) -> None:
    config, rng = small_config(), random.Random()
    whole = quadrepro("run", config, "--jobs", 1, "--out", tmp_path / "whole", "--repeats", 40)
    assert whole.exit_code == 0
    for records in sorted(rng.choices(range(161), k=5)):
        process = begun(config, "2", records)
        time.sleep(rng.uniform(0, 0.1))
        with contextlib.suppress(ProcessLookupError):  # it may have ended
            rng.choice((os.kill, os.killpg))(process.pid, signal.SIGKILL)
        process.communicate()
    process = begun(config, "2", 160)
    assert "Traceback" not in process.communicate()[1]
    assert process.returncode == 0
    found = compare(tmp_path / "results" / "small", tmp_path / "whole" / "small", tolerance=0)
    assert found.differences == []


def of_this_test(folder: Path) -> list[str]:
    """Return the processes with an environment that names a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"QUADREPRO_TEST={folder}".encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def test_a_disk_that_cannot_be_written_is_named(small_config: Write, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file, not a folder")
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", tmp_path / "blocked")
    assert result.exit_code == 1
    assert re.match(r"error: .*blocked.*: Not a directory", result.stderr.splitlines()[-1])


def test_a_disk_that_is_full_is_told_with_the_file(
    small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quadrepro.base.files.os.fsync", fail)
    result = quadrepro("run", small_config(), "--jobs", 1, "--out", tmp_path / "full")
    assert result.exit_code == 1
    told = result.stderr.splitlines()[-1]
    assert re.fullmatch(rf"error: {tmp_path}/full/records/\S+: No space left on device", told)


def test_a_cell_that_fails_because_of_a_signal_has_no_record(
    small_config: Write, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*args: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            # As numpy does.
            raise ValueError("not comparable") from None

    monkeypatch.setattr("quadrepro.core.learners.greedy.adaboost.AdaBoost._paths", end)
    assert quadrepro("run", small_config(), "--jobs", 1, "--out", out).exit_code == 130
    assert list(out.glob("records/??/*.failed.json")) == []


def test_names_of_strangers_are_text_on_the_terminal_and_in_every_file(
    tmp_path: Path, out: Path
) -> None:
    config = {
        "title": " ".join(HOSTILE),
        "protocol": {"view": "quadboost", "folds": 2},
        "datasets": [{"name": "monks", "as": name} for name in HOSTILE],
        "algorithms": [
            {"name": "adaboost", "label": HOSTILE[0], "grid": {"n_rounds": 1}},
            {"name": HOSTILE[4], "algorithm": "quadboost", "grid": {"n_rounds": 1}},
        ],
        "notes": [" ".join(HOSTILE)],
        "tables": {"ranking": True},
    }
    path = tmp_path / "hostile.yaml"
    path.write_text(json.dumps(config))
    options = (path, "--out", out)
    verbs = (("run", "--jobs", 1), ("check",), ("check", "--cells"), ("table",))
    results = [quadrepro(*verb, *options) for verb in verbs]
    results.append(quadrepro("explain", path, HOSTILE[0], HOSTILE[4], "--out", out))
    results.append(quadrepro("table", "--page", out / "hostile"))
    results.append(quadrepro("table", "--all", "--out", out))
    for result in results:
        assert result.exit_code == 0, result.output
        assert not CONTROLS.intersection(result.output)
    folder = out / "hostile"
    written = [*folder.glob("*.md"), *folder.glob("*.svg")]
    assert len(written) >= 4
    for file in (*written, out / "README.md"):
        text = file.read_text(encoding="utf-8")
        assert not CONTROLS.intersection(text), file
        assert file.suffix == ".svg" or not re.search("<[a-z/]", text), file
    for file in folder.glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as lines:
            cells = {cell for row in csv.reader(lines) for cell in row}
        assert not [c for c in cells if re.match(r"[=+@\t\r]|-(?![\d.]|inf)", c)], file
    found = load_results(folder)
    assert set(found.cells["dataset"]) == set(HOSTILE)
    assert {*HOSTILE} < set(found.table("risks").data["dataset"])
    assert [row for row, _ in read_folder(folder).cells] == [n for n in HOSTILE for _ in range(3)]
    assert not compare(folder, folder).differences
