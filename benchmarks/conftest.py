"""Timing, and the problem on which most learners are compared.

The problem is pima's training half, prepared as for QuadBoost's Table 1.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from quadrepro.base.types import FloatArray
from quadrepro.core.preprocessing import Normaliser, encode
from quadrepro.core.protocol import SplitRule
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.store import load_dataset
from tests.loops import set_compiled


def best_of(repeats: int, run: Callable[[], object]) -> float:
    """Return the least time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(benchmark: BenchmarkFixture, **numbers: float) -> None:
    """Print numbers in one line, and keep them with the benchmark."""
    benchmark.extra_info.update(numbers)
    print("  " + ", ".join(f"{name} {value:.3g}" for name, value in numbers.items()))


ROWS: list[tuple[str, str, str, str]] = []
"""The table of a run: what is timed, our time, the reference and its time, their ratio."""


def row(what: str, ours: float, references: Mapping[str, float]) -> None:
    """Add a row to the table of the run.

    Parameters
    ----------
    what : str
        What is timed.
    ours : float
        Our time in seconds.
    references : mapping of str to float
        Times of other ways to do it, in seconds.
    """
    theirs = "; ".join(f"{name}: {readable(seconds)}" for name, seconds in references.items())
    ratios = "; ".join(f"{float(f'{seconds / ours:.2g}'):g}" for seconds in references.values())
    ROWS.append((what, readable(ours), theirs, ratios))


def readable(seconds: float) -> str:
    """Return a time with its unit and two digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    raise AssertionError


@contextmanager
def plain() -> Iterator[None]:
    """Run numpy in place of the compiled loops."""
    with pytest.MonkeyPatch.context() as patch:
        set_compiled(patch, False)
        yield


def plainly(repeats: int, run: Callable[[], object]) -> float:
    """Return the least time of several runs without compiled loops, in seconds."""
    with plain():
        return best_of(repeats, run)


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


def training_half(name: str) -> tuple[FloatArray, FloatArray]:
    """Return normalised attributes and labels of the training half of a data set."""
    dataset = load_dataset(name)
    examples = encode(dataset, dataset.card.view("quadboost"))
    rows = np.random.default_rng(0).permutation(len(examples.y))
    rows = rows[: SplitRule().training_size(len(rows))]
    X = examples.X[rows]
    return Normaliser.fit(X).transform(X), examples.y[rows]


@pytest.fixture(scope="session")
def canonical_folder() -> Path:
    folder = Path(os.environ.get("QUADREPRO_DATA", ""))
    if not folder.joinpath("mnist.csv.gz").is_file():
        pytest.skip("QUADREPRO_DATA names no folder with mnist.csv.gz")
    return folder.resolve()


@pytest.fixture(scope="session")
def pima() -> tuple[FloatArray, FloatArray]:
    if not Path(os.environ.get("QUADREPRO_DATA", "")).joinpath("pima.csv").is_file():
        pytest.skip("QUADREPRO_DATA names no folder with pima.csv")
    return training_half("pima")


@pytest.fixture(scope="session")
def pima_voters(pima: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    X, y = pima
    return Stumps().fit(X).transform(X), y


@pytest.fixture(scope="session")
def folds(pima_voters: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return the samples of a 5-fold search: five training parts and all examples."""
    m = len(pima_voters[1])
    fold = np.arange(m) % 5
    return np.vstack([fold != f for f in range(5)] + [np.ones(m)]).astype(float)
