"""The files to mutate: configs, a card, and data of every format."""

from __future__ import annotations

import gzip
import io
import os
import random
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import quadrepro
from quadrepro.base.resources import configs_folder

CONFIG = """title: Stress
seed: 3
repeats: 2
protocol:
  view: default
  split: {train: half, at_most: 500}
  normalise: tanh
  stumps_per_attribute: 3
  folds: 2
datasets:
  - toy
  - {name: toy, as: other, view: {positive: [a], missing: low}, settings: {}, grid: {lam: [1]}}
algorithms:
  - name: quadboost-l2
    grid:
      n_rounds: [1, 5]
      lam: {from: 10, to: 1, points: 2}
  - {name: ada, algorithm: adaboost, grid: {n_rounds: 5}, note: a note}
  - {name: lpboost, draw: {C: {log: [0.1, 10]}}, draws: 2}
  - {name: tree, algorithm: "sklearn:DecisionTreeClassifier", grid: {max_depth: [1, 2]}}
notes: [a note]
"""

MEASURED = """title: Measured
protocol: {view: default, folds: 0}
datasets: [toy]
sweeps:
  - {over: protocol.noise.deviation, values: [0, 0.5], as: noise}
algorithms:
  - {name: cb-boost, grid: {n_rounds: [1, 2, 3]}, measures: [c_bound, train_error, test_error]}
  - {name: adaboost, grid: {n_rounds: [1, 2, 3]}, measures: [train_error, test_error]}
tables:
  curves:
    panels:
      - {title: errors, measures: [train_error, test_error], scale: log}
baseline: false
"""

REGRESSION = """title: Regression
protocol: {view: default, sample: {train: 20, test: 20}, folds: 2}
datasets: [m1, {name: m2, as: noisy, parameters: {sigma: 2}}]
algorithms:
  - {name: rboosting, grid: {u: [10, 20], n_rounds: [2, 4]}}
  - {name: forest, algorithm: "sklearn:RandomForestRegressor", settings: {n_estimators: 3}}
"""

CARD = """name: toy
title: Toy
task: classification
rows: 40
missing_cells: 2
rows_with_missing: 2
content_hash: sha256:0
target: {original: label, labels: {a: 20, b: 20}}
attributes:
  - {name: size, kind: numeric, range: [0, 9]}
  - {name: x1..x2, kind: numeric}
  - {name: colour, kind: nominal, codes: [red, blue]}
licence: none
citation: none
sources:
  - {kind: file, path: ../toy.csv, columns: [size, x1, x2, colour, target], skip: 1}
notes: [a note]
views:
  default: {positive: [a], status: open, evidence: a guess}
"""


def environment() -> dict[str, str]:
    """Return the environment of a fresh process, which imports this very package from anywhere."""
    without = {key: value for key, value in os.environ.items() if key != "QUADREPRO_DATA"}
    return without | {
        "PYTHONPATH": str(Path(quadrepro.__file__).parents[1]),
        "QUADREPRO_OFFLINE": "1",
    }


def rows(n: int = 40) -> list[list[str]]:
    """Return the rows of the toy data, with two missing values."""
    rng = random.Random(0)
    return [
        [
            "" if i < 2 else str(i % 10),
            f"{rng.random():.3f}",
            f"{rng.gauss(0, 1):.3f}",
            rng.choice(["red", "blue"]),
            "ab"[i % 2],
        ]
        for i in range(n)
    ]


def text() -> str:
    """Return the toy data as CSV."""
    return "\n".join(["size,x1,x2,colour,target", *map(",".join, rows()), ""])


def data_files() -> dict[str, bytes]:
    """Return the toy data in every format that can be read, by the name of the file."""
    plain = text().encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("toy.csv", plain)
    parquet = io.BytesIO()
    columns = dict(
        zip(("size", "x1", "x2", "colour", "target"), zip(*rows(), strict=True), strict=True)
    )
    pq.write_table(pa.table({name: list(held) for name, held in columns.items()}), parquet)
    names = "@relation toy\n@attribute size numeric\n@attribute x1 numeric\n@attribute x2 numeric\n"
    codes = "@attribute colour {red, blue}\n@attribute target {a, b}\n@data\n"
    arff = names + codes + "\n".join(",".join(v or "?" for v in row) for row in rows()) + "\n"
    noise = np.random.default_rng(0).random((40, 3))
    sparse = "".join(
        f"{'+-'[i % 2]}1 1:{a:.3f} 3:{b:.3f} 7:{c:.3f}\n" for i, (a, b, c) in enumerate(noise)
    )
    return {
        "toy.csv": plain,
        "toy.csv.gz": gzip.compress(plain, mtime=0),
        "toy.zip": packed.getvalue(),
        "toy.parquet": parquet.getvalue(),
        "toy.arff": arff.encode(),
        "toy.svm": sparse.encode(),
    }


def shipped_configs() -> list[str]:
    """Return the configs that ship."""
    return [path.read_text(encoding="utf-8") for path in sorted(configs_folder().glob("*.yaml"))]


def write_toy(folder: Path) -> str:
    """Write the toy data with a valid card; return the card."""
    from quadrepro.data.canonical import content_hash
    from quadrepro.data.card import load_card_file
    from quadrepro.data.checks import to_table
    from quadrepro.data.sources.formats import read_file
    from quadrepro.data.sources.schema import FileSource

    (folder / "datasets").mkdir(exist_ok=True)
    (folder / "toy.csv").write_text(text(), encoding="utf-8")
    path = folder / "datasets" / "toy.yaml"
    path.write_text(CARD.replace("sha256:0", "sha256:" + "0" * 64), encoding="utf-8")
    card = load_card_file(path)
    source = card.sources[0]
    assert isinstance(source, FileSource)
    table = to_table(read_file(Path(source.path), source), source, card)
    card_text = CARD.replace("sha256:0", content_hash(table))
    path.write_text(card_text, encoding="utf-8")
    return card_text
