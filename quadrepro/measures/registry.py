"""All measures by the names that configs give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from quadrepro import extensions
from quadrepro.measures.measure import Measure
from quadrepro.measures.trained import Trained

MEASURES: dict[str, Measure] = {
    "train_error": Measure("training error", "errors:train_error"),
    "train_error_positive_ties": Measure(
        "training error, ties positive", "errors:train_error_with_positive_ties"
    ),
    "test_error": Measure("test error", "errors:test_error"),
    "train_mse": Measure("training MSE", "errors:train_mse"),
    "test_mse": Measure("test MSE", "errors:test_mse"),
    "quadratic_risk": Measure("quadratic risk", "errors:quadratic_risk"),
    "clipped_quadratic_risk": Measure(
        "clipped quadratic risk", "bounds.quadboost:measured_clipped_risk"
    ),
    "voters": Measure("voters", "errors:voters", needs="voters", direction=None),
    "distinct_voters": Measure(
        "distinct voters", "voters:distinct_voters", needs="voters", direction=None
    ),
    "correlation_in_vote": Measure(
        "residual correlation of the vote's voters",
        "voters:correlation_in_vote",
        needs="voters",
        direction=None,
    ),
    "correlation_of_others": Measure(
        "of the best other voter", "voters:correlation_of_others", needs="voters", direction=None
    ),
    "c_bound": Measure("C-bound", "bounds.cbboost:measured_c_bound"),
    "test_c_bound": Measure("C-bound on test examples", "bounds.cbboost:measured_test_c_bound"),
    "cbboost_pac_bayes": Measure(
        "PAC-Bayesian bound", "bounds.cbboost:measured_pac_bayes", needs="voters"
    ),
    "cortes_margin_bound": Measure(
        "margin bound", "bounds.cbboost:measured_margin_bound", needs="voters", version=2
    ),
    "test_hoeffding_bound": Measure(
        "Hoeffding's bound on the risk", "bounds.concentration:measured_hoeffding_bound"
    ),
    "test_empirical_bernstein_bound": Measure(
        "empirical Bernstein bound on the risk",
        "bounds.concentration:measured_empirical_bernstein_bound",
    ),
    "test_bernstein_bound": Measure(
        "Bernstein's bound on the risk", "bounds.concentration:measured_bernstein_bound"
    ),
    "ebboost_corollary22": Measure(
        "Corollary 2.2", "bounds.ebboost:measured_corollary22", needs="voters"
    ),
    "ebboost_theorem25": Measure(
        "Theorem 2.5, 0-1 loss", "bounds.ebboost:measured_theorem25", needs="voters"
    ),
    "ebboost_theorem25_exponential": Measure(
        "Theorem 2.5, exponential loss",
        "bounds.ebboost:measured_exponential_theorem25",
        needs="voters",
    ),
    "adaboost_product_bound": Measure("Π 2 sqrt(ε(1-ε))", "bounds.adaboost:measured_product_bound"),
    "adaboost_exponential_bound": Measure(
        "exp(-2γ²T)", "bounds.adaboost:measured_exponential_bound", every_round=True
    ),
    "adaboost_rounds": Measure(
        "ln(2m)/(2γ²)", "bounds.adaboost:measured_rounds", needs="voters", direction=None
    ),
    "experts_rounds": Measure(
        "4 ln(m)/γ²", "bounds.hedge:measured_rounds", needs="voters", direction=None
    ),
    "weak_edge": Measure(
        "γ", "bounds.weak_learning:measured_edge", needs="voters", direction="higher"
    ),
    "quadboost_quadratic_bound": Measure(
        "1 - Tγ²", "bounds.quadboost_convergence:measured_quadratic_bound", every_round=True
    ),
    "quadboost_theorem1_p1": Measure(
        "Theorem 1, p = 1", "bounds.quadboost:measured_theorem1_p1", needs="voters", version=2
    ),
    "quadboost_theorem1_p2": Measure(
        "Theorem 1, p = 2", "bounds.quadboost:measured_theorem1_p2", needs="voters", version=2
    ),
    "quadboost_theorem1_pinf": Measure(
        "Theorem 1, p = ∞", "bounds.quadboost:measured_theorem1_pinf", needs="voters", version=2
    ),
    "quadboost_lemma1_p2": Measure(
        "Lemma 1, p = 2", "bounds.rademacher:measured_lemma1_p2", needs="voters", direction=None
    ),
    "quadboost_lemma1_pinf": Measure(
        "Lemma 1, p = ∞", "bounds.rademacher:measured_lemma1_pinf", needs="voters", direction=None
    ),
    "rademacher_complexity": Measure(
        "Rademacher complexity",
        "bounds.rademacher:measured_complexity",
        needs="voters",
        direction=None,
    ),
    "rademacher_complexity_upper": Measure(
        "with its confidence", "bounds.rademacher:measured_upper", needs="voters", direction=None
    ),
    "massart": Measure(
        "Massart's bound", "bounds.rademacher:measured_massart", needs="voters", direction=None
    ),
}
"""One entry per measure."""

RENAMED = {
    "theorem1_p1": "quadboost_theorem1_p1",
    "theorem1_p2": "quadboost_theorem1_p2",
    "theorem1_pinf": "quadboost_theorem1_pinf",
    "lemma1_p2": "quadboost_lemma1_p2",
    "lemma1_pinf": "quadboost_lemma1_pinf",
    "quadratic_bound": "quadboost_quadratic_bound",
    "product_bound": "adaboost_product_bound",
    "exponential_bound": "adaboost_exponential_bound",
    "pac_bayes": "cbboost_pac_bayes",
    "rademacher": "cortes_margin_bound",
    "complexity": "rademacher_complexity",
    "complexity_upper": "rademacher_complexity_upper",
}
"""Names that configs used before, and what they are called now."""


def find_measure(name: str) -> Measure:
    """Return a measure by its name.

    Raises
    ------
    KeyError
        If there is none; the message gives the nearest name, or the new one of an old name.
    ConfigError
        If an extension cannot be used.

    Examples
    --------
    >>> find_measure("c_bound").title
    'C-bound'
    """
    if name in RENAMED:
        raise KeyError(f"{name} is now called {RENAMED[name]}")
    return extensions.look_up("measures", name, MEASURES, Measure, "measure")


def title_of(name: str) -> str:
    """Return what tables and figures call a measure."""
    return find_measure(name).title


def measure(names: Sequence[str], trained: Trained) -> dict[str, list[float]]:
    """Measure every candidate of a path.

    Parameters
    ----------
    names : sequence of str
        Names of measures.
    trained : Trained
        The candidates; one without a solution has NaN scores and weights.

    Returns
    -------
    dict of str to list of float
        One number per candidate under each name; NaN for a candidate without a solution.
    """
    solved = np.asarray(~np.isnan(trained.scores).any(axis=1))
    of_solved = replace(
        trained,
        scores=trained.scores[solved],
        test_scores=trained.test_scores[solved],
        weights=None if trained.weights is None else trained.weights[solved],
    )
    found = {}
    for name in names:
        values = np.full(len(solved), np.nan)
        values[solved] = find_measure(name)(of_solved)
        found[name] = values.tolist()
    return found
