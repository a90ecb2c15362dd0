from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from quadrepro.base.types import FloatArray
from quadrepro.config.loading import load_experiment
from quadrepro.core.cell import Cell
from quadrepro.core.estimators import GradientBoostClassifier, GradientBoostRegressor
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.estimator import EstimatorPredictor
from quadrepro.core.learners.grid import Grid, Hyperparameter
from quadrepro.core.learners.learner import Algorithm, positive_votes
from quadrepro.core.preprocessing import Normaliser, add_noise
from quadrepro.core.seeds import generator
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.rules import m1_mean
from quadrepro.engine.records import Record
from quadrepro.engine.worker import run_cell
from quadrepro.errors import ConfigError
from tests.make import cells_of, with_learner

ADABOOST = "  - {name: adaboost}"
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
    X, y, split = cell.problem.X, cell.problem.y, cell.problem.split
    coding = StumpCoding.fit(X[split.train])
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
    cell = cells_of(held_out(ADABOOST))[0]
    record = run_cell(cell)
    n_rounds, errors, positive, margins = plain_adaboost(cell, 20)
    assert (record.status, record.message) == ("ok", "")
    assert record.chosen == {"n_rounds": n_rounds}
    assert record.cv_errors == errors
    wrong = positive != (cell.problem.y[cell.problem.split.test] > 0)
    np.testing.assert_array_equal(record.wrong, wrong)
    np.testing.assert_allclose(record.margins, margins, atol=1e-6)


def test_the_last_round_can_be_taken_instead_of_the_best(held_out: Callable[..., Path]) -> None:
    best, last = (
        run_cell(cells_of(held_out(ADABOOST, protocol))[0])
        for protocol in (HOLDOUT, HOLDOUT.replace("patience: 20", "patience: 20, take: last"))
    )
    assert last.chosen["n_rounds"] == best.chosen["n_rounds"] + 20


def test_a_choice_by_the_test_part_has_the_errors_that_it_chose_by(
    held_out: Callable[..., Path],
) -> None:
    protocol = HOLDOUT.replace("patience: 20", "patience: 20, by: test")
    cells = cells_of(held_out(ADABOOST, protocol))
    for cell in cells:
        record = run_cell(cell)
        assert record.errors == record.cv_errors


def test_a_lag_ends_a_run_that_is_no_better_than_before(held_out: Callable[..., Path]) -> None:
    def run(rule: str) -> Record:
        protocol = HOLDOUT.replace("patience: 20", f"{rule}, take: last")
        return run_cell(cells_of(held_out(ADABOOST, protocol))[0])

    found = run("lag: 2")
    last = found.chosen["n_rounds"]
    errors = [run(f"patience: 99, max_rounds: {t}").cv_errors for t in range(1, last + 1)]
    assert found.cv_errors == errors[-1] >= errors[-3]
    assert all(errors[t] < errors[t - 2] for t in range(2, last - 1))


def test_what_is_drawn_belongs_to_the_key(held_out: Callable[..., Path]) -> None:
    one = cells_of(held_out(ADABOOST), 2)
    other = HOLDOUT.replace("per_round: 40", "per_round: 40, redraw: false")
    two = cells_of(held_out(ADABOOST, other), 2)
    assert len({cell.key for cell in (*one, *two)}) == len(one) + len(two)
    assert one[0].content["draws"] == (7, "monks", 0)


@pytest.mark.parametrize(
    ("algorithm", "fault"),
    [
        ("  - {name: quadboost, grid: {n_rounds: 5}}", "quadboost needs a voter matrix, but a"),
        ("  - {name: adaboost, grid: {n_rounds: 5}}", "the validation error chooses the rounds"),
    ],
)
def test_a_hold_out_refuses_what_it_cannot_do(
    held_out: Callable[..., Path], algorithm: str, fault: str
) -> None:
    with pytest.raises(ConfigError, match=fault):
        load_experiment(held_out(algorithm))


def with_protocol(write: Callable[..., Path], *lines: str) -> Cell:
    """Return AdaBoost's first cell on the second data set under a protocol with more lines."""
    text = "".join(f"  {line}\n" for line in lines)
    path = write("  view: quadboost\n", f"  view: quadboost\n{text}")
    return cells_of(path)[-1]


def prepared(cell: Cell, X: FloatArray) -> tuple[FloatArray, FloatArray]:
    split = cell.problem.split
    normaliser = Normaliser.fit(X[split.train])
    return normaliser.transform(X[split.train]), normaliser.transform(X[split.test])


def wrong_by_adaboost(cell: Cell, voters: Any, X: FloatArray) -> NDArray[np.bool_]:
    """Return which test examples AdaBoost over some voters gets wrong, step by step."""
    (train, test), y, split = prepared(cell, X), cell.problem.y, cell.problem.split
    voters.fit(train, y[split.train])
    weights = AdaBoost().path(voters.transform(train), y[split.train], cell.grids[0])
    return positive_votes(voters.transform(test), weights)[:, 0] != (y[split.test] > 0)


def test_a_cell_is_the_protocol_step_by_step(small_config: Callable[..., Path]) -> None:
    cell = cells_of(small_config())[-1]
    record = run_cell(cell)
    wrong = wrong_by_adaboost(cell, Stumps(10), cell.problem.X)
    np.testing.assert_array_equal(record.wrong, wrong)
    assert (record.status, record.errors, record.n_test) == ("ok", wrong.sum(), 1701)
    assert record.chosen == {"n_rounds": 5}
    assert record.content == cell.content


def test_noise_is_added_before_all_else(small_config: Callable[..., Path]) -> None:
    cell = with_protocol(small_config, "noise: {deviation: 0.3, contrast: 0.8}")
    rng, train = generator(*cell.draws, "noise"), cell.problem.split.train
    X = add_noise(cell.problem.X, rng, 0.3, 0.8, train=train)
    wrong = wrong_by_adaboost(cell, Stumps(10), X)
    np.testing.assert_array_equal(run_cell(cell).wrong, wrong)


def test_noise_without_deviation_is_none(small_config: Callable[..., Path]) -> None:
    still = run_cell(with_protocol(small_config, "noise: {deviation: 0}"))
    np.testing.assert_array_equal(still.predicted, run_cell(with_protocol(small_config)).predicted)


@dataclass(frozen=True)
class Spy(Algorithm):
    """Keeps the voter matrices that it is given, and weighs nothing."""

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = AdaBoost.hyperparameters
    seen: list[FloatArray] = field(default_factory=list)

    def reduced(
        self, H: FloatArray, y: FloatArray, samples: FloatArray | None = None
    ) -> VotingProblem:
        self.seen.append(H)
        return super().reduced(H, y, samples)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        return np.zeros((problem.n_samples, len(grid.candidates), problem.H.shape[1]))


def with_voters(write: Callable[..., Path], n_voters: int | None) -> Cell:
    """Return a cell with an attribute that is constant on the training part."""
    cell = with_protocol(write, *([] if n_voters is None else [f"voters: {n_voters}"]))
    problem = cell.problem
    X = problem.X.copy()
    X[problem.split.train, 0] = 1.0
    return replace(cell.ready(), source=replace(problem, X=X))


def columns_of(cell: Cell) -> list[bytes]:
    spy = Spy()
    assert run_cell(with_learner(cell, spy)).ok
    (H,) = spy.seen
    return [column.tobytes() for column in H.T]


def constant_columns(cell: Cell) -> set[bytes]:
    n_train = len(cell.problem.split.train)
    return {np.full(n_train, sign).tobytes() for sign in (-1.0, 1.0)}


def test_so_many_voters_are_taken_as_are_asked_for_none_of_them_constant(
    small_config: Callable[..., Path],
) -> None:
    everything = with_voters(small_config, None)
    available, constant = set(columns_of(everything)), constant_columns(everything)
    assert available & constant
    few, more = (columns_of(with_voters(small_config, n)) for n in (4, 9))
    assert (len(few), len(more)) == (4, 9)
    assert set(few) <= set(more) <= available - constant


def test_more_voters_than_there_are_fail_with_what_would_be_right(
    small_config: Callable[..., Path],
) -> None:
    everything = with_voters(small_config, None)
    constant = constant_columns(everything)
    varying = sum(column not in constant for column in columns_of(everything))
    assert run_cell(with_voters(small_config, varying)).ok
    record = run_cell(with_voters(small_config, varying + 1))
    assert record.status == "failed"
    assert (
        f"{varying + 1} voters are asked for, but only {varying} stumps are not constant on the "
        "training part: raise stumps_per_attribute"
    ) in record.message


def test_without_folds_every_candidate_is_measured_and_the_last_one_taken(
    small_config: Callable[..., Path],
) -> None:
    lines = "quadboost\n  folds: 0\n  measures: [test_error, train_error]\n"
    path = small_config("quadboost\n", lines)
    path.write_text(path.read_text().replace("n_rounds: 5", "n_rounds: [1, 4, 30]"))
    cell = cells_of(path)[-1]
    record = run_cell(cell)
    X, X_test = prepared(cell, cell.problem.X)
    stumps = Stumps(10).fit(X)
    y, split = cell.problem.y, cell.problem.split
    path_of_three = AdaBoost().path(stumps.transform(X), y[split.train], cell.grids[0])
    for name, Z, rows in (("train_error", X, split.train), ("test_error", X_test, split.test)):
        wrong = positive_votes(stumps.transform(Z), path_of_three) != (y[rows] > 0)[:, None]
        np.testing.assert_allclose(record.measures[name], wrong.mean(axis=0), rtol=1e-12)
    assert record.chosen == {"n_rounds": 30}
    assert record.risk == pytest.approx(record.measures["test_error"][-1])
    assert split.fold.size == 0


class Seen(DecisionTreeClassifier):  # type: ignore[misc]
    """A tree that keeps what it is given."""

    given: ClassVar[list[Any]] = []

    def fit(self, X: Any, y: Any) -> Seen:
        self.given.append(X)
        super().fit(np.nan_to_num(np.asarray(X, dtype=np.float64)), y)
        return self

    def predict(self, X: Any) -> Any:
        return super().predict(np.nan_to_num(np.asarray(X, dtype=np.float64)))

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(np.nan_to_num(np.asarray(X, dtype=np.float64)))


def test_categories_and_gaps_stay_as_they_are_where_an_estimator_asks(
    small_config: Callable[..., Path],
) -> None:
    cell = cells_of(small_config())[0].ready()
    X = cell.problem.X.astype(np.float64)
    X[::3, 0] = X[::5, 1] = np.nan
    n_codes = (3, 0, 0, 0, 0, 0)
    source = replace(cell.problem, X=X, n_codes=n_codes)
    cell = replace(cell, source=source, grids=(Grid.of({}),))
    rows = X[cell.problem.split.train]
    prepared = Normaliser.fit(rows).transform(rows)
    name = f"{__name__}:Seen"
    for learner, kept in (
        (EstimatorPredictor(name), []),
        (EstimatorPredictor(name, keeps_missing=True), [0, 1]),
        (EstimatorPredictor(name, categories=True), [0]),
        (EstimatorPredictor(name, categories=True, keeps_missing=True), [0, 1]),
    ):
        record = run_cell(with_learner(cell, learner))
        assert record.status == "ok", record.message
        given = np.asarray(Seen.given[-1], dtype=np.float64)
        for j, column in enumerate(given.T):
            gaps = np.isnan(rows[:, j]) if j in kept else np.zeros(len(rows), dtype=bool)
            np.testing.assert_array_equal(np.isnan(column), gaps)
            own = rows if learner.categories and n_codes[j] else prepared
            np.testing.assert_array_equal(column[~gaps], own[~gaps, j])
        assert isinstance(Seen.given[-1], pd.DataFrame) == learner.categories


def test_the_probabilities_of_an_estimator_are_in_the_record(
    small_config: Callable[..., Path],
) -> None:
    path = small_config()
    text = path.read_text().partition("datasets:")[0].replace("quadboost", "quadboost\n  folds: 3")
    path.write_text(
        f"{text}datasets: [{{name: wine, view: {{positive: null}}}}]\nalgorithms:\n"
        "  - {name: logistic, pipeline: [StandardScaler, LogisticRegression]}\n"
    )
    cell = cells_of(path)[0]
    record = run_cell(cell)
    X, X_test = prepared(cell, cell.problem.X)
    y, split = cell.problem.y, cell.problem.split
    theirs = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y[split.train])
    found = record.probabilities
    assert found is not None
    np.testing.assert_array_equal(found, theirs.predict_proba(X_test).astype(np.float32))
    np.testing.assert_array_equal(record.predicted, theirs.predict(X_test))


def test_a_worker_that_cannot_import_an_estimator_says_so(
    small_config: Callable[..., Path],
) -> None:
    cell = cells_of(small_config())[0].ready()
    lost = replace(cell, learner=EstimatorPredictor("nowhere_at_all:make"))
    with pytest.raises(ConfigError, match=r"a worker has other code .* 'nowhere_at_all'"):
        run_cell(lost)


TREE = "algorithm: sklearn:DecisionTreeClassifier\n    settings: {random_state: 3}"


@pytest.mark.parametrize("folds", [0, 5])
def test_an_estimator_has_the_split_of_the_others_and_outcomes_to_compare(
    small_config: Callable[..., Path], folds: int
) -> None:
    path = small_config(
        "algorithm: adaboost\n    grid: {n_rounds: 5}", f"{TREE}\n    grid: {{max_depth: [1, 4]}}"
    )
    path.write_text(path.read_text().replace("quadboost\n", f"quadboost\n  folds: {folds}\n", 1))
    ours, theirs = cells_of(path)[-2:]
    assert theirs.content["draws"] == ours.content["draws"]
    record = run_cell(theirs)
    assert record.n_test == run_cell(ours).n_test == len(record.wrong)
    X, X_test = prepared(theirs, theirs.problem.X)
    y, split = theirs.problem.y, theirs.problem.split
    depth = record.chosen["max_depth"]
    tree = DecisionTreeClassifier(max_depth=depth, random_state=3).fit(X, y[split.train])
    np.testing.assert_array_equal(record.wrong, tree.predict(X_test) != y[split.test])
    assert record.errors == record.wrong.sum() > 0
    assert depth == 4 or folds


def test_a_record_of_more_classes_says_which_and_how_probable(tmp_path: Path) -> None:
    path = tmp_path / "classes.yaml"
    path.write_text(
        "title: Three\nbaseline: false\nprotocol: {view: default, folds: 3}\ndatasets: [wine]\n"
        "algorithms:\n"
        "  - {name: boosting, grid: {n_rounds: [2, 5]}}\n  - {name: 'sklearn:GaussianNB'}\n"
        "  - {name: adaboost, grid: {n_rounds: [2, 5]}}\n"
    )
    cells = cells_of(path)
    for cell in cells:
        record = run_cell(cell)
        assert record.ok, record.message
        codes = cell.problem.y[cell.problem.split.test]
        assert record.classes == cell.problem.classes == ("1", "2", "3")
        np.testing.assert_array_equal(record.actual, codes)
        assert 0 <= record.errors == (record.predicted != codes).sum() < len(codes) / 4
        scores, probabilities = record.scores, record.probabilities
        for kept in (scores, probabilities):
            if kept is not None:
                np.testing.assert_array_equal(kept.argmax(axis=1), record.predicted)
        assert (scores is None) == (cell.algorithm == "sklearn:GaussianNB")
        assert (probabilities is None) == (cell.algorithm == "adaboost")
        if probabilities is not None:
            np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(("loss", "slope"), [("logistic", 1.0), ("exponential", 2.0)])
def test_boosted_trees_have_the_probabilities_of_their_loss(
    small_config: Callable[..., Path], loss: str, slope: float
) -> None:
    boosting = f"algorithm: boosting\n    settings: {{loss: {loss}}}"
    path = small_config("algorithm: adaboost", boosting)
    record = run_cell(cells_of(path)[-1])
    scores, probabilities = record.scores, record.probabilities
    assert scores is not None
    assert probabilities is not None
    np.testing.assert_allclose(probabilities[:, 1], 1 / (1 + np.exp(-slope * scores)), atol=1e-6)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(scores > 0, record.predicted == 1)


def test_an_estimator_that_draws_gives_the_same_record_again(
    small_config: Callable[..., Path],
) -> None:
    forest = "algorithm: sklearn:RandomForestClassifier\n    settings: {n_estimators: 2}"
    path = small_config("algorithm: adaboost\n    grid: {n_rounds: 5}", forest)
    first, second = (cells_of(path, 2)[-1] for _ in range(2))
    assert first.key == second.key
    np.testing.assert_array_equal(run_cell(first).predicted, run_cell(second).predicted)


FRESH = """title: Fresh
seed: 3
protocol:
  view: default
  normalise: none
  sample: {sample}
  {choice}
datasets: [{row}]
algorithms:
  - {algorithm}
baseline: false
"""
NOISY = "{name: m1, parameters: {sigma: 0.5}}"


def fresh_cell(folder: Path, row: str, algorithm: str, choice: str = "holdout: {}") -> Cell:
    valid = "valid: 40, " if "holdout" in choice else ""
    sample = f"{{train: 60, {valid}test: 50}}"
    path = folder / "fresh.yaml"
    text = FRESH.format(sample=sample, choice=choice, row=row, algorithm=algorithm)
    path.write_text(text)
    (cell,) = cells_of(path)
    return cell


def parts_of(cell: Cell) -> list[tuple[FloatArray, FloatArray]]:
    """Return the examples of the training, the validation and the test part."""
    problem, split = cell.problem, cell.problem.split
    valid = np.empty(0, dtype=np.intp) if split.valid is None else split.valid
    return [(problem.X[r], problem.y[r]) for r in (split.train, valid, split.test)]


def test_a_regressions_record_has_both_rmses_and_no_wrong_examples(tmp_path: Path) -> None:
    alphas = [1000.0, 1.0]
    cell = fresh_cell(tmp_path, NOISY, f"{{name: 'sklearn:Ridge', grid: {{alpha: {alphas}}}}}")
    record = run_cell(cell)
    train, (X_valid, y_valid), (X, y) = parts_of(cell)
    fitted = [Ridge(alpha).fit(*train) for alpha in alphas]
    losses = [((model.predict(X_valid) - y_valid) ** 2).sum() for model in fitted]
    best = int(np.argmin(losses))
    predicted = fitted[best].predict(X)
    assert (record.status, record.message) == ("ok", "")
    assert record.chosen == {"alpha": alphas[best]}
    assert record.cv_errors == pytest.approx(losses[best])
    assert record.rmse == pytest.approx(np.sqrt(((predicted - y) ** 2).mean()))
    truth = m1_mean(X)
    [noiseless] = record.measures["rmse_noiseless"]
    assert noiseless == pytest.approx(np.sqrt(((predicted - truth) ** 2).mean()))
    assert noiseless < record.rmse == record.value
    assert (record.errors, record.classes, record.n_test) == (0, (), 50)
    np.testing.assert_array_equal(record.actual, y)
    np.testing.assert_array_equal(record.predicted, predicted)
    # To the last bit.
    off = record.predicted - record.actual
    assert record.rmse == np.sqrt(np.mean(off**2))
    assert (record.scores, record.probabilities) == (None, None)


def test_the_rmse_on_a_cards_own_sample_has_no_counterpart_without_noise(tmp_path: Path) -> None:
    path = tmp_path / "m1.yaml"
    path.write_text(
        "title: One\nprotocol: {view: default, folds: 2}\ndatasets: [m1]\n"
        "algorithms: [{name: 'sklearn:Ridge'}]\n"
    )
    record = run_cell(cells_of(path)[0])
    assert record.ok
    assert record.rmse is not None
    assert record.measures == {}


def test_a_regressions_measures_are_taken_after_each_number_of_rounds(tmp_path: Path) -> None:
    choice = "folds: 0\n  measures: [train_mse, test_mse]"
    boosting = "{name: boosting, grid: {n_rounds: [1, 4, 9]}}"
    record = run_cell(cell := fresh_cell(tmp_path, NOISY, boosting, choice))
    (X, y), _, (X_test, y_test) = parts_of(cell)
    model = GradientBoostRegressor("full", n_rounds=9).fit(X, y)
    for name, Z, target in (("train_mse", X, y), ("test_mse", X_test, y_test)):
        staged = np.array(list(model.staged_predict(Z)))[[0, 3, 8]]
        expected = ((staged - target) ** 2).mean(axis=1)
        np.testing.assert_allclose(record.measures[name], expected, rtol=1e-12)
    assert record.rmse == pytest.approx(np.sqrt(record.measures["test_mse"][-1]))
    assert record.chosen == {"n_rounds": 9}


def test_held_out_examples_choose_the_rounds_of_boosted_trees(tmp_path: Path) -> None:
    boosting = "{name: boosting, grid: {n_rounds: [1, 2, 5, 20]}}"
    cell = fresh_cell(tmp_path, "orange", boosting)
    record = run_cell(cell)
    train, (X_valid, y_valid), (X, y) = parts_of(cell)
    model = GradientBoostClassifier("full", n_rounds=20).fit(*train)
    staged = {t + 1: F for t, F in enumerate(model.staged_decision_function(X_valid))}
    errors = {t: int(((staged[t] > 0) != (y_valid > 0)).sum()) for t in (1, 2, 5, 20)}
    rounds = min(errors, key=lambda t: errors[t])
    assert record.chosen == {"n_rounds": rounds}
    assert record.cv_errors == errors[rounds]
    test = list(model.staged_decision_function(X))[rounds - 1]
    np.testing.assert_array_equal(record.wrong, (test > 0) != (y > 0))
    assert record.rmse is None
    assert (record.errors, record.value) == (record.wrong.sum(), record.risk)


def test_where_all_rows_are_trained_on_training_and_test_errors_are_the_same(
    small_config: Callable[..., Path],
) -> None:
    lines = ("split: {train: all}", "folds: 0", "measures: [train_error, test_error]")
    record = run_cell(with_protocol(small_config, *lines))
    assert record.n_test == 2201
    assert record.measures["train_error"] == record.measures["test_error"] == [record.risk]


def test_an_algorithms_own_measures_stand_instead_of_the_protocols(
    small_config: Callable[..., Path],
) -> None:
    path = small_config("quadboost\n", "quadboost\n  folds: 0\n  measures: [voters]\n")
    text = path.read_text()
    path.write_text(text.replace("{n_rounds: 5}", "{n_rounds: 5}\n    measures: [train_error]"))
    l2, ada = cells_of(path)[:2]
    assert [list(run_cell(cell).measures) for cell in (l2, ada)] == [["voters"], ["train_error"]]
    assert ada.content["protocol"]["measures"] == ["train_error"]


DIRECTIONS = """
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class Directions(TransformerMixin, BaseEstimator):
    def __init__(self, n=9, random_state=None):
        self.n = n
        self.random_state = random_state

    def fit(self, X, y):
        rng = np.random.default_rng(self.random_state)
        self.to_ = (X * y[:, None]).mean(axis=0)[:, None] + rng.normal(size=(X.shape[1], self.n))
        return self

    def transform(self, X):
        return np.where(X @ self.to_ > 0, 1.0, -1.0)
"""


def over_directions(small_config: Callable[..., Path], parameters: str, code: str) -> Cell:
    """Return a cell whose votes are over a transformer of the config's folder."""
    (small_config().parent / "my_voters.py").write_text(code)
    return with_protocol(small_config, f"voter_set: {{'my_voters:Directions': {{{parameters}}}}}")


def test_a_transformer_takes_the_place_of_the_stumps(small_config: Callable[..., Path]) -> None:
    cell = over_directions(small_config, "n: 7", DIRECTIONS)
    record = run_cell(cell.ready())
    made: dict[str, Any] = {}
    exec(DIRECTIONS, made)
    seed = int(generator(*cell.draws, "voter set").integers(2**31))
    wrong = wrong_by_adaboost(cell, made["Directions"](7, seed), cell.problem.X)
    assert record.ok, record.reason
    np.testing.assert_array_equal(record.wrong, wrong)
    assert record.content["draws"] == cell.draws


def test_the_code_and_the_parameters_of_a_transformer_belong_to_the_key(
    small_config: Callable[..., Path],
) -> None:
    stumps = with_protocol(small_config)
    keys = {
        over_directions(small_config, parameters, code).key
        for parameters in ("", "n: 7")
        for code in (DIRECTIONS, DIRECTIONS.replace("n=9", "n=8"))
    }
    assert len(keys | {stumps.key}) == 5
    installed = with_protocol(small_config, "voter_set: MinMaxScaler").content
    assert "scikit-learn" not in stumps.content["packages"]
    assert installed["packages"]["scikit-learn"]
    assert installed["code"] != stumps.content["code"]


def test_a_config_names_the_code_of_its_transformer(small_config: Callable[..., Path]) -> None:
    path = small_config("quadboost\n", "quadboost\n  voter_set: my_voters:Directions\n")
    (path.parent / "my_voters.py").write_text(DIRECTIONS)
    assert load_experiment(path).code == ("my_voters.py",)


def test_a_predictor_can_be_given_the_outputs_of_the_stumps(
    small_config: Callable[..., Path],
) -> None:
    path = small_config("quadboost\n", "quadboost\n  folds: 0\n  inputs: voters\n")
    head, _ = path.read_text().split("algorithms:\n")
    tree = "  - {name: tree, algorithm: 'sklearn:DecisionTreeClassifier', grid: {max_depth: 3}}\n"
    path.write_text(f"{head}algorithms:\n{tree}  - {{name: adaboost, grid: {{n_rounds: 5}}}}\n")
    given, votes = cells_of(path)[:2]
    (train, test), y, split = prepared(given, given.problem.X), given.problem.y, given.problem.split
    stumps = Stumps(10).fit(train)
    of_all = int(generator(*given.draws, "all").integers(2**31))
    expected = DecisionTreeClassifier(max_depth=3, random_state=of_all)
    expected.fit(stumps.transform(train), y[split.train])
    wrong = expected.predict(stumps.transform(test)) != y[split.test]
    np.testing.assert_array_equal(run_cell(given).wrong, wrong)
    # What votes sees them anyway.
    path.write_text(path.read_text().replace("  inputs: voters\n", ""))
    np.testing.assert_array_equal(run_cell(votes).predicted, run_cell(cells_of(path)[1]).predicted)


def test_a_mistake_in_code_beside_the_config_is_told_with_its_place(
    small_config: Callable[..., Path],
) -> None:
    path = small_config("algorithm: adaboost\n    grid: {n_rounds: 5}", "algorithm: mine_bug:Own")
    (path.parent / "mine_bug.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class Own(DummyClassifier):\n"
        "    def fit(self, X, y):\n"
        "        raise ValueError('my bug')\n"
    )
    record = run_cell(cells_of(path)[-1].ready())
    assert (record.status, record.reason) == ("failed", "ValueError: my bug (mine_bug.py:4)")
