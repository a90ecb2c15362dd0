"""First runs of a new user: what is estimated, and how long it takes.

``python -m tests.first_runs`` writes their table in docs/estimates.md. With ``learn`` it first
measures the learners that `quadrepro init` proposes; `python -m tests.replay` ships these times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from quadrepro.engine.estimates import (
    NAME,
    Forecast,
    Mean,
    forecast,
    read_times,
    write_times,
)
from quadrepro.engine.progress import about

ROOT = Path(__file__).resolve().parents[1]

PROPOSED = Path(__file__).with_name("proposed.json")
"""Times of the learners that drafts of configs name."""

PAGE = ROOT / "docs" / "estimates.md"

BEGIN, END = "<!-- first runs -->", "<!-- end of first runs -->"

BOOSTERS = ("xgboost:XGBClassifier", "lightgbm:LGBMClassifier", "catboost:CatBoostClassifier")

LEARNED: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (600, "label", BOOSTERS),
    (2000, "income", ()),
)
"""Rows, target and added algorithms of the files whose times are shipped."""

MEASURED: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (300, "label", ()),
    (1000, "label", BOOSTERS[:1]),
    (5000, "label", ("sklearn:MLPClassifier",)),
)
"""Those of the files in the table; the last has an estimator that nothing is known of."""


def write_customers(path: Path, rows: int) -> None:
    """Write a file with an ID, a date, a word, two numbers and a class."""
    rng = np.random.default_rng(rows)
    ids = rng.permutation(90_000)[:rows]
    days = np.datetime64("2023-01-01") + rng.integers(0, 700, rows)
    city = rng.choice(["Köln", "Wien", "Zürich"], rows)
    age = rng.integers(18, 80, rows)
    income = rng.lognormal(3.0, 0.5, rows) + age / 8
    score = income / 20 + age / 40 + (city == "Köln") + rng.normal(0.0, 0.5, rows)
    label = np.where(score > np.quantile(score, 0.7), "yes", "no")
    lines = ["customer_id,since,city,income,age,label"]
    lines += [
        f"{ids[i]},{days[i]},{city[i]},{income[i]:.2f},{age[i]},{label[i]}" for i in range(rows)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measure(rows: int, target: str, added: list[str]) -> dict[str, Any]:
    """Make a first run in the current folder; return seconds as estimated and as measured."""
    from quadrepro.cli import main
    from quadrepro.engine.progress import RunProgress

    found: dict[str, Any] = {"rows": rows, "target": target, "added": added}
    columns, seconds = set[str](), 0.0

    def at_start(*arguments: Any, **options: Any) -> Forecast:
        expected = forecast(*arguments, **options)
        found.update(start=expected.seconds, factor=expected.factor, unknown=expected.unknown)
        found["began"] = time.monotonic()
        return expected

    done = RunProgress.__call__

    def counted(progress: RunProgress, cell: Any, record: Any) -> None:
        nonlocal seconds
        done(progress, cell, record)
        now = time.monotonic()
        seconds = now - found["began"]
        columns.add(cell.algorithm)
        if "left" not in found and len(columns) == len(progress._left._left):
            left = progress._left.estimate(now)
            assert left is not None
            found.update(at=seconds, left=left[0], left_factor=left[1], n_cells=progress._n_cells)

    write_customers(Path("my.csv"), rows)
    options = [word for name in added for word in ("--with", name)]
    main(["init", "my.csv", "--target", target, *options], standalone_mode=False)
    with (
        patch("quadrepro.engine.estimates.forecast", at_start),
        patch.object(RunProgress, "__call__", counted),
    ):
        main(["run", "my.yaml", "--jobs", "2"], standalone_mode=False)
    found["end"] = time.monotonic() - found.pop("began")
    return found | {"cells": seconds}


def first_run(rows: int, target: str, added: tuple[str, ...], folder: Path) -> dict[str, Any]:
    """Measure in a process of its own, with an empty home."""
    places = {"HOME": "home", "QUADREPRO_CACHE": "cache", "NUMBA_CACHE_DIR": "loops"}
    (folder / "home").mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-m", "tests.first_runs", str(rows), target, *added],
        cwd=folder,
        env=os.environ
        | {name: str(folder / place) for name, place in places.items()}
        | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def learned() -> dict[str, Mean]:
    """Return the times of learners and grids in first runs, where all is new."""
    times: dict[str, Mean] = {}
    for rows, target, added in LEARNED:
        with tempfile.TemporaryDirectory() as folder:
            first_run(rows, target, added, Path(folder))
            for name, mean in read_times(Path(folder) / "results" / "records" / NAME).items():
                times.setdefault(name, Mean()).add(mean.log, mean.count)
    return {name: mean for name, mean in times.items() if name}


def table() -> str:
    """Return what was estimated and measured, as a table in Markdown."""
    lines = [
        "| rows | added | cells | at start | in fact | left after one cell a column | in fact |",
        "|--:|---|--:|---|--:|---|--:|",
    ]
    for rows, target, added in MEASURED:
        with tempfile.TemporaryDirectory() as folder:
            one = first_run(rows, target, added, Path(folder))
        unknown = f", without {', '.join(one['unknown'])}" if one["unknown"] else ""
        told = about(one["start"], one["factor"]) + unknown
        left = about(one["left"], one["left_factor"])
        names = ", ".join(name.partition(":")[2] for name in added) or "–"
        seconds = f"{one['cells']:.0f} s | {left} | {one['cells'] - one['at']:.0f} s"
        lines.append(f"| {rows:,} | {names} | {one['n_cells']} | {told} | {seconds} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print("\n" + json.dumps(measure(int(sys.argv[1]), sys.argv[2], sys.argv[3:])))
        sys.exit()
    if sys.argv[1:] == ["learn"]:
        write_times(PROPOSED, learned())
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n{table()}{after}", encoding="utf-8")
