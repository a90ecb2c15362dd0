"""Two new users reach what they want with the lines that their page shows, and no others."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.first_runs import write_customers

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]

AUDIT_BY_HAND = """\
import csv
from math import ceil, floor
sizes = {"breast": 175, "heart": 135, "wine": 89}
with open("table2.csv") as file:
    for row in csv.DictReader(file):
        name = row.pop("dataset")
        for method, text in row.items():
            half = 0.5 * 10 ** -len(text.partition(".")[2])
            low = ceil((float(text) - half) / 100 * sizes[name])
            if low > floor((float(text) + half) / 100 * sizes[name]):
                print(name, method, text, "is not a number of errors")
        if float(row["ours"]) > min(map(float, row.values())):
            print(name, "ours is not the lowest")
"""
"""What a reviewer would write for two of the checks, beside the table."""

COMPARISON_BY_HAND = """\
import itertools, numpy as np, pandas as pd
from scipy import stats
from sklearn import dummy, ensemble, linear_model, model_selection, pipeline, preprocessing
rows = pd.read_csv("my.csv", parse_dates=["since"]).drop(columns="customer_id")
rows["since"] = rows["since"].astype("int64")
X, y = pd.get_dummies(rows.drop(columns="label")), rows["label"] == "yes"
splits = model_selection.StratifiedShuffleSplit(4, test_size=0.3, random_state=1)
linear = pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression())
boosted = model_selection.GridSearchCV(ensemble.HistGradientBoostingClassifier(), {"max_leaf_nodes": [4, 16]}, cv=3)
models = {"linear": linear, "forest": ensemble.RandomForestClassifier(), "boosted": boosted, "prior": dummy.DummyClassifier()}
errors = {name: 1 - model_selection.cross_val_score(model, X, y, cv=splits) for name, model in models.items()}
print(pd.DataFrame(errors).agg(["mean", "std"]))
for a, b in itertools.combinations(errors, 2):
    d = errors[a] - errors[b]
    t = d.mean() / np.sqrt((1 / len(d) + 0.3 / 0.7) * d.var(ddof=1))
    print(a, b, d.mean(), 2 * stats.t.sf(abs(t), len(d) - 1))
"""  # noqa: E501
"""What an engineer would write, without a figure."""


class Walk(NamedTuple):
    """What came of the lines of a section.

    Attributes
    ----------
    printed : str
        All that the commands printed.
    shown : list of str
        Lines that the page shows of this.
    lines : int
        Lines that were typed, in files and as commands.
    """

    printed: str
    shown: list[str]
    lines: int


def section(page: str, heading: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return text.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def walk(text: str, folder: Path) -> Walk:
    """Type the files and commands of a section in a folder, and print a log."""
    files = re.findall(r"<!-- (\S+) -->\n\n```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    for name, content in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    typed = sum(len(content.splitlines()) for _, content in files)
    blocks = "".join(re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    shown = [line for line in blocks.splitlines() if line[:2] != "$ " and line != "..."]
    commands = re.findall(r"^\$ (.*?)(?:\s+# .*)?$", blocks, re.MULTILINE)
    printed = ""
    for command in commands:
        begun = time.perf_counter()
        done = call(command, folder)
        print(f"$ {command}    # {time.perf_counter() - begun:.0f} s")
        assert done.returncode == 0, done.stdout + done.stderr
        printed += done.stdout
    lines = typed + len(commands)
    print(f"{len(commands)} commands, {lines} lines")
    return Walk(printed, shown, lines)


def call(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, *words = shlex.split(command)
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", program, *words],
        cwd=folder,
        env=os.environ | {"HOME": str(home), "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        capture_output=True,
        encoding="utf-8",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "new"
    made.mkdir()
    return made


def lines_of(script: str) -> int:
    compile(script, "by hand", "exec")
    return len(script.splitlines())


def test_a_reviewer_with_a_printed_table_finds_the_number_that_cannot_be(folder: Path) -> None:
    walked = walk(section("auditing.md", "A table under review"), folder)
    assert {*walked.shown} <= {*walked.printed.splitlines()}
    verdict = walked.printed.split("## What fails in Submission 1234")[1]
    [finding] = [line for line in verdict.splitlines() if " fails " in line]
    assert "table2, wine, ours" in finding
    table = (folder / "review" / "printed" / "table2.csv").read_text(encoding="utf-8")
    assert walked.lines < lines_of(AUDIT_BY_HAND) + len(table.splitlines())


def test_an_engineer_with_a_csv_gets_a_figure_and_a_sentence(folder: Path) -> None:
    write_customers(folder / "my.csv", 1000)
    text = section("own-data.md", "From a file to a figure")
    walked = walk(text[: text.index("```\n") + len("```\n")], folder)
    assert "Left out, since they look like IDs (customer_id)." in walked.printed
    assert "Dates written ISO8601 become days since 1970-01-01 (since)" in walked.printed
    [sentence] = re.findall(r"^Best by risk: .*$", walked.printed, re.MULTILINE)
    assert re.match(r"Best by risk: .+ \(0\.\d+\)\. Not told apart from it: .+", sentence)
    assert (folder / "results" / "my" / "scatter.png").stat().st_size > 1000
    assert (folder / "results" / "my" / "report.html").is_file()
    assert walked.lines < lines_of(COMPARISON_BY_HAND) == 16
