"""Tools of the algorithms that solve programs: PIQP, errors, and limits on the mean margin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from piqp.piqp_python import DenseSolver, SparseSolver
from scipy.sparse import csc_matrix

from quadrepro.base.types import FloatArray
from quadrepro.core.training.grid import Hyperparameter

# `piqp.DenseSolver` is from the build for this processor, and the last bits of builds differ.


PRECISION = 1e-11
"""Relative residual at which PIQP ends."""

RESIDUAL = 1e-8
"""Largest relative residual of a solution; rounding may prevent `PRECISION`."""

ROUNDING = 1e-12
"""Relative excess of μ over the largest feasible one, a rounded sum, that is accepted."""

MU = Hyperparameter("mu", "number", "large", "mean margin of the vote", smallest=1e-9)


class SolverError(ValueError):
    """The solver ended without an optimal solution."""


def solve_box_program(P: FloatArray, a: FloatArray, b: float, most: FloatArray) -> FloatArray:
    """Return the x with a'x = b and |x| <= most that minimises x'Px/2.

    Parameters
    ----------
    P : ndarray of shape (n, n)
        Positive semidefinite, in Fortran's order.
    a, most : ndarray of shape (n,)
        Factors of the constraint, and bounds.
    b : float
        Value of a'x.

    Raises
    ------
    SolverError
        If the primal residual, the dual one or the duality gap is above `RESIDUAL`, each relative
        to its largest term or to 1.
    """
    solver = DenseSolver()
    # With scaling, PIQP stalls if voters are linearly dependent.
    solver.settings.preconditioner_iter = 0
    x = _solved(solver, P, np.zeros(len(P)), a[None], np.array([b]), x_l=-most, x_u=most)
    return np.clip(x, -most, most)


def solve_sparse_program(
    P: csc_matrix, c: FloatArray, G: csc_matrix, least: FloatArray
) -> FloatArray:
    """Return the x >= 0 that minimises x'Px/2 + c'x such that Gx >= least.

    Parameters
    ----------
    P : sparse matrix of shape (n, n)
        Positive semidefinite.
    c : ndarray of shape (n,)
        Linear term.
    G : sparse matrix of shape (n_constraints, n)
        Constraints.
    least : ndarray of shape (n_constraints,)
        Their lower bounds.

    Raises
    ------
    SolverError
        As `solve_box_program` does.
    """
    x = _solved(SparseSolver(), P, c, G=G, h_l=least, x_l=np.zeros(len(c)))
    return np.maximum(0.0, x)


def _solved(solver: DenseSolver | SparseSolver, *terms: Any, **bounds: Any) -> FloatArray:
    for name in ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"):
        setattr(solver.settings, name, PRECISION)
    solver.setup(*terms, **bounds)
    status, info = solver.solve(), solver.result.info
    residual = max(info.primal_res_rel, info.dual_res_rel, info.duality_gap_rel)
    if not residual <= RESIDUAL:
        raise SolverError(f"PIQP ended as {status} with a residual of {residual:.1g}")
    return np.asarray(solver.result.x)


def feasible(mu: float, largest: float) -> bool:
    """Return whether μ is at most the largest feasible one, up to rounding."""
    return mu <= largest * (1 + ROUNDING)


def mu_limit(largest: FloatArray) -> str:
    """Return the largest feasible μ in a sentence, rounded down so that it can be used.

    Parameters
    ----------
    largest : ndarray of shape (n_samples,)
        The largest μ that each sample allows.
    """
    smallest = float(largest.min())
    if not smallest > 0:
        return "no voter is right more or less often than wrong: no mu above 0 is feasible"
    unit = 10.0 ** (math.floor(math.log10(smallest)) - 2)
    rounded = math.floor(smallest / unit) * unit
    where = " on the smallest of these samples" if len(largest) > 1 else ""
    return f"mu can be at most {rounded:.3g}{where}"
