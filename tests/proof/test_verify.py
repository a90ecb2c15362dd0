from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from quadrepro.api import prepare
from quadrepro.base.types import Targets
from quadrepro.config.config import load_mapping
from quadrepro.config.plan import make_plan
from quadrepro.core.cell import Choice
from quadrepro.core.learners.learner import Losses
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.engine.records import Record, pack_codes, pack_margins, pack_numbers, pack_scores
from quadrepro.engine.workers import run_cell
from quadrepro.proof.certificate import Certificate, Rounds
from quadrepro.proof.verify import HEADERS, Survey, sample, survey, tolerances, verify_cell
from tests.proof.solved import CASES, OF_CLASSES, REFITTED, computed

ALL = Rounds()


def with_predictions(record: Record, predicted: Targets) -> Record:
    errors = int((predicted != record.actual_targets()).sum())
    return replace(record, errors=errors, predicted=pack_codes(predicted, 2))


def faults(name: str, record: Record) -> list[str]:
    return verify_cell(computed(name)[0], record, ALL).faults


@pytest.mark.parametrize("name", CASES)
def test_the_record_of_every_algorithm_is_verified(name: str) -> None:
    certificate = verify_cell(*computed(name), ALL)
    assert certificate.faults == []
    assert certificate.worst or name in REFITTED


def test_no_algorithm_is_left_out() -> None:
    assert set(ALGORITHMS) <= {case.algorithm for case in CASES.values()}


def test_a_false_class_is_found_among_more() -> None:
    name = "adaboost, more classes"
    record = computed(name)[1]
    predicted = record.predicted_targets()
    predicted[0] = (predicted[0] + 1) % 3
    errors = int((predicted != record.actual_targets()).sum())
    found = faults(name, replace(record, errors=errors, predicted=pack_codes(predicted, 3)))
    assert found[-1] == "other classes are predicted than in the record"


@pytest.mark.parametrize("name", ["adaboost", "boosting, classes", "lpboost, more classes"])
def test_a_false_score_is_found(name: str) -> None:
    record = computed(name)[1]
    scores = record.decision_scores()
    assert scores is not None
    scores[3] -= 1e-3 * np.abs(scores).max()
    found = faults(name, replace(record, scores=pack_scores(scores)))
    assert found == ["other scores than in the record"]


def test_false_targets_are_found() -> None:
    for name, false in (("ridge", 1e-6), ("adaboost, more classes", 0)):
        record = computed(name)[1]
        if record.classes:
            turned = pack_codes(record.predicted_targets(), 3)
        else:
            turned = pack_numbers(record.actual_targets() + false)
        assert "other targets than in the record" in faults(name, replace(record, actual=turned))


def test_a_false_number_is_found() -> None:
    record = computed("ridge")[1]
    predicted = record.predicted_targets()
    predicted[0] += 1e-6
    found = faults("ridge", replace(record, predicted=pack_numbers(predicted)))
    assert found == ["predictions are off by 1e-06"]


NAMES = ["adaboost", "adaboost, drawn", "lpboost", "boosting, classes", "forest"]


@pytest.mark.parametrize("name", NAMES)
def test_a_count_that_is_off_by_one_is_found(name: str) -> None:
    record = computed(name)[1]
    predicted = record.predicted_targets()
    predicted[0] = 1 - predicted[0]
    false = with_predictions(record, predicted)
    assert any("test examples are wrong, but" in fault for fault in faults(name, false))


@pytest.mark.parametrize("name", NAMES)
def test_other_examples_of_the_same_number_are_found(name: str) -> None:
    record = computed(name)[1]
    wrong, predicted = record.wrong_examples(), record.predicted_targets()
    places = [wrong.argmax(), wrong.argmin()]
    predicted[places] = 1 - predicted[places]
    found = faults(name, with_predictions(record, predicted))
    assert found == ["other classes are predicted than in the record"]


OTHERS = ["rlp-boost", "ridge", "boosting, numbers", "tree, more classes", *OF_CLASSES]


@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_a_false_loss_of_the_choice_is_found(name: str) -> None:
    record = computed(name)[1]
    [found] = faults(name, replace(record, cv_errors=record.cv_errors + 1))
    assert found.startswith("the loss of the choice is")


CHOOSING = [
    *("ebboost", "quadboost-l1", "lpboost, leaves", "lpboost", "rlp-boost"),
    *("mincq-on-cb-boost", "cqboost", "abr, drawn", "rqp-boost, drawn"),
    *("rboosting, classes", "rboosting, numbers", "samme", "forest", "ridge", "tree, more classes"),
    *("adaboost, more classes", "mincq, more classes", "gentle-adaboost, more classes"),
    *("boosting, more classes", "ebboost, drawn, more classes"),
]
"""One case for each way to predict folds or held-out examples."""


@pytest.mark.parametrize("name", CHOOSING)
def test_a_choice_that_is_not_the_first_of_least_loss_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def worst(losses: Losses) -> Choice:
        values = losses.values
        last = len(values) - 1 - int(np.nan_to_num(values, nan=-1.0)[::-1].argmax())
        return Choice(losses.fit(last), float(values[last]), values)

    cell, honest = computed(name)
    monkeypatch.setattr("quadrepro.core.cell.least", worst)
    record = run_cell(cell)
    found = verify_cell(cell, record, ALL).faults
    assert any("and the choice" in fault for fault in found) == (record.chosen != honest.chosen)


def test_a_sample_of_other_candidates_is_drawn() -> None:
    drawn = Rounds(np.random.default_rng(0)).rivals(100, 7)
    assert len(drawn) == 4
    assert 7 not in drawn
    assert Rounds().rivals(5, 2) == [0, 1, 3, 4]


def test_a_false_rmse_is_found() -> None:
    record = computed("ridge")[1]
    assert record.rmse is not None
    [found] = faults("ridge", replace(record, rmse=record.rmse * (1 + 1e-6)))
    assert found.startswith("the RMSE is")


def test_a_false_number_of_test_examples_is_found() -> None:
    record = computed("ridge")[1]
    found = faults("ridge", replace(record, n_test=record.n_test + 1))
    assert found == [f"there are {record.n_test} test examples"]


def test_a_false_margin_is_found() -> None:
    record = computed("adaboost, drawn")[1]
    margins = record.training_margins()
    margins[3] += 1e-5
    [found] = faults("adaboost, drawn", replace(record, margins=pack_margins(margins)))
    assert found == "margins of training examples are off by 1e-05"


def test_another_number_of_rounds_is_found() -> None:
    record = computed("adaboost, drawn")[1]
    chosen = record.chosen | {"n_rounds": record.chosen["n_rounds"] + 1}
    [found] = faults("adaboost, drawn", replace(record, chosen=chosen))
    assert found.startswith("training again leads to {'n_rounds'")


def test_a_sample_of_rounds_is_checked() -> None:
    cell, record = computed("adaboost, wine")
    sampled = verify_cell(cell, record, Rounds(np.random.default_rng(0)))
    assert sampled.n_rounds == 32
    assert sampled.faults == []


IN_TIME = {
    "title": "In time",
    "baseline": False,
    "repeats": 2,
    "protocol": {"view": "quadboost", "folds": 3, "split": {"time": "jacket_color"}},
    "datasets": ["monks"],
    "algorithms": [
        {"name": "adaboost", "grid": {"n_rounds": [1, 5]}},
        {
            "name": "tree",
            "algorithm": "sklearn:DecisionTreeClassifier",
            "grid": {"max_depth": [1, 3]},
        },
    ],
}


def test_folds_in_the_order_of_time_are_verified() -> None:
    for cell in make_plan(load_mapping(IN_TIME)).cells:
        record = run_cell(cell)
        assert record.ok, record.message
        assert verify_cell(cell, record, ALL).faults == []
        [found] = verify_cell(cell, replace(record, cv_errors=record.cv_errors + 1), ALL).faults
        assert found.startswith("the loss of the choice is")


CONFIG = {
    "title": "Some cells",
    "baseline": False,
    "repeats": 6,
    "protocol": {"view": "quadboost"},
    "datasets": ["monks", "wine"],
    "algorithms": [{"name": name, "grid": {"n_rounds": 3}} for name in ("quadboost", "adaboost")],
}


def test_a_sample_has_three_cells_of_each_algorithm_in_their_order() -> None:
    cells = prepare(CONFIG, offline=True).cells
    some = sample(cells, 0)
    assert Counter(cell.algorithm for cell in some) == {"quadboost": 3, "adaboost": 3}
    assert some == [cell for cell in cells if cell in some]
    assert some == sample(cells, 0)
    assert some != sample(cells, 1)


def test_a_survey_adds_up_the_cells_of_an_algorithm() -> None:
    cell, record = computed("adaboost")
    [found] = survey([cell, cell], lambda _: record, None)
    assert (found.algorithm, found.n_cells) == ("it", 2)
    assert found.found.n_rounds == 2 * record.chosen["n_rounds"]
    assert found.line()[-1] == "verified"


def test_a_line_has_a_dash_where_there_was_nothing_to_check() -> None:
    line = Survey("ada", 2, Certificate(worst={"gap": 1e-9}, faults=["it"])).line()
    assert line == ("ada", "2", "-", "-", "-", "-", "-", "1.0e-09", "FAILED")
    assert len(line) == len(HEADERS) == len(tolerances())
