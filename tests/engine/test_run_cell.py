"""A record is its protocol's, step by step."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from quadrepro import GradientBoostClassifier, GradientBoostRegressor
from quadrepro.base.types import FloatArray
from quadrepro.config.loading import load_experiment
from quadrepro.core.cell import Cell, training_data
from quadrepro.core.features import Feature
from quadrepro.core.holdout import HoldoutStumps
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.preprocessing import Normaliser, add_noise
from quadrepro.core.seeds import generator
from quadrepro.core.training.contract import positive_votes
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.coded import VoterOutputs
from quadrepro.core.voters.drawn import RandomStumps, coded
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.rules import m1_mean
from quadrepro.engine.records import Record
from quadrepro.engine.worker import run_cell
from tests.make import cells, cells_of, with_learner, write_config

Wrong = NDArray[np.bool_]
PEOPLE: list[object] = [{"name": "titanic", "as": "people"}]


def protocol(**changes: object) -> dict[str, object]:
    return {"view": "quadboost", **changes}


def cell_of(algorithm: dict[str, Any] | None = None, **changes: object) -> Cell:
    """Return a cell on Titanic's passengers under a protocol with some keys replaced."""
    algorithms = {} if algorithm is None else {"algorithms": [algorithm]}
    return cells(datasets=PEOPLE, protocol=protocol(**changes), **algorithms)[0]


def run(algorithm: dict[str, Any] | None = None, **changes: object) -> Record:
    record = run_cell(cell_of(algorithm, **changes))
    assert (record.status, record.message) == ("ok", "")
    return record


def held_out(**rule: object) -> Cell:
    """Return a cell of AdaBoost over drawn stumps, whose rounds held-out examples of monks end."""
    holdout = {"stumps": {"per_round": 40}, **rule}
    [cell] = cells(
        protocol=protocol(normalise="none", holdout=holdout), algorithms=[{"name": "adaboost"}]
    )
    return cell


def plain_adaboost(cell: Cell, patience: int) -> tuple[int, int, Wrong, FloatArray]:
    """Return best round, its validation errors, test calls and margins, by the book."""
    X, y, split = cell.problem.X, cell.problem.y, cell.problem.split
    parts = [coded(X[rows], X[split.train]) for rows in (split.train, split.valid, split.test)]
    y_train, y_valid = y[split.train], y[split.valid]
    rule = HoldoutStumps(per_round=40)
    source = RandomStumps(parts[0], generator(*cell.draws, "stumps"), rule)
    w, sums, total = np.full(len(y_train), 1 / len(y_train)), [0.0, 0.0, 0.0], 0.0
    best: tuple[int, int, Wrong, FloatArray] = (0, len(y_valid) + 1, np.array([]), w)
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


def test_a_held_out_cell_is_the_protocol_step_by_step() -> None:
    cell = held_out(patience=20)
    record = run_cell(cell)
    n_rounds, errors, positive, margins = plain_adaboost(cell, 20)
    assert (record.chosen, record.cv_errors) == ({"n_rounds": n_rounds}, errors)
    wrong = positive != (cell.problem.y[cell.problem.split.test] > 0)
    np.testing.assert_array_equal(record.wrong, wrong)
    np.testing.assert_allclose(record.margins, margins, atol=1e-6)
    assert run_cell(held_out(patience=20, take="last")).chosen == {"n_rounds": n_rounds + 20}
    by_test = run_cell(held_out(patience=20, by="test"))
    assert by_test.errors == by_test.cv_errors


def test_a_lag_ends_a_run_that_is_no_better_than_before() -> None:
    found = run_cell(held_out(lag=2, take="last"))
    last = found.chosen["n_rounds"]
    errors = [
        run_cell(held_out(patience=99, max_rounds=t, take="last")).cv_errors
        for t in range(1, last + 1)
    ]
    assert found.cv_errors == errors[-1] >= errors[-3]
    assert all(errors[t] < errors[t - 2] for t in range(2, last - 1))


def prepared(cell: Cell, X: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the normalised attributes of the training and the test part."""
    X, split = cell.problem.X if X is None else X, cell.problem.split
    normaliser = Normaliser.fit(X[split.train])
    return normaliser.transform(X[split.train]), normaliser.transform(X[split.test])


def wrong_by_adaboost(cell: Cell, voters: Any, X: FloatArray | None = None) -> Wrong:
    """Return which test examples AdaBoost over some voters gets wrong, step by step."""
    (train, test), y, split = prepared(cell, X), cell.problem.y, cell.problem.split
    voters.fit(train, y[split.train])
    weights = AdaBoost().path(voters.transform(train), y[split.train], cell.grids[0])
    return positive_votes(voters.transform(test), weights)[:, 0] != (y[split.test] > 0)


def test_a_cell_is_the_protocol_step_by_step() -> None:
    record = run_cell(cell := cell_of())
    wrong = wrong_by_adaboost(cell, Stumps(10, spacing="even"))
    np.testing.assert_array_equal(record.wrong, wrong)
    assert (record.status, record.errors, record.n_test) == ("ok", wrong.sum(), 1701)
    assert (record.chosen, record.content) == ({"n_rounds": 5}, cell.content)
    assert record.seconds > 0


def test_candidates_are_chosen_by_the_loss_of_the_protocol() -> None:
    # Errors are counted; a balanced error is a share.
    assert 0 < run(choose_by="balanced_error").cv_errors < 1 < run().cv_errors


def test_noise_is_added_before_all_else_unless_it_has_no_deviation() -> None:
    cell = cell_of(noise={"deviation": 0.3, "contrast": 0.8})
    rng, train = generator(*cell.draws, "noise"), cell.problem.split.train
    X = add_noise(cell.problem.X, rng, 0.3, 0.8, train=train)
    np.testing.assert_array_equal(
        run_cell(cell).wrong, wrong_by_adaboost(cell, Stumps(10, spacing="even"), X)
    )
    still = run(noise={"deviation": 0})
    np.testing.assert_array_equal(still.predicted, run().predicted)


def test_labels_of_test_rows_are_not_changed() -> None:
    cell = cell_of(noise={"labels": 0.2})
    y, split, data = cell.problem.y, cell.problem.split, training_data(cell)
    parts = (data.train.y, split.train), (data.test.y, split.test)
    in_train, in_test = (int((found != y[rows]).sum()) for found, rows in parts)
    assert (in_train, in_test) == (100, 0)


def with_voters(**n_voters: int) -> Cell:
    """Return a cell with an attribute that is constant on the training part."""
    cell = cell_of(**n_voters)
    X = cell.problem.X.copy()
    X[cell.problem.split.train, 0] = 1.0
    return replace(cell, source=replace(cell.problem, X=X))


def test_the_number_of_voters_is_that_of_the_protocol_and_none_of_them_is_constant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[FloatArray] = []

    def reduced(self: AdaBoost, voters: VoterOutputs, *more: Any, **options: Any) -> VotingProblem:
        seen.append(voters.matrix())
        return original(self, voters, *more, **options)

    def columns_of(cell: Cell) -> list[bytes]:
        assert run_cell(cell).ok
        return [column.tobytes() for column in seen[-1].T]

    original = AdaBoost.reduced
    monkeypatch.setattr(AdaBoost, "reduced", reduced)
    available = columns_of(with_voters())
    constant = {np.full(len(seen[0]), sign).tobytes() for sign in (-1.0, 1.0)}
    assert set(available) & constant
    few, more = (columns_of(with_voters(voters=n)) for n in (4, 9))
    assert (len(few), len(more)) == (4, 9)
    assert set(few) <= set(more) <= set(available) - constant
    varying = sum(column not in constant for column in available)
    assert run_cell(with_voters(voters=varying)).ok
    record = run_cell(with_voters(voters=varying + 1))
    assert record.status == "failed"
    assert f"only {varying} stumps are not constant on the training part" in record.message


def test_without_folds_every_candidate_is_measured_and_the_last_one_taken() -> None:
    ada = {"name": "adaboost", "grid": {"n_rounds": [1, 4, 30]}}
    cell = cell_of(ada, folds=0, measures=["test_error", "train_error"])
    record = run_cell(cell)
    (X, X_test), y, split = prepared(cell), cell.problem.y, cell.problem.split
    stumps = Stumps(10, spacing="even").fit(X)
    path_of_three = AdaBoost().path(stumps.transform(X), y[split.train], cell.grids[0])
    for name, Z, rows in (("train_error", X, split.train), ("test_error", X_test, split.test)):
        wrong = positive_votes(stumps.transform(Z), path_of_three) != (y[rows] > 0)[:, None]
        np.testing.assert_allclose(record.measures[name], wrong.mean(axis=0), rtol=1e-12)
    assert record.chosen == {"n_rounds": 30}
    assert record.risk == pytest.approx(record.measures["test_error"][-1])
    assert split.fold.size == 0
    own = run({**ada, "measures": ["train_error"]}, folds=0, measures=["voters"])
    assert [*own.measures] == ["train_error"]


def test_where_all_rows_are_trained_on_training_and_test_errors_are_the_same() -> None:
    record = run(split={"train": "all"}, folds=0, measures=["train_error", "test_error"])
    assert record.n_test == 2201
    assert record.measures["train_error"] == record.measures["test_error"] == [record.risk]


class Seen(DummyClassifier):  # type: ignore[misc]
    """Keeps what it is given, and spoils it."""

    given: ClassVar[list[Any]] = []

    def fit(self, X: Any, y: Any) -> Seen:
        self.given.append(X.copy())
        super().fit(X, y)
        if isinstance(X, np.ndarray):
            X[:] = 0
        return self


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, []),
        ({"keeps_missing": True}, [0, 1]),
        ({"categories": True}, [0]),
        ({"categories": True, "keeps_missing": True}, [0, 1]),
    ],
)
def test_categories_and_gaps_stay_as_they_are_where_an_estimator_asks(
    options: dict[str, bool], kept: list[int]
) -> None:
    [cell] = cells()
    X = cell.problem.X.astype(np.float64)
    X[::3, 0] = X[::5, 1] = np.nan
    colour = Feature("colour", "category", ("red", "green", "blue"))
    features = (colour, *(Feature(name) for name in "abcde"))
    source = replace(cell.problem, X=X, features=features)
    cell = replace(cell, source=source, grids=(Grid.from_values({}),))
    rows = X[cell.problem.split.train]
    filled, learner = prepared(cell)[0], EstimatorPredictor(f"{__name__}:Seen", **options)
    assert run_cell(with_learner(cell, learner)).ok
    frame = Seen.given[-1]
    if learner.categories:
        frame = frame.assign(colour=frame["colour"].cat.codes.replace(-1, np.nan))
    given = np.asarray(frame, dtype=np.float64)
    for j, column in enumerate(given.T):
        gaps = np.isnan(rows[:, j]) if j in kept else np.zeros(len(rows), dtype=bool)
        np.testing.assert_array_equal(np.isnan(column), gaps)
        own = rows if learner.categories and features[j].words else filled
        np.testing.assert_array_equal(column[~gaps], own[~gaps, j])
    assert isinstance(Seen.given[-1], pd.DataFrame) == learner.categories


def test_an_estimator_that_changes_its_examples_changes_no_other_cell() -> None:
    cell = replace(cell_of(), grids=(Grid.from_values({}),))
    paths = ("sklearn.tree:DecisionTreeClassifier", f"{__name__}:Seen")
    tree, spoiler = (with_learner(cell, EstimatorPredictor(path)) for path in paths)
    before, spoilt, after = map(run_cell, (tree, spoiler, tree))
    assert spoilt.ok
    np.testing.assert_array_equal(after.probabilities, before.probabilities)


@pytest.mark.parametrize("folds", [0, 5])
def test_an_estimator_has_the_split_of_the_others(folds: int) -> None:
    tree = {"name": "tree", "algorithm": "sklearn:DecisionTreeClassifier"}
    tree |= {"settings": {"random_state": 3}, "grid": {"max_depth": [1, 4]}}  # type: ignore[dict-item]
    cell = cell_of(tree, folds=folds)
    record = run_cell(cell)
    assert record.n_test == run().n_test == len(record.wrong)
    (X, X_test), y, split = prepared(cell), cell.problem.y, cell.problem.split
    depth = record.chosen["max_depth"]
    plain = DecisionTreeClassifier(max_depth=depth, random_state=3).fit(X, y[split.train])
    np.testing.assert_array_equal(record.wrong, plain.predict(X_test) != y[split.test])
    assert record.errors == record.wrong.sum() > 0
    assert depth == 4 or folds


def test_a_record_of_more_classes_has_their_names_scores_and_probabilities() -> None:
    grid = {"n_rounds": [2, 5]}
    algorithms = [
        {"name": "boosting", "grid": grid},
        {"name": "adaboost", "grid": grid},
        {"name": "logistic", "pipeline": ["StandardScaler", "LogisticRegression"]},
    ]
    wine = {"datasets": ["wine"], "protocol": {"view": "default", "folds": 3}}
    for cell in cells(algorithms=algorithms, **wine):
        record = run_cell(cell)
        assert record.ok, record.message
        codes = cell.problem.y[cell.problem.split.test]
        assert record.classes == cell.problem.classes == ("1", "2", "3")
        np.testing.assert_array_equal(record.actual, codes)
        assert 0 <= record.errors == (record.predicted != codes).sum() < len(codes) / 4
        kept = {"scores": record.scores, "probabilities": record.probabilities}
        for of in kept.values():
            assert of is None or (of.argmax(axis=1) == record.predicted).all()
        missing = {"adaboost": {"probabilities"}, "logistic": set(), "boosting": set()}
        assert {name for name, of in kept.items() if of is None} == missing[cell.algorithm]
    (X, X_test), y = prepared(cell), cell.problem.y
    theirs = make_pipeline(StandardScaler(), LogisticRegression()).fit(
        X, y[cell.problem.split.train]
    )
    expected = theirs.predict_proba(X_test).astype(np.float32)
    np.testing.assert_array_equal(record.probabilities, expected)
    np.testing.assert_array_equal(record.predicted, theirs.predict(X_test))


NOISY = {"name": "m1", "parameters": {"sigma": 0.5}}


def fresh(row: object, algorithm: dict[str, Any], **choice: object) -> Cell:
    """Return a cell whose examples are drawn; by default, held-out ones choose."""
    sample = {"train": 60, "test": 50} | ({} if choice else {"valid": 40})
    drawn = {"view": "default", "normalise": "none", "sample": sample}
    rule = {**drawn, **(choice or {"holdout": {}})}
    [cell] = cells(protocol=rule, datasets=[row], algorithms=[algorithm], seed=3)
    return cell


def parts_of(cell: Cell) -> list[tuple[FloatArray, FloatArray]]:
    """Return the examples of the training, the validation and the test part."""
    problem, split = cell.problem, cell.problem.split
    valid = np.empty(0, dtype=np.intp) if split.valid is None else split.valid
    return [(problem.X[r], problem.y[r]) for r in (split.train, valid, split.test)]


def test_a_regressions_record_has_both_rmses_and_no_wrong_examples() -> None:
    alphas = [1000.0, 1.0]
    record = run_cell(cell := fresh(NOISY, {"name": "sklearn:Ridge", "grid": {"alpha": alphas}}))
    train, (X_valid, y_valid), (X, y) = parts_of(cell)
    fitted = [Ridge(alpha).fit(*train) for alpha in alphas]
    losses = [((model.predict(X_valid) - y_valid) ** 2).sum() for model in fitted]
    best = int(np.argmin(losses))
    predicted = fitted[best].predict(X)
    assert (record.status, record.message) == ("ok", "")
    assert record.chosen == {"alpha": alphas[best]}
    assert record.cv_errors == pytest.approx(losses[best])
    [noiseless] = record.measures["rmse_noiseless"]
    assert noiseless == pytest.approx(np.sqrt(((predicted - m1_mean(X)) ** 2).mean()))
    np.testing.assert_array_equal(record.actual, y)
    np.testing.assert_array_equal(record.predicted, predicted)
    # To the last bit.
    assert record.rmse == np.sqrt(np.mean((predicted - y) ** 2)) == record.value > noiseless
    assert (record.errors, record.classes, record.n_test) == (0, (), 50)
    assert (record.scores, record.probabilities) == (None, None)
    # A card's own sample has no counterpart without noise.
    given = {"protocol": {"view": "default", "folds": 2}, "datasets": ["m1"]}
    own = run_cell(cells(algorithms=[{"name": "sklearn:Ridge"}], **given)[0])
    assert (own.ok, own.rmse is None, own.measures) == (True, False, {})


def test_a_regressions_measures_are_taken_after_each_number_of_rounds() -> None:
    boosting = {"name": "boosting", "grid": {"n_rounds": [1, 4, 9]}}
    cell = fresh(NOISY, boosting, folds=0, measures=["train_mse", "test_mse"])
    record = run_cell(cell)
    (X, y), _, (X_test, y_test) = parts_of(cell)
    model = GradientBoostRegressor("full", n_rounds=9).fit(X, y)
    for name, Z, target in (("train_mse", X, y), ("test_mse", X_test, y_test)):
        staged = np.array(list(model.staged_predict(Z)))[[0, 3, 8]]
        expected = ((staged - target) ** 2).mean(axis=1)
        np.testing.assert_allclose(record.measures[name], expected, rtol=1e-12)
    assert record.rmse == pytest.approx(np.sqrt(record.measures["test_mse"][-1]))
    assert record.chosen == {"n_rounds": 9}


def test_held_out_examples_choose_the_rounds_of_boosted_trees() -> None:
    cell = fresh("orange", {"name": "boosting", "grid": {"n_rounds": [1, 2, 5, 20]}})
    record = run_cell(cell)
    train, (X_valid, y_valid), (X, y) = parts_of(cell)
    model = GradientBoostClassifier("full", n_rounds=20).fit(*train)
    staged = {t + 1: F for t, F in enumerate(model.staged_decision_function(X_valid))}
    errors = {t: int(((staged[t] > 0) != (y_valid > 0)).sum()) for t in (1, 2, 5, 20)}
    rounds = min(errors, key=lambda t: errors[t])
    assert (record.chosen, record.cv_errors) == ({"n_rounds": rounds}, errors[rounds])
    test = list(model.staged_decision_function(X))[rounds - 1]
    np.testing.assert_array_equal(record.wrong, (test > 0) != (y > 0))
    assert (record.rmse, record.errors, record.value) == (None, record.wrong.sum(), record.risk)


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


@pytest.fixture
def over_directions(tmp_path: Path) -> Callable[..., Cell]:
    """Return a function that makes a cell over a transformer of the config's folder."""

    def make(code: str = DIRECTIONS, **parameters: int) -> Cell:
        (tmp_path / "my_voters.py").write_text(code)
        voters = {"my_voters:Directions": parameters}
        return cells_of(write_config(tmp_path, protocol=protocol(voter_set=voters)))[0]

    return make


def test_a_transformer_takes_the_place_of_the_stumps_and_is_not_imported_by_a_plan(
    over_directions: Callable[..., Cell], tmp_path: Path
) -> None:
    cell = over_directions(n=7)
    assert load_experiment(tmp_path / "small.yaml").code == ("my_voters.py",)
    assert "my_voters" not in sys.modules
    record = run_cell(cell.ready())
    made: dict[str, Any] = {}
    exec(DIRECTIONS, made)
    seed = int(generator(*cell.draws, "voter set").integers(2**31))
    assert record.ok, record.reason
    np.testing.assert_array_equal(
        record.wrong, wrong_by_adaboost(cell, made["Directions"](7, seed))
    )
    assert record.content["draws"] == cell.draws
    others = over_directions(), over_directions(DIRECTIONS.replace("n=9", "n=8")), cells()[0]
    assert len({of.key for of in (cell, *others)}) == 4
    installed = cells(protocol=protocol(voter_set="MinMaxScaler"))[0].content
    assert "scikit-learn" not in cells()[0].content["packages"]
    assert installed["packages"]["scikit-learn"]
    assert installed["code"] != cells()[0].content["code"]


def test_a_predictor_can_be_given_the_outputs_of_the_stumps() -> None:
    tree = {"name": "sklearn:DecisionTreeClassifier", "grid": {"max_depth": 3}}
    cell = cell_of(tree, folds=0, inputs="voters")
    (train, test), y, split = prepared(cell), cell.problem.y, cell.problem.split
    stumps = Stumps(10, spacing="even").fit(train)
    of_all = int(generator(*cell.draws, "all").integers(2**31))
    expected = DecisionTreeClassifier(max_depth=3, random_state=of_all)
    expected.fit(stumps.transform(train), y[split.train])
    wrong = expected.predict(stumps.transform(test)) != y[split.test]
    np.testing.assert_array_equal(run_cell(cell).wrong, wrong)
