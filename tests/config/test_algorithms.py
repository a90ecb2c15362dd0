from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xgboost

from quadrepro.config.algorithms import AlgorithmEntry
from quadrepro.config.axis import Axis
from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.protocol import Protocol
from tests.cells import cells_of
from tests.refusals import assert_refused, refusal

Write = Callable[..., Path]
ADA = "algorithm: adaboost\n    grid: {n_rounds: 5}"
VIEW = "view: quadboost\n"
UNCHOSEN = f"{VIEW}  folds: 0\n"


def entry(**fields: Any) -> AlgorithmEntry:
    return AlgorithmEntry.model_validate({"name": "quadboost-l2", **fields})


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_one_drawn_hyperparameter_gives_one_grid_from_simple_to_complex() -> None:
    drawn = entry(draw={"lam": {"log": [0.1, 10]}}, grid={"n_rounds": [5, 10]}, draws=8)
    (grid,) = drawn.make_grids(rng())
    lam = grid.axis("lam")
    assert lam is not None
    assert len(lam) == 8
    assert list(lam) == sorted(lam, reverse=True)
    assert [c["n_rounds"] for c in grid.candidates] == [5, 10] * 8
    drawn.make().check(grid)


def test_several_drawn_hyperparameters_give_a_grid_a_point_from_simple_to_complex() -> None:
    draw = {"lam": {"log": [0.1, 10]}, "n_rounds": {"integers": [1, 3]}}
    grids = entry(draw=draw, draws=12).make_grids(rng())
    assert [len(grid.candidates) for grid in grids] == [1] * 12
    points = [grid.candidates[0] for grid in grids]
    assert {point["n_rounds"] for point in points} == {1, 2, 3}
    lam = [point["lam"] for point in points]
    assert lam == sorted(lam, reverse=True)


def test_every_drawn_point_is_tried_with_every_point_of_the_grid() -> None:
    forest = entry(
        name="sklearn:RandomForestClassifier",
        draw={"max_depth": {"integers": [1, 20]}, "max_features": {"uniform": [0.1, 1]}},
        grid={"criterion": ["gini", "entropy"], "n_estimators": [5, 10, 20]},
        draws=4,
    )
    grids = forest.make_grids(rng())
    assert [len(grid.candidates) for grid in grids] == [6] * 4
    assert len({grid.axis("max_features") for grid in grids}) == 4


def test_a_value_that_is_drawn_again_is_tried_once() -> None:
    (grid,) = entry(draw={"n_rounds": [7, 3]}, grid={"lam": 1}, draws=50).make_grids(rng())
    assert grid.axis("n_rounds") == (3, 7)


def test_another_generator_draws_other_values_and_the_same_the_same() -> None:
    drawn = entry(draw={"lam": {"log": [0.1, 10]}}, grid={"n_rounds": 5})
    assert drawn.make_grids(rng(1)) == drawn.make_grids(rng(1)) != drawn.make_grids(rng(2))


def test_a_rows_own_values_replace_those_of_the_grid_and_drawn_ones() -> None:
    drawn = entry(draw={"lam": {"log": [0.1, 10]}}, grid={"n_rounds": [5, 10]}, draws=3)
    new = {"lam": (2, 1), "n_rounds": (4,), "max_depth": (1,)}
    own = {name: Axis(values=values) for name, values in new.items()}
    (grid,) = drawn.make_grids(rng(), own)
    assert dict(grid.axes) == {"n_rounds": (4,), "lam": (2.0, 1.0)}


def test_what_a_row_does_not_replace_is_drawn_as_ever() -> None:
    draw = {"lam": {"log": [0.1, 10]}, "n_rounds": {"integers": [1, 3]}}
    drawn = entry(draw=draw, draws=6)
    (grid,) = drawn.make_grids(rng(), {"n_rounds": Axis(values=(4, 8))})
    assert grid.axis("n_rounds") == (4, 8)
    assert grid.axis("lam") == tuple(g.candidates[0]["lam"] for g in drawn.make_grids(rng()))


PIPELINE = "pipeline: [StandardScaler, SVC]\n    "
SVC = "algorithm: sklearn:SVC\n    "
WRONG_C = "The 'C' parameter of SVC must be a float in the range (0.0, inf]. Got "


@pytest.mark.parametrize(
    ("new", "place", "telling"),
    [
        ("algorithm: sklearn:RandomForestClasifier", "14:5", "mean 'RandomForestClassifier'?"),
        ("algorithm: xgboost:XGBClasifier", "14:5", f"({xgboost.__file__}) has no 'XGBClasifier'"),
        ("algorithm: xgboost:XGBClasifier", "14:5", "did you mean 'XGBClassifier'?"),
        ("algorithm: xgboost:XGBClassifier\n    grid: {max_dept: 1}", "15:12", "'max_depth'?"),
        ("algorithm: sklearn:StandardScaler", "14:5", "predicts neither classes nor numbers"),
        ("algorithm: sklearn:VotingClassifier", "14:5", "VotingClassifier needs estimators"),
        ("pipeline: [StandardScaler, SVCC]", "14:32", "no estimator 'SVCC'; did you mean 'SVC'?"),
        (f"{PIPELINE}grid: {{svc__c: 1}}", "15:12", "'svc__c'; did you mean 'svc__C'?"),
        (f"{PIPELINE}grid: {{svc__C: [1, -1]}}", "15:12", f"{WRONG_C}-1 instead."),
        (
            f"{PIPELINE}settings: {{scv__C: 1}}",
            "15:16",
            "no setting 'scv__C'; did you mean 'svc__C'?",
        ),
        (f"pipeline: {['StandardScaler'] * 1001}", "14:5", "at most 1000 values, not 1001"),
        ("algorithm: adaboost\n    pipeline: [SVC]", "15:5", "either an algorithm or a pipeline"),
        (f"{ADA}\n    nominal: categories", "16:5", "which the view makes: leave out nominal"),
        (f"{ADA}\n    missing: keep", "16:5", "which the view makes: leave out missing"),
        (f"{SVC}grid: {{gama: 1}}", "15:12", "no hyper-parameter 'gama'; did you mean 'gamma'?"),
        (f"{SVC}settings: {{gama: 1}}", "15:16", "no setting 'gama'; did you mean 'gamma'?"),
        (f"{SVC}grid: {{gamma: scale, C: [1, -1]}}", "15:26", f"{WRONG_C}-1 instead."),
        (f"{SVC}settings: {{C: -1}}", "15:5", f"{WRONG_C}-1 instead."),
        (f"{SVC}draw: {{gamma: [1], C: [1, 2, none]}}", "15:24", f"{WRONG_C}'none' instead."),
        (f"{SVC}draw: {{C: {{uniform: [-1, 2]}}}}", "15:12", f"{WRONG_C}-1.0 instead."),
        (f"{SVC}settings: {{C: 2}}\n    grid: {{C: [1, 3]}}", "16:12", "C is in the settings as"),
        (f"{ADA}\n    draw: {{n_rounds: [5]}}", "16:12", "n_rounds is in the grid as well"),
        (f"{ADA}\n    draws: 7", "16:5", "nothing is drawn: name hyper-parameters"),
        ("algorithm: adaboost\n    draw: {n_round: [5]}", "15:12", "did you mean 'n_rounds'?"),
        (
            "algorithm: adaboost\n    draw: {n_rounds: {log: [1, 9]}}",
            "15:12",
            "whole numbers: draw",
        ),
        ("algorithm: adaboost\n    draw: {n_rounds: [5, many]}", "15:12", "numbers, not 'many'"),
        ("algorithm: adaboost\n    draw: {n_rounds: {integers: [0, 5]}}", "15:12", "finite, not 0"),
        ("algorithm: adaboost\n    grid: {n_rounds: '5'}", "15:12", "n_rounds takes numbers, not"),
    ],
)
def test_a_value_that_an_algorithm_does_not_take_is_named_with_its_place(
    small_config: Write, new: str, place: str, telling: str
) -> None:
    assert_refused(small_config(ADA, new), place, telling)


@pytest.mark.parametrize("line", ["inputs: voters", "noise: {deviation: 0.1}"])
def test_categories_are_refused_where_attributes_are_changed(edited: Write, line: str) -> None:
    own = "algorithm: sklearn:SVC\n    nominal: categories"
    assert_refused(edited({ADA: own, VIEW: f"{VIEW}  {line}\n"}), "16:5", "nominal")


def test_a_pipeline_is_called_by_its_steps_and_searched_by_its_parameters(
    small_config: Write,
) -> None:
    experiment = load_experiment(small_config(ADA, f"{PIPELINE}grid: {{svc__C: [1, 2]}}"))
    assert experiment.config.titles["ada"] == "StandardScaler + SVC"
    cell = make_plan(experiment).cells[-1]
    assert cell.grids[0].candidates == [{"svc__C": 1}, {"svc__C": 2}]
    assert cell.learner.task == "classification"


def test_a_row_can_change_the_parameters_of_an_estimator(edited: Write) -> None:
    row = "- {name: monks, settings: {svc__C: 7}}"
    cells = cells_of(edited({ADA: "pipeline: [StandardScaler, SVC]", "- monks": row}))
    settings = {cell.dataset: cell.content["settings"]["settings"] for cell in cells[1::2]}
    assert settings["monks"]["svc__C"] == 7
    assert "svc__C" not in settings["people"]


def test_a_module_beside_the_config_is_used_and_not_imported(small_config: Write) -> None:
    path = small_config(ADA, "algorithm: beside_the_config:make\n    settings: {kind: poly}")
    text = "from sklearn.svm import SVC\ndef make(kind): return SVC(kernel=kind)\n1 / 0\n"
    (path.parent / "beside_the_config.py").write_text(text)
    experiment = load_experiment(path)
    cell = make_plan(experiment).cells[-1]
    assert [name for name, _ in cell.learner.own_code] == ["beside_the_config"]
    assert str(path.parent) not in json.dumps(cell.content)
    assert cell.learner.task == "classification"
    assert experiment.code == ("beside_the_config.py",)
    assert "beside_the_config" not in sys.modules


def test_the_parameters_that_a_class_beside_the_config_declares_are_all(
    small_config: Write,
) -> None:
    path = small_config(ADA, "algorithm: beside_two:Own\n    grid: {sise: [1]}")
    (path.parent / "beside_two.py").write_text("class Own:\n    def __init__(self, size): ...")
    assert "no hyper-parameter 'sise'; did you mean 'size'" in refusal(path)
    path.write_text(path.read_text().replace("sise", "size"))
    assert cells_of(path)[-1].grids[0].candidates == [{"size": 1}]


def test_an_estimator_needs_no_grid_at_all(small_config: Write) -> None:
    path = small_config(ADA, "algorithm: sklearn:GaussianNB")
    assert cells_of(path)[-1].grids[0].candidates == [{}]


def test_a_regressor_is_refused_where_there_are_classes(small_config: Write) -> None:
    path = small_config(ADA, "algorithm: sklearn:Ridge")
    message = "monks has classes, but sklearn:Ridge predicts a number"
    assert_refused(path, "6:5", message, cells_of)


def test_a_classifier_is_refused_where_a_number_is_predicted(edited: Write) -> None:
    grid = "grid:\n      n_rounds: [10, 20]\n      lam: {from: 10, to: 1, points: 2}"
    first = {"name: quadboost-l2": "name: svm", grid: "algorithm: sklearn:SVC"}
    path = edited({**first, ADA: "algorithm: sklearn:SVC", "- monks": "- m1"})
    message = "the view of m1 predicts a number, but sklearn:SVC needs classes"
    assert_refused(path, "6:5", message, cells_of)


def test_what_tells_two_classes_apart_takes_more_but_is_not_measured_on_them(
    edited: Write,
) -> None:
    classes = {"- monks": "- {name: wine, view: {positive: null}}"}
    plan = make_plan(load_experiment(edited(classes)))
    assert plan.experiment.tasks["wine"] == "multiclass"
    assert all(cell.learner.against_rest("multiclass") for cell in plan.cells)
    assert not any(cell.learner.against_rest("classification") for cell in plan.cells)
    measured = {ADA: f"{ADA}\n    measures: [train_error]", VIEW: UNCHOSEN}
    message = "wine has more than two classes, of which train_error cannot be"
    assert_refused(edited({**classes, **measured}), "7:5", message, cells_of)


@pytest.mark.parametrize("own", [False, True])
def test_a_measure_of_classes_is_refused_where_a_number_is_predicted(
    edited: Write, own: bool
) -> None:
    grid = "grid:\n      n_rounds: [10, 20]\n      lam: {from: 10, to: 1, points: 2}"
    of_numbers = {"name: quadboost-l2": "name: ridge", grid: "algorithm: sklearn:Ridge"}
    measures = "measures: [train_mse, test_error]"
    ols = "algorithm: sklearn:LinearRegression" + f"\n    {measures}" * own
    view = UNCHOSEN + f"  {measures}\n" * (not own)
    path = edited({**of_numbers, ADA: ols, "- monks": "- m1", VIEW: view})
    message = (
        "the view of m1 predicts a number, but test_error measures classes: use train_mse or"
        " test_mse, or leave measures out"
    )
    assert_refused(path, f"{8 - own}:5", message, cells_of)


@pytest.mark.parametrize(
    ("protocol", "own", "place"),
    [
        ("  measures: [train_error, voters]\n", "", "15:5"),
        ("  measures: [train_error]\n", "\n    measures: [train_error, voters]", "17:5"),
    ],
)
def test_a_measure_of_voters_is_refused_of_a_learner_without_any(
    edited: Write, protocol: str, own: str, place: str
) -> None:
    path = edited({ADA: f"algorithm: sklearn:GaussianNB{own}", VIEW: UNCHOSEN + protocol})
    message = "sklearn:GaussianNB has no voters, which the measure voters needs: give it others"
    assert refusal(path) == f"{place}: {message}"


def test_a_rows_own_measures_are_refused_of_a_learner_without_voters(edited: Write) -> None:
    row = "- {name: monks, protocol: {folds: 0, measures: [massart]}}"
    path = edited({ADA: "algorithm: sklearn:GaussianNB", "- monks": row})
    assert_refused(path, "6:5", "GaussianNB has no voters, which the measure massart")


def test_a_learner_without_voters_can_have_measures_of_its_own(edited: Write) -> None:
    own = "algorithm: sklearn:GaussianNB\n    measures: [c_bound]"
    path = edited({ADA: own, VIEW: f"{UNCHOSEN}  measures: [voters, massart]\n"})
    kept = [cell.protocol.measures for cell in cells_of(path)[:2]]
    assert kept == [("voters", "massart"), ("c_bound",)]


def test_measures_are_refused_where_a_row_chooses(edited: Write) -> None:
    row = "- {name: monks, protocol: {folds: 5}}"
    path = edited({ADA: f"{ADA}\n    measures: [train_error]", VIEW: UNCHOSEN, "- monks": row})
    assert_refused(path, "7:5", "measures are kept only if nothing is chosen")


MEASURED = "\n    measures: [adaboost_exponential_bound]"
OF_EVERY_ROUND = {ADA: f"{ADA.replace('5', 'ROUNDS')}{MEASURED}", VIEW: UNCHOSEN}


@pytest.mark.parametrize(
    ("rounds", "row"),
    [
        ("{from: 1, to: 9, points: 9, scale: linear}", "- monks"),
        ("[1, 2, 3]", "- {name: monks, grid: {n_rounds: [1, 2]}}"),
    ],
)
def test_a_bound_that_counts_rounds_can_be_kept_of_every_round(
    edited: Write, rounds: str, row: str
) -> None:
    assert load_experiment(edited({**OF_EVERY_ROUND, "ROUNDS": rounds, "- monks": row}))


@pytest.mark.parametrize(
    ("rounds", "row", "place"),
    [
        ("[1, 2, 4]", "- monks", "17:5"),
        ("[2, 3]", "- monks", "17:5"),
        ("5", "- monks", "17:5"),
        ("[1, 2, 3]", "- {name: monks, grid: {n_rounds: [1, 10]}}", "7:5"),
    ],
)
def test_a_bound_that_counts_rounds_is_refused_where_some_are_left_out(
    edited: Write, rounds: str, row: str, place: str
) -> None:
    path = edited({**OF_EVERY_ROUND, "ROUNDS": rounds, "- monks": row})
    message = "adaboost_exponential_bound needs every round: give n_rounds as 1, 2, 3 ..., all"
    assert_refused(path, place, message)


def test_a_bound_that_counts_rounds_needs_one_value_of_all_else() -> None:
    for lam, wrong in (([1], False), ([2, 1], True)):
        l2 = entry(grid={"lam": lam, "n_rounds": [1, 2]}, measures=["quadboost_quadratic_bound"])
        protocol = Protocol(view="quadboost", folds=0)
        assert (l2.fault_of_measures(protocol, {}) is not None) == wrong


def completed(protocol: dict[str, Any], **fields: Any) -> dict[str, int]:
    """Return the numbers of values of the axes of an entry once default ones are added."""
    of = Protocol.model_validate({"view": "quadboost", **protocol})
    return {key: len(axis) for key, axis in entry(**fields).completed(of).grid.items()}


def test_hyperparameters_without_values_take_default_ones() -> None:
    assert completed({}) == {"n_rounds": 4, "lam": 5}
    assert completed({}, grid={"lam": [3, 2]}) == {"lam": 2, "n_rounds": 4}
    assert completed({}, draw={"lam": [3, 2]}) == {"n_rounds": 4}
    assert completed({}, draw={"lam": [3, 2]}, grid={"n_rounds": 7}) == {"n_rounds": 1}


def test_what_is_chosen_otherwise_or_may_be_left_out_takes_no_default_values() -> None:
    assert completed({"holdout": {}}, name="ebboost") == {"lam": 5}
    assert completed({"holdout": {}}, name="boosting") == {"n_rounds": 9}
    assert completed({}, name="cqboost") == {"mu": 5, "epsilon": 3}
    assert completed({}, name="rboosting", settings={"theory": True}) == {"n_rounds": 4}
    assert completed({}, name="sklearn:SVC") == {}


def test_a_config_can_name_an_algorithm_alone(small_config: Write) -> None:
    path = small_config(f"name: ada\n    {ADA}", "name: ada\n    algorithm: adaboost\n  - lpboost")
    config = load_experiment(path).config
    assert config.titles["lpboost"] == "LPBoost (10 stumps per attribute)"
    sizes = [len(a.make_grids(rng())[0].candidates) for a in config.algorithms]
    assert sizes == [4, 5, 10]


def test_default_values_can_be_swept_over(small_config: Write) -> None:
    sweep = "sweeps: [{over: grid.n_rounds, values: [5, 7]}]"
    path = small_config(f"name: ada\n    {ADA}", f"name: adaboost\n{sweep}")
    n_candidates = [c.n_candidates for c in cells_of(path) if c.algorithm == "adaboost"]
    assert n_candidates == [1] * 4


@pytest.mark.parametrize(
    ("voters", "message"),
    [
        ("StandardScalar", "scikit-learn has no estimator 'StandardScalar'; did you mean 'Stand"),
        ("my_voters:Mine", "unknown module 'my_voters'"),
        ("{PCA: {n_component: 2}}", "PCA has no parameter 'n_component'; did you mean 'n_comp"),
        ("SVC", "votes are over the outputs of a transformer: SVC is not one"),
        ("{PCA: {}, SVC: {}}", "a step must be the name of an estimator, or map its name to"),
    ],
)
def test_votes_over_what_is_not_a_transformer_are_refused(
    small_config: Write, voters: str, message: str
) -> None:
    path = small_config(VIEW, f"{VIEW}  voter_set: {voters}\n")
    assert_refused(path, "5:3", message)


def test_a_row_can_vote_over_another_transformer(small_config: Write) -> None:
    path = small_config(VIEW, f"{VIEW}  voter_set: {{PCA: {{n_components: 2}}}}\n")
    text = path.read_text()
    path.write_text(text.replace("as: people", "as: people, protocol: {voter_set: SVC}"))
    assert_refused(path, "8:44", "SVC is not one")
    path.write_text(text.replace("as: people", "as: people, protocol: {voter_set: MinMaxScaler}"))
    found = {cell.dataset: cell.protocol.voter_set for cell in cells_of(path)}
    assert found == {"people": "MinMaxScaler", "monks": {"PCA": {"n_components": 2}}}
