"""The measures by name; each declares its entry in its own file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quadrepro.base.registry import Registry

if TYPE_CHECKING:
    from quadrepro.core.measures.measure import Measure

MEASURES: Registry[Measure] = Registry(
    "measure",
    {
        "train_error": "measure:TRAIN_ERROR",
        "train_error_positive_ties": "measure:TRAIN_ERROR_POSITIVE_TIES",
        "test_error": "measure:TEST_ERROR",
        "train_mse": "measure:TRAIN_MSE",
        "test_mse": "measure:TEST_MSE",
        "quadratic_risk": "measure:QUADRATIC_RISK",
        "clipped_quadratic_risk": "quadboost:CLIPPED_QUADRATIC_RISK",
        "voters": "measure:VOTERS",
        "distinct_voters": "measure:DISTINCT_VOTERS",
        "correlation_in_vote": "measure:CORRELATION_IN_VOTE",
        "correlation_of_others": "measure:CORRELATION_OF_OTHERS",
        "c_bound": "cbboost:C_BOUND",
        "test_c_bound": "cbboost:TEST_C_BOUND",
        "cbboost_pac_bayes": "cbboost:CBBOOST_PAC_BAYES",
        "cortes_margin_bound": "cbboost:CORTES_MARGIN_BOUND",
        "test_hoeffding_bound": "concentration:TEST_HOEFFDING_BOUND",
        "test_empirical_bernstein_bound": "concentration:TEST_EMPIRICAL_BERNSTEIN_BOUND",
        "test_bernstein_bound": "concentration:TEST_BERNSTEIN_BOUND",
        "ebboost_corollary22": "ebboost:EBBOOST_COROLLARY22",
        "ebboost_theorem25": "ebboost:EBBOOST_THEOREM25",
        "ebboost_theorem25_exponential": "ebboost:EBBOOST_THEOREM25_EXPONENTIAL",
        "adaboost_product_bound": "adaboost:ADABOOST_PRODUCT_BOUND",
        "adaboost_exponential_bound": "adaboost:ADABOOST_EXPONENTIAL_BOUND",
        "adaboost_rounds": "adaboost:ADABOOST_ROUNDS",
        "experts_rounds": "adaboost:EXPERTS_ROUNDS",
        "weak_edge": "adaboost:WEAK_EDGE",
        "quadboost_quadratic_bound": "quadboost:QUADBOOST_QUADRATIC_BOUND",
        "quadboost_theorem1_p1": "quadboost:QUADBOOST_THEOREM1_P1",
        "quadboost_theorem1_p2": "quadboost:QUADBOOST_THEOREM1_P2",
        "quadboost_theorem1_pinf": "quadboost:QUADBOOST_THEOREM1_PINF",
        "quadboost_lemma1_p2": "quadboost:QUADBOOST_LEMMA1_P2",
        "quadboost_lemma1_pinf": "quadboost:QUADBOOST_LEMMA1_PINF",
        "rademacher_complexity": "quadboost:RADEMACHER_COMPLEXITY",
        "rademacher_complexity_upper": "quadboost:RADEMACHER_COMPLEXITY_UPPER",
        "massart": "quadboost:MASSART",
    },
    "quadrepro.core.measures",
)


def title_of(name: str) -> str:
    """Return what tables and figures call a measure."""
    return MEASURES.find(name).title
