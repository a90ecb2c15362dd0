"""`run`, `check` and `table`: output, files and records, whatever happens to the run."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.results.compare import compare_folders
from tests.conftest import SMALL
from tests.make import Write, quadrepro, write_config, write_paper
from tests.results.made import make_folder

ADABOOST = "quadrepro.core.learners.adaboost.AdaBoost._paths"
PAPER = "title: A paper\nprinted: {t: {unit: percent}}\n"
OPTIONS = ("--repeats", 2, "--out", "results")
"""Options of the run that was computed."""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results"


def test_a_run_writes_every_file_and_is_not_computed_again(small_config: Write, out: Path) -> None:
    command = ("run", small_config(), "--jobs", 1, "--out", out)
    result = quadrepro(*command)
    assert result.exit_code == 0, result.output
    assert "| monks" in result.stdout
    tables = {f"{t}.{e}" for t in ("errors", "comparisons") for e in ("md", "csv")}
    expected = tables | {"cells.csv", "tables.json", "run.json", "report.html"}
    assert {p.name for p in (out / "small").iterdir()} == expected
    where = f"results go to {out / 'small'}\n"
    assert result.stderr == f"Small: 4 cells, 0 already computed, 4 left; {where}"
    assert result.stdout.endswith(f"\nReport: {(out / 'small' / 'report.html').as_uri()}\n")
    records = {path: path.stat().st_mtime_ns for path in (out / "records").glob("??/*")}
    assert "4 cells, 4 already computed; results" in quadrepro(*command).stderr
    assert {path: path.stat().st_mtime_ns for path in (out / "records").glob("??/*")} == records
    assert quadrepro(*command, "--quiet").output == ""
    shutil.rmtree(out / "records")
    lines = quadrepro(*command, "--verbose").stderr.splitlines()
    assert "monks: ships with quadrepro" in lines
    assert sum(" repeat 0: ok in " in line for line in lines) == 4


@pytest.mark.slow
def test_tables_are_the_same_bytes_for_any_number_of_workers_resumed_and_in_company(
    small_config: Write, tmp_path: Path
) -> None:
    first = small_config()
    second = small_config("seed: 7", "seed: 8", name="other")
    alone, together = tmp_path / "alone", tmp_path / "together"
    for config in (first, second):
        quadrepro("run", config, "--jobs", 1, "--out", alone, "--repeats", 3)
    assert quadrepro("run", first, "--jobs", 2, "--out", together).exit_code == 0
    result = quadrepro("run", second, first, "--jobs", 2, "--out", together, "--repeats", 3)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("| monks") == 2
    timed = {"errors.md", "errors.csv", "cells.csv", "run.json", "report.html"}
    for name in ("small", "other"):
        assert compare_folders(alone / name, together / name, tolerance=0).differences == []
        for path in (alone / name).iterdir():
            if path.name not in timed:
                assert path.read_bytes() == (together / name / path.name).read_bytes()


LIMITED = """
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Limited(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        {action}
        return self

    def predict(self, X):
        return X
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "action", "reason"),
    [
        ({"timeout": 0.1}, "time.sleep(60)", "timeout: it took more than 0.1 s"),
        ({"memory": "3GB"}, "np.ones(2**29)", "failed: out of memory: it may use 3 GB"),
    ],
)
def test_the_configs_limits_end_a_cell_also_with_one_job(
    tmp_path: Path, out: Path, limit: dict[str, object], action: str, reason: str
) -> None:
    (tmp_path / "limited.py").write_text(LIMITED.format(action=action))
    config = write_config(tmp_path, algorithms=["limited:Limited"], **limit)
    result = quadrepro("run", config, "--jobs", 1, "--out", out)
    assert result.exit_code == 1
    assert f"repeat 0: {reason}" in result.stderr


def test_the_run_of_a_paper_ends_with_its_verdict_in_a_sentence(tmp_path: Path, out: Path) -> None:
    write_paper(tmp_path / "paper", PAPER, t="data,adaboost\nmonks,25.0\n")
    config = write_config(tmp_path, paper="./paper", tables={"errors": "t"})
    for repeats, verdict in (
        (1, "One split cannot judge a printed number: give --repeats 30."),
        (4, "1 of 1 printed numbers of t are inside our intervals, where 1 are expected (p = "),
    ):
        result = quadrepro("run", config, "--jobs", 1, "--out", out, "--repeats", repeats)
        sentence = json.loads((out / "small" / "run.json").read_text())["conclusion"]
        assert sentence.startswith(verdict)
        assert f"\n\n{sentence}\n\nTables written to {out / 'small'}\n" in result.stdout
        assert json.loads((out / "small" / "tables.json").read_text())["percent"] == ["t"]


def test_parts_whose_records_are_copied_together_give_the_tables_of_one_run(
    computed: Path,
) -> None:
    for i in (1, 2):
        command = ("run", computed, *OPTIONS[:2], "--jobs", 1, "--out", f"part{i}")
        assert quadrepro(*command, "--shard", f"{i}/2").exit_code == 0
        assert not Path(f"part{i}", "small").exists()
        shutil.copytree(f"part{i}/records", "all/records", dirs_exist_ok=True)
    assert quadrepro("table", computed, *OPTIONS[:2], "--out", "all").exit_code == 0
    assert compare_folders(Path("all/small"), Path("results/small"), tolerance=0).differences == []


def test_check_warns_of_small_classes(tmp_path: Path) -> None:
    protocol = {"view": "default", "split": {"stratify": True, "train": 0.8}, "folds": 49}
    rows = [{"name": "wine", "as": "grapes"}]
    result = quadrepro("check", write_config(tmp_path, protocol=protocol, datasets=rows))
    assert "warning: grapes: a class has only 48 rows, so that" in result.stderr


def test_code_beside_a_config_is_named_and_not_run(small_config: Write, out: Path) -> None:
    path = small_config("algorithm: adaboost\n    grid: {n_rounds: 5}", "algorithm: mine_cli:make")
    (path.parent / "mine_cli.py").write_text("import mine_helper\ndef make(): ...\n1 / 0")
    (path.parent / "mine_helper.py").write_text("1 / 0")
    result = quadrepro("check", path, "--out", out)
    assert result.exit_code == 0, result.output
    assert "this config runs code: mine_cli.py, mine_helper.py\n" in result.output


RUN = ("--jobs", "2", "--out", "results", "--repeats", "40", "--no-report")


def begun(config: Path, n_records: int) -> subprocess.Popen[str]:
    """Return a run in a process group of its own, once it has kept some records."""
    folder = config.parent
    process = subprocess.Popen(
        [sys.executable, "-m", "quadrepro", "run", str(config), *RUN],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "QUADREPRO_DATA"},
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while (
        len(list(folder.glob("results/records/??/*.record"))) < n_records and process.poll() is None
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def running(group: int) -> list[int]:
    """Return the processes of a group that have not ended."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group, *_ = path.read_text().rpartition(") ")[2].split()
            if int(its_group) == group and state != "Z":
                processes.append(int(path.parent.name))
    return processes


SLOW = ("n_rounds: 5", "n_rounds: 50000")


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a run of the slow config that nothing ended."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "small.yaml").write_text(SMALL.replace(*SLOW))
    words = ("--jobs", 1, "--repeats", 4, "--out", folder)
    assert quadrepro("run", folder / "small.yaml", *words).exit_code == 0
    return folder / "small"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kill", "sent", "code"),
    [
        (os.kill, signal.SIGINT, 130),
        (os.killpg, signal.SIGINT, 130),
        (os.kill, signal.SIGTERM, 143),
        (os.killpg, signal.SIGTERM, 143),
        (os.killpg, signal.SIGHUP, 129),
        (os.kill, signal.SIGKILL, -9),
        (os.killpg, signal.SIGKILL, -9),
    ],
)
def test_a_run_that_is_ended_leaves_no_process_and_a_plain_rerun_gives_the_same_tables(
    kill: Callable[[int, int], None],
    sent: signal.Signals,
    code: int,
    small_config: Write,
    whole_run: Path,
) -> None:
    config = small_config(*SLOW)
    process = begun(config, 3)
    kill(process.pid, sent)
    _, text = process.communicate(timeout=60)
    assert process.returncode == code, text
    if code > 0:
        again = f"continue with: quadrepro run {config} {' '.join(RUN)}"
        assert again in text
        # joblib's own helper process dies as well when a terminal is closed, and tells nobody.
        if sent != signal.SIGHUP:
            assert text.strip().splitlines()[-1].endswith(again)
            assert "Traceback" not in text
            assert "Warning" not in text
    deadline = time.monotonic() + 10
    while left := running(process.pid):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    out = config.parent / "results"
    assert quadrepro("run", config, "--jobs", 2, "--out", out, "--repeats", 4).exit_code == 0
    assert compare_folders(out / "small", whole_run, tolerance=0).differences == []


def test_wrong_and_unknown_configs_do_not_stop_the_others(small_config: Write, out: Path) -> None:
    wrong = small_config("seed: 7", "sed: 7", name="wrong")
    result = quadrepro("run", wrong, "nosuch", small_config(), "--jobs", 1, "--out", out)
    assert result.exit_code == 2
    assert f"error: {wrong}: " in result.stderr
    assert "error: nosuch: unknown config 'nosuch'" in result.stderr
    assert (out / "small" / "errors.md").exists()


def test_failed_cells_are_dashes_with_exit_code_1_and_are_counted_and_retried(
    small_config: Write, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise ArithmeticError("the oracle is silent")

    command = ("run", small_config(), "--jobs", 1, "--out", out)
    assert quadrepro("check", small_config(), "--out", out).output.endswith(" computed, 4 left\n")
    assert not out.exists()
    with monkeypatch.context() as patched:
        patched.setattr(ADABOOST, fail)
        result = quadrepro(*command)
        part = (*command, "--shard", "1/1")
        assert [quadrepro(*part, *words).exit_code for words in ((), ("--retry",))] == [1, 1]
        quiet = quadrepro(*command, "--retry", "--quiet")
    assert result.exit_code == 1
    reason = "monks, ada, repeat 0: failed: ArithmeticError: the oracle is silent"
    assert reason in result.stderr
    assert (quiet.exit_code, quiet.stdout, reason in quiet.stderr) == (1, "", True)
    # The same failure is told once while cells are computed, and once at the end.
    assert result.stderr.count("failed: ArithmeticError") == 2
    assert "2 of 4 cells have no result" in result.stderr
    assert re.search(r"monks +\| +\d\.\d{3} +\| +– \|", result.stdout)
    assert "monks,ada,0,failed,,,,,,ArithmeticError" in (out / "small" / "cells.csv").read_text()
    more = ("check", small_config("seed: 7", "seed: 7\nrepeats: 3"), "--out", out)
    output = quadrepro(*more).output
    assert "\n12 cells, 4 already computed (2 without a result), 8 left\n" in output
    table = output[output.index("algorithm") :].splitlines()
    l2, ada = (line.split() for line in table[2:4])
    assert (l2[:6], l2[-2:]) == (["quadboost-l2", "4", "6", "2", "0", "4"], ["n_rounds,", "lam"])
    assert (ada[:6], ada[-1]) == (["ada", "1", "6", "0", "2", "4"], "n_rounds")
    small_config()
    assert "recompute failed cells with --retry" in quadrepro(*command).stderr
    assert quadrepro(*command, "--retry").exit_code == 0


def test_results_are_there_without_the_page(computed: Path) -> None:
    page, command = Path("results/small/report.html"), ("run", computed, *OPTIONS, "--jobs", 1)
    page.unlink()
    result = quadrepro(*command, "--no-report")
    assert (result.exit_code, "Report" in result.stdout, page.exists()) == (0, False, False)
    page.mkdir()
    result = quadrepro(*command)
    assert result.exit_code == 1
    assert "error: small: " in result.stderr
    assert "monks" in result.stdout


def test_tables_are_written_again_from_records(computed: Path) -> None:
    errors = Path("results/small/errors.md")
    before = errors.read_text()
    errors.unlink()
    result = quadrepro("table", computed, *OPTIONS)
    assert result.exit_code == 0
    assert errors.read_text() == before
    assert result.stdout == f"{before}\nTables written to results/small\n"
    errors.unlink()
    assert quadrepro("table", computed).exit_code == 0  # with the number of splits of the run
    assert errors.read_text() == before
    latex = quadrepro("table", computed, *OPTIONS, "--format", "latex").stdout
    assert latex.index(r"\label{tab:small-errors}") < latex.index(r"\label{tab:small-comparisons}")


def test_tables_of_several_configs_are_written_but_not_printed_and_figures_can_be_pdf(
    computed: Path,
) -> None:
    text = computed.read_text()
    Path("second.yaml").write_text(f"{text}tables: {{ranking: true}}\n")
    Path("third.yaml").write_text(text.replace("seed: 7", "seed: 8"))
    quadrepro("table", "second.yaml", *OPTIONS)
    assert Path("results/second/ranking.svg").exists()
    words = ("table", "second.yaml", "third.yaml", computed, *OPTIONS, "--figures", "pdf")
    result = quadrepro(*words)
    assert result.exit_code == 1
    written = [f"Tables written to results/{name}\n" for name in ("second", "small")]
    assert result.stdout == "".join(written)
    assert "no cell of third.yaml has been computed in results/records\n" in result.stderr
    assert not Path("results/third").exists()
    assert Path("results/second/ranking.pdf").read_bytes().startswith(b"%PDF")
    assert not Path("results/second/ranking.svg").exists()


def test_a_page_is_written_from_a_folder_and_again_only_where_it_was(computed: Path) -> None:
    page = Path("results/small/report.html")
    page.unlink()
    quadrepro("table", computed, *OPTIONS)
    assert not page.exists()
    result = quadrepro("table", "results/small")
    assert (result.exit_code, result.stdout) == (0, f"{page.resolve().as_uri()}\n")
    assert "<h1>Small</h1>" in page.read_text()
    computed.write_text(computed.read_text().replace("title: Small", "title: Renamed"))
    quadrepro("table", computed, *OPTIONS)
    assert "<h1>Renamed</h1>" in page.read_text()


def test_all_pages_are_written_with_index_and_scoreboard(tmp_path: Path) -> None:
    make_folder(tmp_path / "a", cells__csv="dataset\n")
    make_folder(tmp_path / "b")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 3
    assert "a/cells.csv: the column 'algorithm' is missing" in result.stderr
    assert (tmp_path / "b" / "report.html").exists()
    assert result.stdout.endswith(f"{(tmp_path / 'index.html').as_uri()}\n")
    make_folder(tmp_path / "a")
    result = quadrepro("table", "--all", "--out", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Scoreboard written to {tmp_path / 'README.md'}\n")
