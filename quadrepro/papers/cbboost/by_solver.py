"""CqBoost with the costs that the paper states: a generic solver for every master."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.programs.cqboost import CqBoost
from quadrepro.core.learners.programs.program import SolverError, feasible
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.papers.cbboost.by_passes import Plain, sums_over_examples

ACCURACY = 1e-9
"""Tolerance of the solver; edges that differ by less are equal."""


@dataclass(frozen=True)
class CqBoostBySolver(Plain, CqBoost):
    """CqBoost over the margins g of all examples, for comparisons of running times.

    Each round gives the whole program to PIQP, over the voters and complements M added so far::

        min  g'g/m    s.t.  g = diag(y) M q,  mean(g) >= mu,  sum q = 1,  q >= 0

    Its cost grows with the number of examples, as the paper states it. The votes are those of
    `CqBoost` up to the accuracy of the solver.
    """

    uses_gram = False
    kernels: ClassVar[tuple[str, ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ("scipy", "piqp")

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values, epsilons = grid.axis("mu") or (), grid.axis("epsilon") or ()
        rounds = grid.axis("n_rounds") or (np.inf,)
        shape = problem.n_samples, len(values), len(epsilons), len(rounds), problem.n_voters
        paths = np.full(shape, np.nan)
        for path, counts in zip(paths, problem.counts, strict=True):
            held = np.repeat(np.arange(len(counts)), counts.astype(np.intp))
            signed = problem.H[held] * problem.y[held, None]
            for part, mu in zip(path, values, strict=True):
                waiting = np.ones(part.shape[:2], dtype=np.bool_)
                with suppress(SolverError):
                    for t, (weights, excess) in enumerate(_rounds(signed, mu), 1):
                        ends = (excess <= np.array(epsilons))[:, None] | (t >= np.array(rounds))
                        part[waiting & ends] = weights
                        waiting &= ~ends
                        if not waiting.any():
                            break
        return grid.flatten(paths, ("mu", "epsilon", "n_rounds"))


def _rounds(signed: FloatArray, mu: float) -> Iterator[tuple[FloatArray, float]]:
    """Yield the vote after each round, and by how much the largest edge left is above ν."""
    m, n = signed.shape
    edges = sums_over_examples(signed, np.full(m, 1 / m))
    if not feasible(mu, float(np.abs(edges).max())):
        return
    added, signs = np.zeros(0, dtype=np.intp), np.zeros(0)
    allowed, slack = np.ones(2 * n, dtype=np.bool_), ACCURACY
    while True:
        both = np.where(allowed, np.concatenate([edges, -edges]), -np.inf)
        best = int((both >= both.max() - slack).argmax())
        allowed[best] = False
        added = np.append(added, best % n)
        signs = np.append(signs, 1.0 if best < n else -1.0)
        q, beta = _solve(signed[:, added] * signs, mu)
        weights = np.zeros(n)
        np.add.at(weights, added, signs * q)
        margins = signed @ weights
        edges = sums_over_examples(signed, (beta - 2 * margins) / m)
        left = np.concatenate([edges, -edges]).max(where=allowed, initial=-np.inf)
        slack, excess = ACCURACY * max(1.0, beta), float(left - (signs * edges[added]).max())
        yield weights, excess if excess > slack else 0.0
        if not excess > slack:
            return


def _solve(margins: FloatArray, mu: float) -> tuple[FloatArray, float]:
    """Return the weights q of some voters with given margins, and β of the mean margin."""
    import piqp
    from scipy import sparse

    m, t = margins.shape
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = ACCURACY
    quadratic = sparse.diags(np.repeat([0.0, 2 / m], [t, m]), format="csc")
    of_margins = sparse.hstack([margins, -sparse.eye(m)])
    of_sum = sparse.csr_matrix(np.repeat([[1.0, 0.0]], [t, m], axis=1))
    of_mean = sparse.csc_matrix(np.repeat([[0.0, 1 / m]], [t, m], axis=1))
    solver.setup(
        quadratic,
        np.zeros(t + m),
        sparse.vstack([of_margins, of_sum], format="csc"),
        np.repeat([0.0, 1.0], [m, 1]),
        of_mean,
        np.array([mu]),
        None,
        np.repeat([0.0, -np.inf], [t, m]),
        None,
    )
    status = solver.solve()
    if status != piqp.PIQP_SOLVED:
        raise SolverError(f"CqBoost's program over {t} voters ended as {str(status)!r}")
    return np.clip(solver.result.x[:t], 0.0, None), float(solver.result.z_l[0])


CQBOOST = Entry(
    CqBoostBySolver,
    "CqBoost by a solver",
    "Bauvin et al. 2020, figure 1",
    {"mu": {"from": 0.3, "to": 0.03, "points": 5}, "epsilon": [1e-2]},
)
