"""The code and the packages that the result of a cell depends on, for its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadrepro.base.code import code_hash, own_modules, versions_of
from quadrepro.base.plugins import distribution_of
from quadrepro.core.cell import Cell
from quadrepro.core.learners.learner import Learner
from quadrepro.core.measures.measure import find_measure
from quadrepro.core.voters.registry import find_voter_set


def made_by(cell: Cell) -> dict[str, Any]:
    """Return the hash of the code and the versions that a cell depends on, in this process."""
    return makers(cell.learner, cell.protocol.measures, cell.protocol.named_voters[0])


def makers(learner: Learner, measures: Sequence[str], voter_set: str = "") -> dict[str, Any]:
    """Return what a key says of the code and the packages that a result depends on.

    Parameters
    ----------
    learner : Learner
        The algorithm.
    measures : sequence of str
        Names of what is measured of every candidate.
    voter_set : str, default ""
        Name of the voter set, if the protocol names one.

    Returns
    -------
    dict
        A hash as ``code``, and versions as ``packages``.
    """
    modules, packages = [*learner.modules], ["numpy", *learner.packages]
    named = [type(learner).__module__, *(find_measure(name).module for name in measures)]
    if voter_set:
        modules.append("quadrepro.core.learners.voter_sets")
        packages.append("scikit-learn")
        named.append(find_voter_set(voter_set).module)
    others = [name for name in named if not name.startswith("quadrepro.")]
    added = {name: found for name in others if (found := distribution_of(name))}
    modules += [*named, *own_modules(added)]
    packages += added.values()
    return {"code": code_hash(tuple(modules), learner.own_code), "packages": versions_of(packages)}
