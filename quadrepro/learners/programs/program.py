"""What all programs share: their solution, their failure, and how HiGHS is set up."""

from __future__ import annotations

from dataclasses import dataclass

import highspy

from quadrepro._typing import FloatArray

FEASIBILITY = 1e-9
"""HiGHS's own tolerance on primal and dual feasibility."""


class SolverError(RuntimeError):
    """The solver ended without an optimal solution."""


@dataclass(frozen=True)
class ProgramSolution:
    """An optimal solution over given voters.

    Attributes
    ----------
    voter_weights : ndarray of shape (n_added,)
        Weights of the voters in the order in which they were given; signed in LPBoost.
    example_weights : ndarray of shape (n_examples,)
        Dual weights; all copies of an example together.
    primal, dual : float
        The two objectives, each computed from its own variables.
    status : str
        The solver's word for how it ended.
    """

    voter_weights: FloatArray
    example_weights: FloatArray
    primal: float
    dual: float
    status: str

    @property
    def gap(self) -> float:
        """Relative duality gap."""
        return abs(self.primal - self.dual) / max(1.0, abs(self.dual))


def highs(**options: bool | int | float | str) -> highspy.Highs:
    """Return a silent solver on one thread that keeps its basis, with further options of HiGHS."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    settings: dict[str, bool | int | float | str] = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "primal_feasibility_tolerance": FEASIBILITY,
        "dual_feasibility_tolerance": FEASIBILITY,
    }
    for name, value in (settings | options).items():
        solver.setOptionValue(name, value)
    return solver
