"""EBBoost: the exponential loss with a penalty on its variance (Shivaswamy and Jebara 2010).

Let w be the weights of n examples, e_i = w_i exp(-α y_i h(x_i)) their losses, and I and J the sets
of examples that a voter classifies correctly and wrongly. Algorithm 2 minimises over voters and α

    (Σ e)² + λ Σ_{i>j} (e_i - e_j)² = (1-λ) (Σ e)² + λ n Σ e²
                                    = N_I exp(-2α) + N_J exp(2α) + 2 (1-λ) W_I W_J,

where W = Σ w, Q = Σ w² and N = (1-λ) W² + λ n Q over each set. Hence α = ¼ ln(N_I / N_J). At
α = 0 all voters have the same objective, and the minimum is lower by (√N_I - √N_J)². The voter for
which this decrease is largest is picked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.greedy.adaboost import UNITS, ExampleWeights, WeightBoosting
from quadrepro.core.learners.greedy.loop import Rule, Step
from quadrepro.core.learners.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.voters.source import VoterSource

LAM = Hyperparameter("lam", "number", "large", "price λ of the variance", zero=True, largest=1e6)


class SquaredWeights(ExampleWeights):
    """Example weights that are summed together with their squares.

    Squares enter sums as whole numbers, too. Their unit is the power of two above the largest
    weight, so that they add up to no more than the weights do.

    Parameters
    ----------
    source : VoterSource
        The candidates of each round.
    copies : ndarray of shape (n_trajectories, n_examples)
        How often the sample of each trajectory contains each example.
    """

    absorbs = False

    def __init__(self, source: VoterSource, copies: FloatArray) -> None:
        self._n = copies.sum(axis=1, keepdims=True)
        self._tanh = np.zeros(len(copies))
        super().__init__(source, copies)

    def _allocate(self) -> None:
        super()._allocate()
        rows, n_voters = self._sums.shape
        self._stack = np.empty((2, *self.example_weights.shape))
        self._units = self._stack[0]
        self._stacked_sums = np.empty((2, rows, n_voters))
        self._sides = np.empty((2, 2, rows, n_voters))

    def least_penalised(self, lam: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the voter of least penalised loss among voters and complements, and tanh α.

        Parameters
        ----------
        lam : ndarray of shape (n_trajectories,)
            λ.

        Returns
        -------
        picks : ndarray of int, shape (n_trajectories,)
            The voters.
        tanhs : ndarray of shape (n_trajectories,)
            tanh α; negative if the complement is picked, 0 if no candidate has α > 0.
        """
        totals, scale = self._sum_up()
        # AdaBoost's tolerance, in proportion to the root of the objective at α = 0.
        spread = (scale * totals[1] * (0.5 / UNITS**2) - 1.0)[:, 0] * lam
        ties = 2.0 * self._tie * np.sqrt(np.maximum(spread + 1.0, 1.0))
        picks, tanhs = self._least(totals, scale, lam, ties)
        self._edges = self._stacked_sums[0].reshape(-1)[self._offsets + picks] / totals[0, :, 0]
        self._tanh = tanhs
        return picks, tanhs

    def _least(
        self, totals: FloatArray, scale: FloatArray, lam: FloatArray, ties: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """Return the first voter within a tie of the least penalised loss, and tanh α."""
        # 2W over the sets I and J, and then 4N = 4 (W² + λ (nQ - W²)).
        np.add(totals, self._stacked_sums, out=self._sides[:, 0])
        np.subtract(totals, self._stacked_sums, out=self._sides[:, 1])
        doubled, roots = self._sides
        roots *= scale
        doubled *= doubled
        roots -= doubled
        # nQ is never below W², but rounded squares may be.
        np.maximum(roots, 0.0, out=roots)
        roots *= lam[:, None]
        roots += doubled
        np.sqrt(roots, out=roots)
        differences, sizes = doubled
        np.subtract(roots[0], roots[1], out=differences)
        if self._source.complements:
            np.abs(differences, out=sizes)
        else:
            np.maximum(differences, 0.0, out=differences)
            np.copyto(sizes, differences)
        picks = (sizes >= sizes.max(axis=1, keepdims=True) - ties[:, None]).argmax(axis=1)
        at = self._offsets + picks
        both = roots[0].reshape(-1)[at] + roots[1].reshape(-1)[at]
        return picks, differences.reshape(-1)[at] / both

    def _sum_up(self) -> tuple[FloatArray, FloatArray]:
        """Compute the sums; return the totals of weights and squares, and 2n units of squares."""
        units, squares = self._stack
        np.multiply(self.example_weights, self.example_weights, out=squares)
        exponents = np.frexp(self.example_weights.max(axis=1, keepdims=True))[1]
        square_unit = np.ldexp(1.0, exponents)
        squares /= square_unit
        self._count(self.example_weights, units)
        self._count(squares, squares)
        rows, n_voters = self._sums.shape
        self._source.sums(
            self._stack.reshape(2 * rows, -1), self._stacked_sums.reshape(2 * rows, n_voters)
        )
        return (self._stack @ self._ones)[:, :, None], 2.0 * self._n * square_unit

    def advance(self, step: Step) -> None:
        """Multiply by exp(-α y h) / Z, which is (1 - τ y h) / (1 - τ r) with τ = tanh α, edge r."""
        tanh, edges = self._tanh, self._edges
        # At λ = 0, where τ = r, these divisors are AdaBoost's 1 ± r to the last bit.
        right = 1.0 + tanh * ((1.0 - edges) / (1.0 - tanh))
        wrong = 1.0 - tanh * ((1.0 + edges) / (1.0 + tanh))
        signs = self._units
        self._source.signs(step.picks, signs)
        self._lifted /= np.where(signs > 0, right[:, None], wrong[:, None])
        # A step is not bounded by the edge here, so a weight may fall by any factor in a round.
        self._lift(every=1)

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        self._n, self._tanh = self._n[rows], self._tanh[rows]
        super().keep(rows)


@dataclass(frozen=True)
class EBBoostRule(Rule[SquaredWeights]):
    """α = ¼ ln(N_I / N_J) for the voter of least penalised loss (algorithm 2).

    A voter without error ends the run, with a weight that outweighs all others. A tanh α of at most
    `NO_EDGE` adds no weight, and ends the run unless the next round has other voters.

    Attributes
    ----------
    value : ndarray of shape (n_trajectories,)
        λ.
    """

    value: FloatArray

    def step(self, state: SquaredWeights) -> Step:
        """Pick the voter of least penalised loss."""
        return state.step_to(*state.least_penalised(self.value))


@dataclass(frozen=True)
class EBBoost(WeightBoosting[SquaredWeights]):
    """EBBoost, with hyper-parameters λ and the number of rounds; λ = 0 is AdaBoost."""

    version = 4
    kernels = ("voters.random_stumps_compiled",)
    hyperparameters = (LAM, N_ROUNDS)

    def weights(self, source: VoterSource, copies: FloatArray) -> SquaredWeights:
        """Return the initial example weights, which are equal."""
        return SquaredWeights(source, copies)

    def rule(self, values: FloatArray) -> EBBoostRule:
        """Return the rule for one λ per trajectory."""
        return EBBoostRule(values)


EBBOOST = Entry(
    EBBoost,
    "EBBoost",
    "Shivaswamy and Jebara 2010, algorithm 2",
    {"lam": {"from": 100, "to": 0.01, "points": 5}, "n_rounds": [10, 100, 1000]},
)
