from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quadrepro.boosting.adaboost import AdaBoost
from quadrepro.boosting.base import positive_votes
from quadrepro.data.normalise import Normaliser
from quadrepro.engine.work import run_cell
from quadrepro.errors import ConfigError
from quadrepro.experiment.loading import load_experiment
from quadrepro.experiment.plan import Cell, make_plan
from quadrepro.experiment.seeds import generator
from quadrepro.voters.random_stumps import Coding, RandomStumps
from quadrepro.voters.reduction import FloatArray
from quadrepro.voters.stumps import Stumps


def test_a_cell_is_the_protocol_step_by_step(
    small_config: Callable[..., Path],
) -> None:
    cell = make_plan(load_experiment(small_config())).cells[-1]
    record = run_cell(cell)
    X, y, split = cell.problem.examples.X, cell.problem.examples.y, cell.problem.split
    normaliser = Normaliser.fit(X[split.train])
    stumps = Stumps(10).fit(normaliser.transform(X[split.train]))
    H, H_test = (stumps.transform(normaliser.transform(X[i])) for i in (split.train, split.test))
    weights = AdaBoost().path(H, y[split.train], cell.grids[0])
    wrong = positive_votes(H_test, weights)[:, 0] != (y[split.test] > 0)
    np.testing.assert_array_equal(record.wrong_examples(), wrong)
    assert (record.status, record.errors, record.n_test) == ("ok", wrong.sum(), 1701)
    assert record.chosen == {"n_rounds": 5}
    assert record.content == cell.content


HOLDOUT = """  view: quadboost
  normalise: none
  holdout: {patience: 20, stumps: {per_round: 40}}
"""


@pytest.fixture
def held_out(small_config: Callable[..., Path]) -> Callable[..., Path]:
    """Return a function that writes the small config with a hold-out and one algorithm."""

    def write(algorithm: str, protocol: str = HOLDOUT) -> Path:
        path = small_config("  view: quadboost\n", protocol)
        head, _ = path.read_text().split("algorithms:\n")
        path.write_text(f"{head}algorithms:\n{algorithm}")
        return path

    return write


def plain_adaboost(cell: Cell, patience: int) -> tuple[int, int, NDArray[np.bool_], FloatArray]:
    """Return best round, its validation errors, test calls and margins, by the book."""
    X, y, split = cell.problem.examples.X, cell.problem.examples.y, cell.problem.split
    coding = Coding.fit(X[split.train])
    parts = [coding.transform(X[rows]) for rows in (split.train, split.valid, split.test)]
    y_train, y_valid = y[split.train], y[split.valid]
    source = RandomStumps(parts[0], y_train, generator(*cell.draws, "stumps"), per_round=40)
    w, sums, total = np.full(len(y_train), 1 / len(y_train)), [0.0, 0.0, 0.0], 0.0
    best: tuple[int, int, NDArray[np.bool_], FloatArray] = (0, len(y_valid) + 1, np.array([]), w)
    t = 0
    while t - best[0] < patience:
        t += 1
        source.begin(t)
        H = [np.where(p[source.attributes] > source.cuts[:, None], 1.0, -1.0) for p in parts]
        edges = H[0] @ (w * y_train)
        pick = int(np.flatnonzero(np.abs(edges) > np.abs(edges).max() - 1e-12)[0])
        alpha = np.arctanh(edges[pick])
        total += abs(alpha)
        sums = [F + alpha * h[pick] for F, h in zip(sums, H, strict=True)]
        w = w * np.exp(-alpha * y_train * H[0][pick])
        w /= w.sum()
        errors = int(((sums[1] > 0) != (y_valid > 0)).sum())
        if errors < best[1]:
            best = (t, errors, sums[2] > 0, y_train * sums[0] / total)
    return best


def test_a_held_out_cell_is_the_protocol_step_by_step(held_out: Callable[..., Path]) -> None:
    cell = make_plan(load_experiment(held_out("  - {name: adaboost}"))).cells[0]
    record = run_cell(cell)
    n_rounds, errors, positive, margins = plain_adaboost(cell, 20)
    assert (record.status, record.message) == ("ok", "")
    assert record.chosen == {"n_rounds": n_rounds}
    assert record.cv_errors == errors
    wrong = positive != (cell.problem.examples.y[cell.problem.split.test] > 0)
    np.testing.assert_array_equal(record.wrong_examples(), wrong)
    np.testing.assert_allclose(record.training_margins(), margins, atol=1e-6)


def test_the_last_round_can_be_taken_instead_of_the_best(held_out: Callable[..., Path]) -> None:
    best, last = (
        run_cell(make_plan(load_experiment(held_out("  - {name: adaboost}", protocol))).cells[0])
        for protocol in (HOLDOUT, HOLDOUT.replace("patience: 20", "patience: 20, take: last"))
    )
    assert last.chosen["n_rounds"] == best.chosen["n_rounds"] + 20


def test_what_is_drawn_belongs_to_the_key(held_out: Callable[..., Path]) -> None:
    one = make_plan(load_experiment(held_out("  - {name: adaboost}"), 2)).cells
    other = HOLDOUT.replace("per_round: 40", "per_round: 40, redraw: false")
    two = make_plan(load_experiment(held_out("  - {name: adaboost}", other), 2)).cells
    assert len({cell.key for cell in (*one, *two)}) == len(one) + len(two)
    assert one[0].content["draws"] == (7, "monks", 0, "stumps")


@pytest.mark.parametrize(
    ("algorithm", "fault"),
    [
        ("  - {name: quadboost, grid: {n_rounds: 5}}", "quadboost needs a voter matrix, and a"),
        ("  - {name: adaboost, grid: {n_rounds: 5}}", "the validation error chooses the rounds"),
    ],
)
def test_a_hold_out_refuses_what_it_cannot_do(
    held_out: Callable[..., Path], algorithm: str, fault: str
) -> None:
    with pytest.raises(ConfigError, match=fault):
        load_experiment(held_out(algorithm))
