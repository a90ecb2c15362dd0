"""What one worker does: one cell in, one record out.

A worker writes nothing and reads nothing but its cell. Whatever the cell raises becomes a failed
record, so that the other cells go on.
"""

from __future__ import annotations

import platform
import time
import traceback
from importlib.metadata import version

from threadpoolctl import threadpool_limits

from quadrepro.boosting.base import positive_votes
from quadrepro.data.normalise import Normaliser
from quadrepro.engine.records import Record, pack
from quadrepro.experiment.plan import Cell
from quadrepro.selection import k_fold_search
from quadrepro.voters.stumps import Stumps

RECORDED_PACKAGES = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy")


def versions() -> dict[str, str]:
    """Return the versions that a record keeps."""
    return {"python": platform.python_version(), **{p: version(p) for p in RECORDED_PACKAGES}}


def run_cell(cell: Cell) -> Record:
    """Compute a cell.

    Parameters
    ----------
    cell : Cell
        What to compute.

    Returns
    -------
    Record
        Of status ok, or failed with the traceback.
    """
    try:
        # One BLAS thread, in the serial path too: workers share the cores, and sums stay the same.
        with threadpool_limits(limits=1):
            return _compute(cell)
    except Exception:
        return Record(
            cell.key,
            "failed",
            content=cell.content,
            versions=versions(),
            message=traceback.format_exc(),
        )


def _compute(cell: Cell) -> Record:
    X, y, split = cell.examples.X, cell.examples.y, cell.split
    normaliser = Normaliser.fit(X[split.train], cell.examples.missing)
    X_train, X_test = normaliser.transform(X[split.train]), normaliser.transform(X[split.test])
    stumps = Stumps(cell.protocol.stumps_per_attribute).fit(X_train)
    H_train, H_test = stumps.transform(X_train), stumps.transform(X_test)
    start = time.perf_counter()
    choice = k_fold_search(cell.learner, H_train, y[split.train], split.fold, cell.grid)
    seconds = time.perf_counter() - start
    positive = positive_votes(H_test, choice.weights[None, :])[:, 0]
    wrong = positive != (y[split.test] > 0)
    return Record(
        cell.key,
        "ok",
        errors=int(wrong.sum()),
        n_test=len(wrong),
        chosen=choice.candidate,
        cv_errors=int(choice.errors.min()),
        wrong=pack(wrong),
        seconds=seconds,
        versions=versions(),
        content=cell.content,
    )
