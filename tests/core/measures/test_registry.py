"""Every measure against its definition, on a small problem."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.greedy.quadboost import QuadBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.adaboost import (
    experts_rounds,
    least_edge,
    product_bound,
    rounds_to_zero_error,
)
from quadrepro.core.measures.cbboost import RHOS, c_bound, margin_bound, pac_bayes_bound
from quadrepro.core.measures.concentration import (
    bernstein_of_errors,
    empirical_bernstein,
    hoeffding,
)
from quadrepro.core.measures.ebboost import empirical_bernstein_of_class, finite_class
from quadrepro.core.measures.measure import (
    Trained,
    measure,
)
from quadrepro.core.measures.quadboost import (
    SIGN_VECTORS,
    clipped_quadratic_loss,
    empirical_rademacher,
    massart,
    risk_bound,
)
from quadrepro.core.measures.registry import MEASURES, title_of

Make = Callable[..., tuple[FloatArray, FloatArray]]
Train = Callable[..., Trained]

EVERY_ROUND = [name for name, entry in MEASURES.items() if entry.every_round]


def measured(name: str, trained: Trained) -> list[float]:
    return measure({name: MEASURES[name]}, trained)[name]


def test_importing_the_registry_imports_no_solver_no_learner_and_no_theory() -> None:
    code = (
        "import sys, quadrepro.core.measures.registry as registry\n"
        "heavy = ('scipy', 'highspy', 'sklearn', 'pandas', 'quadrepro.core.learners')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_measure_imports_its_own_theory_alone() -> None:
    code = (
        "import sys, numpy as np\n"
        "from quadrepro.core.measures.measure import Trained, measure\n"
        "from quadrepro.core.measures.registry import MEASURES\n"
        "one = np.ones((1, 2))\n"
        "asked = {name: MEASURES[name] for name in ('c_bound', 'train_error')}\n"
        "measure(asked, Trained(one[0], one[0], one, one))\n"
        "theories = sorted(n for n in sys.modules if n.startswith('quadrepro.core.measures.'))\n"
        "print(theories, 'highspy' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == (
        "['quadrepro.core.measures.cbboost', 'quadrepro.core.measures.concentration', "
        "'quadrepro.core.measures.measure', 'quadrepro.core.measures.registry'] False"
    )


@pytest.mark.parametrize("name", MEASURES)
def test_every_entry_names_a_function_of_what_was_trained(name: str) -> None:
    signature = inspect.signature(MEASURES[name].function)
    assert [p.annotation for p in signature.parameters.values()] == ["Trained"]
    assert signature.return_annotation == "FloatArray"


def test_no_two_measures_have_the_same_title_or_function() -> None:
    assert len({entry.title for entry in MEASURES.values()}) == len(MEASURES)
    assert len({entry.function for entry in MEASURES.values()}) == len(MEASURES)


def test_a_measure_is_found_by_its_name_and_titled() -> None:
    assert MEASURES.find("c_bound") is MEASURES["c_bound"]
    assert title_of("c_bound") == "C-bound"


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(KeyError, match=r"unknown measure 'c_bond'; did you mean 'c_bound'\?"):
        MEASURES.find("c_bond")


def test_bounds_are_those_of_normalised_margins_and_all_voters(trained: Trained) -> None:
    margins, weights = trained.margins, trained.votes
    expected = {
        "c_bound": c_bound(margins),
        "test_c_bound": c_bound(trained.test_margins),
        "cbboost_pac_bayes": pac_bayes_bound(margins, weights),
        "cortes_margin_bound": margin_bound(margins, 3, RHOS),
        "massart": [massart(3, 4)] * 4,
        "clipped_quadratic_risk": clipped_quadratic_loss(trained.plain_margins),
    }
    for name, values in expected.items():
        assert measured(name, trained) == pytest.approx(list(values))
    assert measured("c_bound", trained) == pytest.approx([1, 0, 1, 1 - 0.2**2 / 0.68])
    assert measured("clipped_quadratic_risk", trained) == pytest.approx(
        [1, 0.25, 1, (1 + 0.25**2) / 2]
    )


def test_concentration_bounds_are_of_the_test_errors(train: Train) -> None:
    one = np.array([[1.0, 0, 0]])
    trained = replace(
        train(one),
        y_test=np.array([1.0, 1, 1, -1, 1]),
        test_scores=np.array([[1.0, -1, 1, 1, 1]]),
    )
    # Two of five are wrong: the variance with n - 1 is 0.3.
    assert measured("test_hoeffding_bound", trained) == pytest.approx([hoeffding(0.4, 5, 0.05)])
    assert measured("test_empirical_bernstein_bound", trained) == pytest.approx(
        [empirical_bernstein(0.4, 0.3, 5, 0.05)]
    )
    assert measured("test_bernstein_bound", trained) == pytest.approx(
        [float(bernstein_of_errors(0.4, 5, 0.05))]
    )


def test_bounds_for_all_votes_are_of_the_training_losses_and_the_votes_sizes(
    trained: Trained,
) -> None:
    # No voter, one, two and two; a margin of 0 is an error with both labels.
    n, sizes, wrong = 4, [1, 1, 2, 2], trained.margins <= 1e-12
    assert wrong.mean(axis=0).tolist() == [1, 0, 1, 0.5]
    exponential = np.exp(-trained.margins) / np.e
    for i, s in enumerate(sizes):
        choices, share = math.comb(3, s), s * (s + 1)
        error, variance = wrong[:, i].mean(), wrong[:, i].var(ddof=1)
        finite = np.log(choices * 2.0 ** (64 * s) * share)
        assert measured("ebboost_corollary22", trained)[i] == pytest.approx(
            float(finite_class(error, n, finite))
        )
        ways = np.log(choices * sum(math.comb(8, k) for k in range(s + 1)) * share)
        assert measured("ebboost_theorem25", trained)[i] == pytest.approx(
            float(empirical_bernstein_of_class(error, variance, n, ways))
        )
        loss = exponential[:, i]
        near = np.log(choices * 9.0**s * share)
        assert measured("ebboost_theorem25_exponential", trained)[i] == pytest.approx(
            np.e * float(empirical_bernstein_of_class(loss.mean(), loss.var(ddof=1), n, near))
        )


@pytest.mark.parametrize(("name", "p"), [("p1", 1), ("p2", 2), ("pinf", np.inf)])
def test_theorem_1_takes_the_plain_quadratic_risk_and_the_upper_complexity(
    name: str, p: float, trained: Trained
) -> None:
    losses = ((1 - trained.plain_margins) ** 2).mean(axis=0)
    found = measured(f"quadboost_theorem1_{name}", trained)
    mean, deviation = complexity(trained)
    for weights, loss, value in zip(trained.votes, losses, found, strict=True):
        n, norm = np.count_nonzero(weights), np.linalg.norm(weights, ord=p)
        bound = risk_bound(loss, n, norm, p=p, m=4, complexity=mean + deviation)
        assert value == pytest.approx(float(bound.total))


def complexity(trained: Trained) -> tuple[float, float]:
    return empirical_rademacher(trained.voters, SIGN_VECTORS, trained.rng("signs"))


def test_the_complexity_is_one_of_the_voters_with_the_splits_own_signs(trained: Trained) -> None:
    mean, confidence = complexity(trained)
    assert measured("rademacher_complexity", trained) == [mean] * 4
    assert measured("rademacher_complexity_upper", trained) == [mean + confidence] * 4


@pytest.mark.parametrize("name", ["p2", "pinf"])
def test_lemma_1s_ratio_is_one_and_an_empty_vote_has_none(name: str, trained: Trained) -> None:
    found = measured(f"quadboost_lemma1_{name}", trained)
    assert np.isnan(found[0])
    assert found[1:] == pytest.approx([1, 1, 1])


def path_of(learner: AdaBoost | QuadBoost, make: Make) -> Trained:
    """Return what 30 rounds leave."""
    H, y = make(80, 10, seed=1)
    path = learner.path(H, y, Grid.of({"n_rounds": list(range(1, 31))}))
    return Trained(y, y, path @ H.T, path @ H.T, H, path)


def test_adaboosts_bounds_hold_round_by_round_and_are_those_of_the_smallest_edge(
    make_problem: Make,
) -> None:
    found = path_of(AdaBoost(), make_problem)
    product = measured("adaboost_product_bound", found)
    exponential = measured("adaboost_exponential_bound", found)
    plain = found.plain_margins
    assert product == pytest.approx(np.exp(-plain).mean(axis=0).tolist())
    assert product == pytest.approx(product_bound(plain).tolist())
    # A round with edge γ multiplies the exponential loss by sqrt(1 - 4γ²).
    factors = np.array(product) / np.array([1.0, *product[:-1]])
    gamma = np.minimum.accumulate(0.5 * np.sqrt(1 - factors**2))
    assert exponential == pytest.approx(np.exp(-2 * gamma**2 * np.arange(1, 31)).tolist())
    errors = np.array(measured("train_error", found))
    assert (errors <= np.array(product) + 1e-12).all()
    assert (np.array(product) <= np.array(exponential) + 1e-12).all()


def test_quadboosts_bound_holds_and_is_that_of_the_smallest_correlation(make_problem: Make) -> None:
    found = path_of(QuadBoost(), make_problem)
    risks = np.array(measured("quadratic_risk", found))
    gamma = np.minimum.accumulate(np.sqrt(-np.diff(risks, prepend=1.0)))
    bound = 1 - np.arange(1, 31) * gamma**2
    assert measured("quadboost_quadratic_bound", found) == pytest.approx(bound.tolist())
    assert (risks <= bound + 1e-12).all()


def test_the_weak_edge_is_one_number_for_all_candidates(trained: Trained) -> None:
    edge = least_edge(trained.voters, trained.y)
    assert measured("weak_edge", trained) == [edge] * 4 == [pytest.approx(0.5)] * 4


def test_the_lectures_rounds_are_those_of_the_edge_and_unknown_without_one(train: Train) -> None:
    trained = train()
    for name, rounds in (
        ("adaboost_rounds", rounds_to_zero_error(4, 0.5)),
        ("experts_rounds", experts_rounds(0.5, 4)),
    ):
        assert measured(name, trained) == [rounds] * 4
        assert np.isnan(measured(name, replace(trained, H=np.ones((4, 3))))).all()


@pytest.mark.parametrize("name", MEASURES)
def test_a_candidate_without_a_solution_is_nan_and_leaves_the_others_as_they_are(
    name: str, train: Train
) -> None:
    weights = train().votes[: 2 if name in EVERY_ROUND else 4]
    gap = np.insert(weights, 1, np.nan, axis=0)
    found, plain = measured(name, train(gap)), measured(name, train(weights))
    assert np.isnan(found[1])
    np.testing.assert_array_equal([found[0], *found[2:]], plain)


@pytest.mark.parametrize("name", MEASURES)
def test_scores_alone_can_be_measured_by_all_that_needs_no_voters(name: str, train: Train) -> None:
    alone = replace(train(train().votes[1:2]), H=None, weights=None)
    if MEASURES[name].needs_votes:
        with pytest.raises(ValueError, match="the learner has none"):
            measured(name, alone)
    else:
        assert np.isfinite(measured(name, alone)).all()


def test_a_number_is_plain_and_there_is_one_per_candidate(trained: Trained) -> None:
    names = ["train_error", "voters", "massart"]
    found = measure({name: MEASURES[name] for name in names}, trained)
    assert list(found) == names
    assert all(type(value) is float for values in found.values() for value in values)
    assert {len(values) for values in found.values()} == {4}
