from __future__ import annotations

from collections import Counter

from quadrepro.api import prepare
from quadrepro.proof.certificate import Certificate
from quadrepro.proof.survey import HEADERS, Survey, sample, survey, tolerances
from tests.proof.solved import computed

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
