from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.loading import Experiment, load_experiment
from quadrepro.papers.printed import Printed
from quadrepro.report.kinds import requested
from quadrepro.report.kinds.verdicts import VERDICTS, verdicts_table
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Table
from quadrepro.stats import placement
from tests.report.contexts import as_regression, context_of

Make = Callable[..., Outcomes]
ONE = {"monks": (2, 1, 1), "titanic": (3, 4, 5), "wine": (1, 2, 0)}


def verdicts_of(experiment: Experiment, printed: Printed, outcomes: Outcomes) -> Table:
    return verdicts_table(context_of(experiment, "verdicts", printed), outcomes)


def test_verdicts_count_what_lies_inside(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    repeats = [ONE, {**ONE, "monks": (3, 1, 1)}, {**ONE, "monks": (1, 1, 1)}]
    table = verdicts_of(experiment, published, outcomes(*repeats))
    assert "Inside that interval: 8 of 9." in table.notes[1]
    outside = [row for row in table.data_rows if row[-1] == "outside"]
    assert [row[:3] for row in outside] == [("wine", "adaboost", 0.3)]


def test_a_printed_rmse_has_its_verdict(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    repeats = [{**ONE, "monks": (n, 1, 1)} for n in (1, 2, 3)]
    found = as_regression(outcomes(*repeats), "monks")
    rows = {row[:2]: row for row in verdicts_of(experiment, published, found).data_rows}
    assert rows["monks", "quadboost"][3] == pytest.approx(0.5)
    assert rows["monks", "lpboost"][2:4] == (0.1, pytest.approx(0.25))
    assert rows["monks", "lpboost"][-1] == "outside"


def test_an_entry_is_the_share_of_our_splits_below_the_printed_risk(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    repeats = [{**ONE, "monks": (n, 1, 1)} for n in (1, 2, 3, 4)]
    table = verdicts_of(experiment, published, outcomes(*repeats))
    assert [e.ours + e.mark for e in table.rows[0][1]] == ["0.38", "0.50", "0.50"]
    assert [e.ours + e.mark for e in table.rows[2][1]] == ["0.50", "0.50", "1.00†"]
    assert [e.verdict for e in table.rows[2][1]] == ["inside", "inside", "outside"]
    placed = placement([0.1, 0.2, 0.3, 0.4], 0.2, 0.0005)
    assert table.data_rows[0] == (
        "monks",
        "quadboost",
        0.2,
        0.25,
        placed.sd,
        placed.quantile,
        placed.low,
        placed.high,
        "inside",
    )


def test_what_is_not_printed_or_was_computed_once_has_no_verdict(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    cells = {place: text for place, text in published.cells.items() if place[1] != "lpboost"}
    printed = Printed("two", published.columns, cells)
    lost = {**ONE, "monks": (None, 1, 1)}
    table = verdicts_of(experiment, printed, outcomes(ONE, lost))
    assert [e.ours for e in table.rows[0][1]] == ["–", "–", "0.50"]
    assert len(table.data_rows) == 5


def test_a_verdict_over_some_splits_has_their_exact_mean(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    repeats = [{**ONE, "monks": (n, 1, 1)} for n in (1, None, 2, 3)]
    table = verdicts_of(experiment, published, outcomes(*repeats))
    assert table.data_rows[0][3] == 0.2


@pytest.mark.parametrize(
    ("repeats", "tables", "written"),
    [
        (2, "{risks: table1}", True),
        (1, "{risks: table1}", False),
        (2, "{}", False),
    ],
)
def test_verdicts_are_written_with_several_splits_and_printed_risks(
    tmp_path: Path, repeats: int, tables: str, written: bool
) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(
        f"title: One\nrepeats: {repeats}\nprotocol: {{view: quadboost}}\ndatasets: [monks]\n"
        f"algorithms: [{{name: adaboost, grid: {{n_rounds: 5}}}}]\n"
        f"paper: quadboost\ntables: {tables}\n"
    )
    [request] = [r for r in requested(load_experiment(path)) if r.kind is VERDICTS]
    assert request.kind.written(request.context) is written
