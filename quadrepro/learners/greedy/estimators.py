"""The greedy algorithms as scikit-learn classifiers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Literal

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.base import GreedyAlgorithm
from quadrepro.learners.estimators import VoteClassifier, Voters, check_candidate
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.adaboost_reg import AdaBoostReg
from quadrepro.learners.greedy.ebboost import EBBoost
from quadrepro.learners.greedy.loop import Checkpoints, Trace
from quadrepro.learners.greedy.quadboost import QuadBoost, QuadBoostL1, QuadBoostL2, QuadBoostLInf
from quadrepro.voters.reduction import reduce_problem

UNTIL_CONVERGED = 100_000
"""Largest number of rounds where a person gives none."""


class GreedyClassifier(VoteClassifier):
    """A vote that the greedy loop finds."""

    @abstractmethod
    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        """Return the algorithm, its hyper-parameter (nan without one) and the rounds."""

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        algorithm, value, n_rounds = self._algorithm()
        problem = reduce_problem(H, y, merge_voters=algorithm.merges_voters)
        end, trace = Checkpoints([n_rounds], 1, problem.H.shape[1]), Trace()
        algorithm.run(problem, np.array([value]), n_rounds, [end, trace])
        self._picks = problem.representatives[trace.picks]
        self._steps = np.array(trace.weights)
        return problem.expand(end.path[0, 0])

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        votes = np.zeros(len(H))
        for pick, step in zip(self._picks, self._steps, strict=True):
            votes += step * H[:, pick]
            yield votes.copy()


class QuadBoostClassifier(GreedyClassifier):
    """QuadBoost: greedy minimisation of the regularised quadratic risk (QuadBoost, section 3).

    Parameters
    ----------
    norm : {None, "l1", "l2", "linf"}, default None
        Norm of the voter weights that is regularised.
    lam : float, default 0.01
        λ of the L1 and L2 norms.
    alpha_max : float, default 0.01
        Bound of a weight set by one round, for the L∞ norm.
    n_rounds : int or None, default None
        Number of rounds; None runs until steps vanish, at most 100,000 rounds.
    reweight : bool, default False
        Set the weight of a voter already in the vote anew instead of adding to it (section 3.1).
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    """

    def __init__(
        self,
        norm: Literal["l1", "l2", "linf"] | None = None,
        *,
        lam: float = 0.01,
        alpha_max: float = 0.01,
        n_rounds: int | None = None,
        reweight: bool = False,
        voters: Voters = None,
    ) -> None:
        self.norm = norm
        self.lam = lam
        self.alpha_max = alpha_max
        self.n_rounds = n_rounds
        self.reweight = reweight
        self.voters = voters

    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        n_rounds = UNTIL_CONVERGED if self.n_rounds is None else self.n_rounds
        check_candidate(QuadBoost(), n_rounds=n_rounds)
        algorithm: QuadBoost
        if self.norm is None:
            return QuadBoost(self.reweight), np.nan, n_rounds
        if self.norm == "linf":
            algorithm = QuadBoostLInf(self.reweight)
            check_candidate(algorithm, alpha_max=self.alpha_max)
            return algorithm, self.alpha_max, n_rounds
        if self.norm not in ("l1", "l2"):
            raise ValueError(f"norm must be None, 'l1', 'l2' or 'linf', not {self.norm!r}")
        algorithm = (QuadBoostL1 if self.norm == "l1" else QuadBoostL2)(self.reweight)
        check_candidate(algorithm, lam=self.lam)
        return algorithm, self.lam, n_rounds


class AdaBoostClassifier(GreedyClassifier):
    """AdaBoost (lecture, section 4), with the weight ½ ln((1-ε)/ε).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds; fewer are run where a voter has no error or none has an edge.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    def __init__(self, n_rounds: int = 100, *, voters: Voters = None) -> None:
        self.n_rounds = n_rounds
        self.voters = voters

    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        algorithm = AdaBoost()
        check_candidate(algorithm, n_rounds=self.n_rounds)
        return algorithm, np.nan, self.n_rounds


class EBBoostClassifier(GreedyClassifier):
    """EBBoost: the exponential loss with a price on its variance (Shivaswamy and Jebara 2010).

    Parameters
    ----------
    lam : float, default 0.1
        Price λ of the variance; 0 is AdaBoost.
    n_rounds : int, default 100
        Number of rounds; fewer are run where a voter has no error or none has an edge.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    def __init__(self, lam: float = 0.1, *, n_rounds: int = 100, voters: Voters = None) -> None:
        self.lam = lam
        self.n_rounds = n_rounds
        self.voters = voters

    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        algorithm = EBBoost()
        check_candidate(algorithm, lam=self.lam, n_rounds=self.n_rounds)
        return algorithm, self.lam, self.n_rounds


class AdaBoostRegClassifier(GreedyClassifier):
    """AdaBoost_REG: margins softened by influence (Raetsch, Onoda and Mueller 2001).

    Parameters
    ----------
    C : float, default 100.0
        How much influence softens a margin; 0 is AdaBoost.
    power : {1, 2}, default 2
        Power to which influences are raised.
    n_rounds : int, default 100
        Number of rounds; fewer are run where a voter has no error or a step none or no end.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    def __init__(
        self,
        C: float = 100.0,
        *,
        power: Literal[1, 2] = 2,
        n_rounds: int = 100,
        voters: Voters = None,
    ) -> None:
        self.C = C
        self.power = power
        self.n_rounds = n_rounds
        self.voters = voters

    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        if self.power not in (1, 2):
            raise ValueError(f"power must be 1 or 2, not {self.power!r}")
        algorithm = AdaBoostReg(self.power)
        check_candidate(algorithm, C=self.C, n_rounds=self.n_rounds)
        return algorithm, self.C, self.n_rounds
