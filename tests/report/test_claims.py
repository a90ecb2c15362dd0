from __future__ import annotations

from collections.abc import Callable

import pytest

from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import Published, read_published
from quadrepro.report.claims import CLAIMS, Risks, claims_table
from quadrepro.report.kinds.risks import TIME_ROW
from quadrepro.report.outcomes import Outcomes
from tests.report.contexts import asking_for

Make = Callable[..., Outcomes]
TABLE = read_published("quadboost-table1")
ROWS = tuple(row for row in TABLE.rows if row != TIME_ROW)


def printed() -> Risks:
    return Risks(
        ROWS,
        {c: [float(TABLE.text(r, c)) for r in ROWS] for c in TABLE.columns},
        {c: float(TABLE.text(TIME_ROW, c)) for c in TABLE.columns},
    )


@pytest.mark.parametrize(
    ("position", "numbers", "holds"),
    [
        (0, "17 of 25 (15 wins, 2 ties)", True),
        (1, "16 of 25 (11 wins, 5 ties)", True),
        (2, "p = 0.057", False),
        (3, "p = 0.238", False),
        (4, "p = 0.096", False),
        (5, "QuadBoost-L∞ over QuadBoost-L1 (p = 0.035)", False),
        (6, "20.4 times as fast", True),
        (7, "20.3 times as fast", True),
    ],
)
def test_the_printed_table_gives_each_claim_its_known_judgement(
    position: int, numbers: str, holds: bool
) -> None:
    text, judgement = CLAIMS["quadboost"][position].judge(printed())
    assert numbers in text
    assert judgement is holds


def test_the_printed_table_has_other_significant_pairs_than_claimed() -> None:
    text, _ = CLAIMS["quadboost"][5].judge(printed())
    for pair in ("over QuadBoost-L1 (p = 0.035)", "over LPBoost (p = 0.012)"):
        assert f"QuadBoost-L∞ {pair}" in text
    assert "QuadBoost-L∞ over AdaBoost (p = 0.011)" in text


def test_other_data_sets_than_the_papers_are_not_comparable(
    experiment: Experiment, outcomes: Make, published: Published
) -> None:
    one = {"monks": (2, 1, 1), "titanic": (3, 4, 5)}
    claimed = asking_for(experiment, claims="quadboost")
    table = claims_table(claimed, outcomes(one), read_published(""))
    assert all(entries[1].ours == "not comparable" for _, entries in table.rows)


def test_repeats_say_on_how_many_splits_a_claim_holds(
    experiment: Experiment, outcomes: Make, published: Published
) -> None:
    good = {"monks": (1, 1, 2), "titanic": (1, 1, 2), "wine": (1, 1, 2)}
    bad = {"monks": (2, 1, 1), "titanic": (2, 1, 1), "wine": (2, 1, 1)}
    claimed = asking_for(experiment, claims="quadboost")
    table = claims_table(claimed, outcomes(good, bad), published)
    assert table.rows[0][1][1].ours == "holds on 0 of 2 splits"
