"""The claims of CB-Boost's text, a group for each table or figure; its tables are not at hand."""

from __future__ import annotations

from typing import Any

from quadrepro.config.loading import Experiment
from quadrepro.report.cbboost_judges import (
    ADABOOST,
    BAGGING,
    CB,
    CQBOOST,
    FOREST,
    GB,
    GRADIENT,
    LABELS,
    MINCQ,
    ON_CB,
    Swept,
    as_sparse,
    best_on_test,
    better_than_mincq_from,
    competitive_with_both,
    equivalent,
    faster,
    frequently_worse,
    lower_c_bound,
    lowest_mean,
    no_better,
    robust,
    slower_at_first,
    small_gap,
)
from quadrepro.report.claim import Claim, own_table
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Table


def cbboost_table(experiment: Experiment, outcomes: Outcomes) -> Table:
    """Return the claims of one table or figure, judged on our cells."""
    swept = Swept(**vars(outcomes), points=experiment.config.rows)
    claims = CBBOOST_CLAIMS[experiment.config.tables["claims"]]
    note = "The paper's own numbers are not at hand, so its claims are judged on ours alone."
    return own_table(experiment, claims, swept, (note,))


CBBOOST_CLAIMS: dict[str, tuple[Claim[Any], ...]] = {
    "cbboost-table2": (
        Claim(
            "CB-Boost is competitive with both quadratic programs on 11 of 13 data sets",
            (MINCQ, CQBOOST, CB),
            competitive_with_both(11),
        ),
        Claim(
            "CB-Boost has the best mean on 3 of 13", (MINCQ, CQBOOST, GB, CB), lowest_mean(CB, 3)
        ),
        Claim(
            "MinCq has the best loss on nearly all data sets (10 of 13 are asked for here)",
            (MINCQ, CQBOOST, GB, CB),
            lowest_mean(MINCQ, 10),
        ),
        Claim(
            "GB-CB-Boost is no significant improvement on CB-Boost (sign test)",
            (GB, CB),
            no_better(GB, CB),
        ),
    ),
    "cbboost-figure1": (
        Claim(
            "AdaBoost, CB-Boost and GB-CB-Boost are far faster than MinCq and CqBoost",
            (ADABOOST, CB, GB, MINCQ, CQBOOST),
            faster((ADABOOST, CB, GB), (MINCQ, CQBOOST)),
            timed=True,
        ),
        Claim(
            "CB-Boost is constantly faster than AdaBoost",
            (CB, ADABOOST),
            faster((CB,), (ADABOOST,)),
            timed=True,
        ),
        Claim(
            "CB-Boost is constantly faster than GB-CB-Boost",
            (CB, GB),
            faster((CB,), (GB,)),
            timed=True,
        ),
    ),
    "cbboost-figure2": (
        Claim(
            "CB-Boost converges less quickly than AdaBoost and CqBoost on the training set",
            (CB, ADABOOST, CQBOOST),
            slower_at_first,
            measures=("train_error",),
        ),
        Claim(
            "CB-Boost is the best on the test set",
            (CB, GB, ADABOOST, CQBOOST, MINCQ),
            best_on_test,
            measures=("test_error",),
        ),
        Claim(
            "CqBoost and CB-Boost are better than MinCq on the test set from the 30th voter",
            (CB, CQBOOST, MINCQ),
            better_than_mincq_from(30),
            measures=("test_error",),
        ),
        Claim(
            "CB-Boost and GB-CB-Boost are equally sparse",
            (CB, GB),
            as_sparse,
            measures=("voters",),
        ),
    ),
    "cbboost-figure3": (
        Claim(
            "CB-Boost loses at most 2.5% against AdaBoost, ionosphere's first four levels aside",
            (CB, ADABOOST),
            robust,
        ),
    ),
    "cbboost-figure4": (
        *(
            Claim(
                f"CB-Boost and {LABELS[other]} are equivalent (sign test)",
                (CB, other),
                equivalent(other),
            )
            for other in (ADABOOST, FOREST, GRADIENT)
        ),
        Claim(
            "Bagging is frequently worse than CB-Boost (on more than half of the splits)",
            (CB, BAGGING),
            frequently_worse(BAGGING),
        ),
    ),
    "cbboost-figure5": (
        Claim(
            "MinCq on CB-Boost's voters has the lower C-bound at every round",
            (CB, ON_CB),
            lower_c_bound,
            measures=("c_bound",),
        ),
        Claim(
            "That hardly matters for the training error of the first 30 rounds (1 point)",
            (CB, ON_CB),
            small_gap("train_error", 30, 1.0),
            measures=("train_error",),
        ),
        Claim(
            "nor for the test error of the first 80 (1 point)",
            (CB, ON_CB),
            small_gap("test_error", 80, 1.0),
            measures=("test_error",),
        ),
    ),
}
