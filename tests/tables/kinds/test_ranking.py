from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError
from quadrepro.stats import corrected_t_test
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.ranking import (
    RANKING,
    Options,
    ranking_of,
    splits_of,
)
from tests.tables.conftest import CONFIG
from tests.tables.contexts import as_regression, asking_for, context_of, loaded

Make = Callable[..., Outcomes]
ONE = {"monks": (2, 1, 1), "titanic": (3, 4, 5), "wine": (1, 2, 0)}
TWO = {"monks": (3, 2, 3), "titanic": (3, 3, 5), "wine": (1, 1, 2)}


@pytest.fixture
def asked(experiment: Experiment) -> Context[Options]:
    return context_of(asking_for(experiment, ranking=True), "ranking")


def option(experiment: Experiment, value: Any) -> Options:
    found: Options = context_of(asking_for(experiment, ranking=value), "ranking").option
    return found


def test_true_stands_for_the_default_rope(experiment: Experiment) -> None:
    assert option(experiment, True) == option(experiment, {}) == Options(rope=0.01)
    assert option(experiment, {"rope": 0}).rope == 0
    for value, fault in (
        ({"rope": -1}, "rope must be"),
        ({"ropes": 1}, "did you mean 'rope'"),
        (False, "ranking must be a mapping"),
    ):
        with pytest.raises(ConfigError, match=fault):
            asking_for(experiment, ranking=value)


def test_mean_risks_are_ranked(asked: Context[Options], outcomes: Make) -> None:
    def ranks(*splits: dict[str, tuple[int, ...]]) -> dict[str, float]:
        found = ranking_of(asked, outcomes(*splits))
        assert found is not None
        assert found.rope == 0.01
        return dict(zip(found.methods, found.mean_ranks, strict=True))

    assert ranks(ONE) == pytest.approx(
        {"quadboost": (3 + 1 + 2) / 3, "lpboost": (1.5 + 2 + 3) / 3, "adaboost": (1.5 + 3 + 1) / 3}
    )
    # The means over two splits: 5, 3 and 4; 6, 7 and 10; 2, 3 and 2 of 20.
    assert ranks(ONE, TWO) == pytest.approx(
        {"quadboost": (3 + 1 + 1.5) / 3, "lpboost": (1 + 2 + 3) / 3, "adaboost": (2 + 3 + 1.5) / 3}
    )


def test_splits_are_compared_where_there_are_several(
    asked: Context[Options], outcomes: Make
) -> None:
    assert splits_of(outcomes(ONE)) == []
    found = splits_of(outcomes(ONE, TWO))
    assert [of.dataset for of in found] == list(ONE)
    # 10 test examples beside as many training examples.
    assert {of.test_share for of in found} == {0.5}
    assert [float(risk) for risk in found[0].risks["quadboost"]] == [0.2, 0.3]
    table = RANKING.table(asked, outcomes(ONE, TWO))
    assert table.header[-1] == "corrected t"
    assert len(table.data_rows) == 3 * (1 + 3)
    numbers = splits_of(as_regression(outcomes(ONE, TWO), "wine"))
    assert numbers[2].risks["lpboost"] == [0.5, 0.25]


def test_splits_that_test_every_example_are_not_compared(tmp_path: Path, outcomes: Make) -> None:
    tested = CONFIG.replace("{view: quadboost}", "{view: quadboost, folds: 0, split: {train: all}}")
    context = context_of(loaded(tmp_path, f"{tested}tables: {{ranking: true}}\n"), "ranking")
    found = replace(outcomes(ONE, TWO), test_shares=dict.fromkeys(ONE, 1.0))
    assert splits_of(found) == []
    assert RANKING.table(context, found).header[-1] != "corrected t"


def test_while_cells_are_missing_there_is_no_ranking_unless_their_rows_may_be_left_out(
    asked: Context[Options], outcomes: Make, tmp_path: Path
) -> None:
    gap = outcomes({**ONE, "monks": (2, None, 1)})
    table = RANKING.table(asked, gap)
    assert table.rows == ()
    assert table.notes == ("Ranking takes two algorithms without missing cells.",)
    RANKING.draw(asked, gap, tmp_path)
    assert (tmp_path / "ranking.svg").exists()
    found = RANKING.table(asked, replace(gap, allow_missing=True))
    whole = outcomes({name: errors for name, errors in ONE.items() if name != "monks"})
    assert found.data_rows == RANKING.table(asked, whole).data_rows
    assert found.notes[-1].startswith("Over the 2 of 3 data sets")


def test_the_notes_of_the_algorithms_stand_below(asked: Context[Options], outcomes: Make) -> None:
    assert "LPBoost: a departure." in RANKING.table(asked, outcomes(ONE)).notes


def test_the_figure_names_all_algorithms(
    asked: Context[Options], outcomes: Make, tmp_path: Path, figures: list[Figure]
) -> None:
    RANKING.draw(asked, outcomes(ONE), tmp_path)
    shown = " ".join(text.get_text() for text in figures[0].axes[0].texts)
    assert all(title in shown for title in ("QuadBoost", "LPBoost", "AdaBoost"))


@pytest.mark.parametrize(
    ("datasets", "algorithms"), [("[monks, wine]", 1), ("[monks]", 2), ("[monks, wine]", 2)]
)
def test_one_algorithm_or_one_data_set_is_refused(
    datasets: str, algorithms: int, tmp_path: Path
) -> None:
    entries = "".join(
        f"  - {{name: a{i}, algorithm: adaboost, grid: {{n_rounds: 5}}}}\n"
        for i in range(algorithms)
    )
    experiment = loaded(
        tmp_path,
        f"title: Small\nprotocol: {{view: quadboost}}\ndatasets: {datasets}\n"
        f"algorithms:\n{entries}baseline: false\ntables: {{ranking: true}}\n",
    )
    context = context_of(experiment, "ranking")
    if datasets == "[monks]" or algorithms == 1:
        with pytest.raises(ConfigError, match=r"config.yaml:.*at least two methods on at least"):
            RANKING.check(context)
    else:
        RANKING.check(context)


SPLITS = [{"monks": counts} for counts in ((1, 3, 7), (2, 2, 8), (1, 2, 7), (2, 3, 9), (1, 1, 8))]


def test_over_the_splits_of_one_data_set_only_the_corrected_test_decides(
    asked: Context[Options], outcomes: Make, tmp_path: Path, figures: list[Figure]
) -> None:
    found = outcomes(*SPLITS)
    table = RANKING.table(asked, found)
    assert [name for name, _ in table.rows] == [
        "QuadBoost – LPBoost",
        "QuadBoost – AdaBoost",
        "LPBoost – AdaBoost",
    ]
    risks = splits_of(found)[0].risks
    test = corrected_t_test(risks["quadboost"], risks["adaboost"], 0.5)
    row = dict(zip(table.data_header, table.data_rows[1], strict=True))
    assert (row["corrected t p"], row["mean difference"]) == (test.p_value, test.mean_difference)
    assert (row["mean rank"], row["mean rank against"]) == (1.2, 3.0)
    assert row["low"] < row["mean difference"] < row["high"] < 0
    assert [entries[1].mark for _, entries in table.rows] == ["", "*", "*"]
    text = " ".join((*table.header, *table.notes))
    assert not any(name in text for name in ("Nemenyi", "Wilcoxon", "Friedman"))
    RANKING.draw(asked, found, tmp_path)
    thick = [line for line in figures[0].axes[0].lines if line.get_linewidth() > 3]
    assert len(thick) == 1
    assert not any("CD" in text.get_text() for text in figures[0].axes[0].texts)
