"""Loading from the cache, against scikit-learn's `fetch_openml` and the CSV reader of pandas.

All three read local files: scikit-learn's cache is filled here with what OpenML would send.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn.datasets import fetch_openml

from quadrepro.core.preprocessing import encode
from quadrepro.data import cache
from quadrepro.data.card import card_names, load_card
from quadrepro.data.store import Dataset, load_dataset, locate

from .conftest import best_of, compare


@pytest.fixture
def cached(tmp_path: Path, canonical_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose empty `cache` quadrepro uses; no data folder is set."""
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("QUADREPRO_DATA", raising=False)
    return tmp_path


def keep(name: str, folder: Path) -> Dataset:
    """Put a data set into the cache as `quadrepro fetch` does."""
    dataset = load_dataset(name, folder)
    cache.write(dataset.card, dataset.table, "here")
    return dataset


def as_openml(dataset: Dataset, number: int, folder: Path) -> None:
    """Fill scikit-learn's cache of OpenML with a data set whose attributes are all numeric."""
    names = [*dataset.table.columns]
    header = [f"@relation {dataset.card.name}", *(f"@attribute {n} numeric" for n in names)]
    # Labels are quoted because scikit-learn's pandas parser fails on numeric ones.
    labels = ",".join(f"'{label}'" for label in dataset.card.target.labels)
    header += [f"@attribute target {{{labels}}}", "@data", ""]
    quoted = [f"'{label}'" for label in dataset.table.target]
    frame = pd.DataFrame(dataset.table.columns).assign(target=quoted)
    rows = frame.to_csv(header=False, index=False, float_format="%.17g")
    arff = ("\n".join(header) + rows).encode()
    features = [
        {
            "index": str(j),
            "name": name,
            "data_type": "nominal" if name == "target" else "numeric",
            "is_target": str(name == "target").lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for j, name in enumerate([*names, "target"])
    ]
    description = {
        "id": str(number),
        "name": dataset.card.name,
        "version": "1",
        "description": "",
        "format": "ARFF",
        "status": "active",
        "file_id": str(number),
        "url": f"https://www.openml.org/data/v1/download/{number}",
        "md5_checksum": hashlib.md5(arff).hexdigest(),
        "default_target_attribute": "target",
    }
    answers = {
        f"api/v1/json/data/{number}": {"data_set_description": description},
        f"api/v1/json/data/features/{number}": {"data_features": {"feature": features}},
        f"api/v1/json/data/qualities/{number}": {
            "data_qualities": {
                "quality": [{"name": "NumberOfInstances", "value": str(dataset.table.n_rows)}]
            }
        },
    }
    contents = {path: json.dumps(answer).encode() for path, answer in answers.items()}
    contents[f"data/v1/download/{number}"] = arff
    for path, content in contents.items():
        file = folder / "openml" / "openml.org" / f"{path}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(content, compresslevel=1))


@pytest.mark.parametrize(("name", "number", "repeats"), [("spambase", 44, 3), ("mnist", 554, 1)])
def test_loading_against_other_readers(
    benchmark: BenchmarkFixture,
    name: str,
    number: int,
    repeats: int,
    cached: Path,
    canonical_folder: Path,
) -> None:
    dataset = keep(name, canonical_folder)
    as_openml(dataset, number, cached / "sklearn")
    csv = next(canonical_folder.glob(f"{name}.csv*"))
    benchmark.pedantic(lambda: load_dataset(name), rounds=3)
    ours = best_of(3, lambda: load_dataset(name))
    theirs = best_of(
        repeats, lambda: fetch_openml(data_id=number, data_home=cached / "sklearn", parser="pandas")
    )
    pandas = best_of(repeats, lambda: pd.read_csv(csv))
    compare(
        benchmark,
        **{
            f"{name}: s": ours,
            "fetch_openml s": theirs,
            "ratio": theirs / ours,
            "pandas.read_csv s": pandas,
            "ratio to pandas": pandas / ours,
        },
    )


def test_every_card_from_the_cache(
    benchmark: BenchmarkFixture, cached: Path, canonical_folder: Path
) -> None:
    names = [n for n in card_names() if locate(load_card(n), canonical_folder)]
    for name in names:
        keep(name, canonical_folder)
    benchmark.pedantic(lambda: [load_dataset(n) for n in names if n != "mnist"], rounds=1)
    seconds = {name: best_of(3, lambda name=name: load_dataset(name)) for name in names}
    slowest = sorted(seconds, key=seconds.__getitem__, reverse=True)[:5]
    compare(benchmark, **{f"{name} s": seconds[name] for name in slowest})


def test_a_pair_of_digits(
    benchmark: BenchmarkFixture, cached: Path, canonical_folder: Path
) -> None:
    mnist = keep("mnist", canonical_folder)
    view = mnist.card.view("4v9")
    benchmark.pedantic(lambda: encode(load_dataset("mnist"), view), rounds=3)
    start = time.perf_counter()
    X = encode(load_dataset("mnist"), view).X
    compare(benchmark, **{"4 against 9, s": time.perf_counter() - start, "GB": X.nbytes / 1e9})
    assert np.isfinite(X).all()
