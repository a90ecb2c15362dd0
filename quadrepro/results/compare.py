"""Whether two results folders, or two folders of them, hold the same results.

Words and counts must be the same; other numbers agree within a tolerance. Measured times and what
the cells were computed with may differ.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from quadrepro.base.files import is_regular, read_text
from quadrepro.errors import ConfigError
from quadrepro.results.results import Results, read_csv, results_folders
from quadrepro.results.run import CELLS, MANIFEST, RUN, SCORE, TOLERANCE, TableFacts


class FolderComparison(NamedTuple):
    """The number of compared files by experiment, and the first difference of each file."""

    compared: dict[str, int]
    differences: list[str]


def compare_folders(a: Path, b: Path, tolerance: float = TOLERANCE) -> FolderComparison:
    """Compare two results folders of one experiment, or two folders of these."""
    result = FolderComparison({}, [])
    ours, theirs = _experiments(a), _experiments(b)
    if ("" in ours) != ("" in theirs):
        one, folder = (a, b) if "" in ours else (b, a)
        raise ConfigError(f"{one} holds one experiment, but {folder} is a folder of them: give one")
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            result.differences.append(f"{(b if name in ours else a) / name} is missing")
            continue
        left, right = ours[name], theirs[name]
        files = left.manifest.files | right.manifest.files | {CELLS}
        files |= {SCORE for side in (left, right) if is_regular(side.folder / SCORE)}
        result.compared[name or a.resolve().name] = len(files) + 2
        texts = [_in_file(left, right, file, tolerance) for file in sorted(files)]
        texts.append(_in_json(left, right, RUN, _facts(left), _facts(right)))
        manifests = (side.manifest.model_dump() for side in (left, right))
        texts.append(_in_json(left, right, MANIFEST, *manifests))
        result.differences.extend(filter(None, texts))
    return result


def _experiments(folder: Path) -> dict[str, Results]:
    """Return the results folders in a folder by name, or the folder itself as the empty name."""
    if is_regular(folder / MANIFEST):
        return {"": Results(folder)}
    inside = {inner.name: Results(inner) for inner in results_folders(folder)}
    if not inside:
        raise ConfigError(
            f"{folder} holds no results: neither it nor a folder in it has a {MANIFEST}"
        )
    return inside


def _facts(results: Results) -> dict[str, Any]:
    """Return the config, the seed and the data of a run, and the words of its conclusion."""
    run = results.run
    words = _words(run.conclusion)
    return {**run.config, "seed": run.seed, "data": run.data, "conclusion": words}


def _words(text: str) -> str:
    """Return a text without its numbers, which are in a CSV."""
    return " ".join(re.findall(r"[^\W\d_]+", text))


def _in_words(ours: Path, theirs: Path, timed: set[str]) -> str:
    """Return the first line of a text whose words differ, with both sides; empty without one."""
    texts = [read_text(path).splitlines() for path in (ours, theirs)]
    for number, (x, y) in enumerate(zip_longest(*texts, fillvalue=""), start=1):
        rows = {re.sub(r"^\|\s*|\s*\|.*", "", line) for line in (x, y)}
        if _words(x) != _words(y) and not rows <= timed:
            return f"{ours}, line {number}: {x[:200]!r}, but {theirs}: {y[:200]!r}"
    return ""


def _in_json(a: Results, b: Results, file: str, x: Any, y: Any) -> str:
    """Return the first place whose values differ, with both sides; empty without one."""
    if x == y:
        return ""
    place = []
    while isinstance(x, dict) and isinstance(y, dict):
        key = next(key for key in {**x, **y} if x.get(key) != y.get(key))
        place.append(key)
        x, y = x.get(key), y.get(key)
    ours, theirs = (f"{value!r}"[:200] for value in (x, y))
    return f"{a.folder / file}, {'.'.join(place)}: {ours}, but {b.folder / file}: {theirs}"


def _in_file(a: Results, b: Results, file: str, tolerance: float) -> str:
    """Return the first difference of a file, with row, column and both sides; empty without one."""
    paths = a.folder / file, b.folder / file
    if missing := [path for path in paths if not is_regular(path)]:
        return f"{missing[0]} is missing"
    facts = [side.manifest.tables.get(Path(file).stem, TableFacts(title="")) for side in (a, b)]
    # Times are left out where both folders call them measured.
    timed = {*facts[0].timed_rows} & {*facts[1].timed_rows}
    if file.endswith(".md"):
        return _in_words(*paths, timed)
    if not file.endswith(".csv"):
        return ""  # a figure, whose numbers are in a CSV
    options: Any = {"dtype": str, "keep_default_na": False}
    left, right = (read_csv(path, read_text(path), **options) for path in paths)
    if [*left] != [*right] or len(left) != len(right):
        shapes = [f"{len(side)} rows of {', '.join(side)}" for side in (left, right)]
        return f"{paths[0]}: {shapes[0]}, but {paths[1]}: {shapes[1]}"
    counted = ~(left.iloc[:, 0].isin(timed) & right.iloc[:, 0].isin(timed))
    for column in left.columns.drop(["seconds"] if file == CELLS else [], errors="ignore"):
        x, y = left[column], right[column]
        p, q = (pd.to_numeric(side, errors="coerce") for side in (x, y))
        decimal = x.str.contains("[.e]") & y.str.contains("[.e]")
        close = np.isclose(p, q, rtol=tolerance, atol=0) & decimal
        if (differ := (x != y) & ~close & counted).any():
            row = differ.idxmax()
            place = f"{paths[0]}, row {row + 1}, column {column!r}"
            return f"{place}: {x[row]!r}, but {paths[1]}: {y[row]!r}"
    return ""
