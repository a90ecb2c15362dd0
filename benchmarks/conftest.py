"""Timing, and the table of a run. No benchmark asserts anything about times: machines are noisy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from quadrepro.base.types import FloatArray
from quadrepro.core.preprocessing import Normaliser, encode
from quadrepro.core.voters.stumps import Stumps
from tests.data.tables import load_dataset

ROWS: list[tuple[str, str, str, str]] = []
"""What is timed, our time, the references and their times, and the ratios."""


def best_of(repeats: int, run: Callable[[], object]) -> float:
    """Return the least time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def row(what: str, ours: float, references: Mapping[str, float]) -> None:
    """Print a row, times in seconds, and add it to the table of the run."""
    theirs = "; ".join(f"{name}: {readable(seconds)}" for name, seconds in references.items())
    ratios = "; ".join(f"{float(f'{seconds / ours:.2g}'):g}" for seconds in references.values())
    ROWS.append((what, readable(ours), theirs, ratios))
    print(f"  {what}: {readable(ours)}; {theirs}: {ratios}")


def readable(seconds: float) -> str:
    """Return a time with its unit and two digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    raise AssertionError


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--table", type=Path, help="page to write the table of the run into")


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--table")
    if path is not None and ROWS:
        text = tabulate(ROWS, ("", "quadrepro", "reference", "ratio"), "pipe")
        page = path.read_text(encoding="utf-8")
        above, below = page.split("<!-- table -->")[0], page.split("<!-- end -->")[1]
        page = f"{above}<!-- table -->\n\n{text}\n\n<!-- end -->{below}"
        path.write_text(page, encoding="utf-8")


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield


def half_of(name: str, view: str) -> tuple[FloatArray, FloatArray]:
    """Return normalised attributes and labels of up to 500 training rows, or skip."""
    if not any(Path(os.environ.get("QUADREPRO_DATA", "")).glob(f"{name}.csv*")):
        pytest.skip(f"QUADREPRO_DATA names no folder with {name}")
    dataset = load_dataset(name)
    examples = encode(dataset, dataset.card.view(view))
    rows = np.random.default_rng(0).permutation(len(examples.y))[: min(500, len(examples.y) // 2)]
    X = examples.X[rows].astype(np.float64)
    X = X[:, np.ptp(X, axis=0) > 0]
    return Normaliser.fit(X).transform(X), examples.y[rows]


@pytest.fixture(scope="session")
def pima() -> tuple[FloatArray, FloatArray]:
    return half_of("pima", "quadboost")


@pytest.fixture(scope="session")
def pima_voters(pima: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    X, y = pima
    return Stumps().fit(X).transform(X), y


@pytest.fixture(scope="session")
def digits() -> tuple[FloatArray, FloatArray]:
    """Return stumps on 500 of MNIST's digits 4 and 9, and labels."""
    X, y = half_of("mnist", "4v9")
    return Stumps(per_attribute=1).fit(X).transform(X), y


@pytest.fixture(scope="session")
def folds(pima_voters: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return the samples of a 5-fold search: five training parts and all examples."""
    m = len(pima_voters[1])
    fold = np.arange(m) % 5
    return np.vstack([fold != f for f in range(5)] + [np.ones(m)]).astype(float)
