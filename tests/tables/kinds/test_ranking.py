"""Algorithms ranked over data sets."""

from __future__ import annotations

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.errors import ConfigError
from quadrepro.stats import rank_methods
from quadrepro.tables.made import check_tables
from tests.make import config
from tests.tables.contexts import ONE, asking_for, made, outcomes_of, table_of


@pytest.fixture
def asked(experiment: Experiment) -> Experiment:
    return asking_for(experiment, ranking={"rope": 0.05})


def test_pairs_have_the_numbers_of_the_ranking_of_mean_risks(asked: Experiment) -> None:
    more = {"monks": (3, 2, 3), "titanic": (3, 3, 5), "wine": (1, 1, 2)}
    found = outcomes_of(ONE, more)
    table = table_of(asked, "ranking", found)
    risks = {c: [found.mean(row, c) or 0.0 for row in found.rows] for c in found.columns}
    ranking = rank_methods(risks, 0.05)
    for pair, row in zip(ranking.pairs, table.data_rows, strict=True):
        numbers = dict(zip(table.data_header, row, strict=True))
        assert (numbers["method"], numbers["against"]) == (pair.a, pair.b)
        assert numbers["nemenyi p"] == pair.nemenyi_p
        assert numbers["wilcoxon p Holm"] == pair.wilcoxon_p_holm
        assert numbers["shift"] == pair.shift.estimate
        assert numbers["same"] == pair.posterior.same
    assert table.notes[0].startswith("The lower the risk, the better. Mean ranks over 3 data sets")
    assert "LPBoost: a departure." in table.notes


def test_a_missing_cell_allows_no_ranking(asked: Experiment) -> None:
    gap = outcomes_of({**ONE, "monks": (2, None, 1)})
    nothing = made(asked, "ranking", gap)
    assert nothing.table.rows == ()
    assert nothing.draw is None


@pytest.mark.parametrize(
    ("datasets", "algorithms", "message"),
    [
        (["monks", "wine"], ["adaboost"], "at least two methods on at least"),
        (["monks"], ["adaboost", "quadboost"], "comparisons tests the splits of one"),
    ],
)
def test_one_algorithm_or_one_data_set_is_refused(
    datasets: list[str], algorithms: list[str], message: str
) -> None:
    ranking = {"tables": {"ranking": True}}
    experiment = load_mapping(config(datasets=datasets, algorithms=algorithms, **ranking))
    with pytest.raises(ConfigError, match=rf"config\['tables'\].*{message}"):
        check_tables(experiment)
