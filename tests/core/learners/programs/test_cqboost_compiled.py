"""Compiled and plain loops give the same bytes, alone and in a whole run."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.cqboost import CqBoost, CqBoostMaster, generate_columns
from quadrepro.core.learners.programs.ordered import weighted_sum
from quadrepro.core.learners.programs.program import SolverError
from tests.loops import SIZES, drawn, set_compiled

compiled = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")


@compiled
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("rows", [0, 1, 2, 8, 9, 27])
def test_weighted_sums_of_rows(n: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from quadrepro.core.learners.programs import cqboost_compiled

    matrix, weights = drawn(0, 30, n), drawn(1, rows)
    chosen, total = np.random.default_rng(0).permutation(30)[:rows], np.zeros(n)
    cqboost_compiled.add_rows(weights, chosen, matrix, total)
    set_compiled(monkeypatch, False)
    assert total.tobytes() == weighted_sum(weights, matrix[chosen]).tobytes()


def right(kind: str, seed: int) -> FloatArray:
    """Return y h of random voters."""
    rng = np.random.default_rng(seed)
    if kind == "one example":
        return rng.choice([-1.0, 1.0], (1, 6))
    if kind == "one voter":
        return np.where(rng.random((9, 1)) < 0.8, 1.0, -1.0)
    if kind == "real":
        return rng.uniform(-1, 1, (40, 30))
    signs = np.where(rng.random((60, 90)) < 0.55, 1.0, -1.0)
    signs[:, 5], signs[:, 6] = signs[:, 8], -signs[:, 9]
    return signs if kind == "dependent" else signs[:, :40]


@compiled
@pytest.mark.parametrize("kind", ["one example", "one voter", "real", "signs", "dependent"])
@pytest.mark.parametrize("share", [0.05, 0.6, 1.0])
def test_whole_runs(kind: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = right(kind, 1)
    gram, margins = columns.T @ columns / len(columns), columns.mean(axis=0)
    mu = share * float(np.abs(margins).max())

    def run() -> list[bytes]:
        steps = list(generate_columns(gram, margins, mu))
        return [b"".join((w.tobytes(), s.edges.tobytes(), repr(s).encode())) for w, s in steps]

    found = run()
    set_compiled(monkeypatch, False)
    assert run() == found


@compiled
@pytest.mark.parametrize("kind", ["real", "signs", "dependent"])
def test_rounds_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = right(kind, 1)
    H, y = columns, np.ones(len(columns))
    grid = Grid.of({"mu": [0.2, 0.05], "epsilon": [1.0, 1e-3, 1e-9], "n_rounds": [1, 7, 20, 1000]})
    found = CqBoost().path(H, y, grid)
    set_compiled(monkeypatch, False)
    assert CqBoost().path(H, y, grid).tobytes() == found.tobytes()


@compiled
def test_a_run_without_an_optimum_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # With edges that are not those of the weights, no residual is small.
    def messages() -> list[str]:
        found = []
        for name, value in (("_beta", 1e-6), ("_beta", np.nan)):
            master = CqBoostMaster(np.eye(3) + 0.1, np.array([0.5, 0.3, -0.2]), 0.2)
            master.add_voter(0, 1.0)
            setattr(master, name, value)
            with pytest.raises(SolverError) as raised:
                master.generate(0.0, 10)
            found.append(str(raised.value))
        return found

    found = messages()
    set_compiled(monkeypatch, False)
    assert messages() == found


def test_the_bits_are_the_same_on_every_processor() -> None:
    columns = right("signs", 2)
    # Sums of whole numbers, which every BLAS gets right.
    gram, margins = columns.T @ columns / len(columns), columns.sum(axis=0) / len(columns)
    votes = [weights for weights, _ in generate_columns(gram, margins, 0.05)]
    assert len(votes) > 40
    digest = hashlib.sha256(np.concatenate(votes).tobytes()).hexdigest()
    assert digest == "9295fcff79f22388be19e3a55dfaea0a41b06f4dca63da20c153fe73929135ed"
