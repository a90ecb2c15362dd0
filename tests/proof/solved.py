"""Small cells of every algorithm, computed and solved once more."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from quadrepro.api import prepare
from quadrepro.core.cell import Cell, training_data
from quadrepro.engine.records import Record
from quadrepro.engine.workers import run_cell
from quadrepro.proof.certificate import Certificate, Rounds
from quadrepro.proof.solution import ExaminedCell, Solution, solve

FOLDS = {"view": "quadboost", "folds": 3, "stumps_per_attribute": 4}
DRAWN = {"view": "quadboost", "holdout": {"patience": 15, "stumps": {"per_round": 30}}}
LAGGED = {
    "view": "quadboost",
    "holdout": {"lag": 10, "take": "last", "stumps": {"per_round": 30, "polarity": "random"}},
}
NUMBERS = {
    "view": "default",
    "normalise": "none",
    "sample": {"train": 80, "valid": 60, "test": 50},
    "holdout": {},
}
REGRESSION = {"name": "m2", "parameters": {"sigma": 0.3}}


@dataclass(frozen=True)
class Case:
    """A cell: an algorithm with its grid and settings, a protocol and a data set."""

    algorithm: str
    grid: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    protocol: dict[str, Any] = field(default_factory=lambda: FOLDS)
    dataset: Any = "monks"

    def planned(self) -> Cell:
        config: dict[str, Any] = {
            "title": "Case",
            "baseline": False,
            "seed": 3,
            "protocol": self.protocol,
            "datasets": [self.dataset],
            "algorithms": [
                {"name": "it", "algorithm": self.algorithm, "settings": self.settings}
                | ({"grid": self.grid} if self.grid else {})
            ],
        }
        [cell] = prepare(config, offline=True).cells
        return cell


ROUNDS = {"n_rounds": [5, 30]}
GREEDY = {
    "adaboost": Case("adaboost", ROUNDS),
    "adaboost, wine": Case("adaboost", {"n_rounds": 3000}, dataset="wine"),
    "ebboost": Case("ebboost", {"lam": [3, 0.3], **ROUNDS}),
    "abr": Case("abr", {"C": [30, 3], **ROUNDS}),
    "abr, power 1": Case("abr", {"C": [30, 3], **ROUNDS}, {"power": 1}),
    "hedge": Case("hedge", {"eta": [0.05, 0.2], **ROUNDS}),
    "quadboost": Case("quadboost", ROUNDS),
    "quadboost-l1": Case("quadboost-l1", {"lam": [0.02, 0.01]}),
    "quadboost-l2": Case("quadboost-l2", {"lam": [3, 1], **ROUNDS}),
    "quadboost-linf": Case("quadboost-linf", {"alpha_max": [0.01, 0.1], **ROUNDS}),
    "quadboost-l1, again": Case("quadboost-l1", {"lam": [0.02, 0.01]}, {"reweight": True}),
    "quadboost-l2, again": Case("quadboost-l2", {"lam": [3, 1], **ROUNDS}, {"reweight": True}),
    "quadboost-linf, again": Case(
        "quadboost-linf", {"alpha_max": [0.01, 0.1], **ROUNDS}, {"reweight": True}
    ),
    "quadboost-l2, by correlation": Case(
        "quadboost-l2", {"lam": [3, 1], **ROUNDS}, {"selection": "correlation"}
    ),
    "cb-boost": Case("cb-boost", ROUNDS),
    "cb-boost, once": Case("cb-boost", {"n_rounds": 6}, {"allow_repeats": False}, dataset="wine"),
    "cb-boost, again": Case("cb-boost", {"n_rounds": 60}, {"reweight": True}, dataset="wine"),
    "gb-cb-boost": Case("gb-cb-boost", {"n_rounds": 6}, dataset="wine"),
}
OVER_DRAWN = {
    "adaboost, drawn": Case("adaboost", {}, {}, DRAWN, "tictactoe"),
    "adaboost, lagged": Case("adaboost", {}, {}, LAGGED, "tictactoe"),
    "ebboost, drawn": Case("ebboost", {"lam": [3, 0.3]}, {}, DRAWN, "tictactoe"),
    "abr, drawn": Case("abr", {"C": [30, 3]}, {}, LAGGED, "tictactoe"),
    "hedge, drawn": Case("hedge", {"eta": [0.1, 0.2]}, {}, DRAWN, "tictactoe"),
}
PROGRAMS = {
    "lpboost": Case("lpboost", {"C": [0.03, 0.1]}, dataset="balance"),
    "rlp-boost": Case("rlp-boost", {"nu": [0.6, 0.3]}, {"n_rounds": 20}, dataset="tictactoe"),
    "rqp-boost": Case("rqp-boost", {"C": [0.1, 1]}, {"n_rounds": 20}, dataset="tictactoe"),
    "rlp-boost, drawn": Case("rlp-boost", {"nu": [0.6, 0.3]}, {}, DRAWN, "tictactoe"),
    "rqp-boost, drawn": Case("rqp-boost", {"C": [0.1, 1]}, {}, LAGGED, "tictactoe"),
    "mincq": Case("mincq", {"mu": [0.05, 0.01]}, dataset="wine"),
    "mincq-on-cb-boost": Case("mincq-on-cb-boost", {"n_rounds": [3, 8]}, dataset="wine"),
    "cqboost": Case("cqboost", {"mu": [0.3, 0.1], "epsilon": [1e-3, 1e-9]}, dataset="wine"),
    "cqboost, limited": Case(
        "cqboost", {"mu": [0.3, 0.1], "epsilon": 1e-9, "n_rounds": [3, 4]}, dataset="wine"
    ),
}
CLASSES = {"name": "wine", "view": {"positive": None}}
OF_CLASSES = {
    f"{name}, more classes": case
    for name, case in {
        "adaboost": Case("adaboost", ROUNDS, dataset={**CLASSES, "name": "balance"}),
        "cb-boost": Case("cb-boost", ROUNDS, dataset=CLASSES),
        "lpboost": Case("lpboost", {"C": [0.03, 0.1]}, dataset=CLASSES),
        "mincq": Case("mincq", {"mu": [0.05, 0.01]}, dataset=CLASSES),
        "boosting": Case("boosting", {"n_rounds": [2, 5]}, dataset=CLASSES),
        "ebboost, drawn": Case("ebboost", {"lam": [3, 0.3]}, {}, DRAWN, CLASSES),
        "abr, drawn": Case("abr", {"C": [30, 3]}, {}, LAGGED, CLASSES),
        "rqp-boost, drawn": Case("rqp-boost", {"C": [0.1, 1]}, {}, DRAWN, CLASSES),
    }.items()
}


def over(voters: Any) -> dict[str, Any]:
    """Return a protocol whose votes are over a transformer."""
    return {"view": "quadboost", "folds": 3, "voter_set": voters}


LEAVES = {"RandomTreesEmbedding": {"n_estimators": 9, "max_depth": 2}}
VOTER_SETS = {
    "lpboost, leaves": Case("lpboost", {"C": [0.03, 0.1]}, {}, over(LEAVES), "balance"),
    "cb-boost, leaves, more classes": Case("cb-boost", ROUNDS, {}, over(LEAVES), CLASSES),
}
STEPS = {
    "boosting": {},
    "rsboosting": {"nu": [0.1, 0.5]},
    "rtboosting": {},
    "rboosting": {"u": [1, 30]},
    "epsilon-boosting": {"eps": [0.1, 0.5]},
    "rescale-rtboosting": {"u": [1, 30]},
    "rescale-epsilon-boosting": {"eps": [0.1, 0.5]},
}
# One attribute tells these classes apart, so that the loss falls without end.
APART = {"name": "wine", "view": {"positive": ["1"], "negative": ["3"]}}
TREES = {
    **{
        f"{name}, classes": Case(name, {**grid, **ROUNDS}, dataset="wine")
        for name, grid in STEPS.items()
    },
    **{
        f"{name}, numbers": Case(name, {**grid, **ROUNDS}, {"cuts": 3}, NUMBERS, REGRESSION)
        for name, grid in STEPS.items()
    },
    "boosting, deep": Case("boosting", ROUNDS, {"depth": 3}, NUMBERS, REGRESSION),
    "rtboosting, unit": Case("rtboosting", ROUNDS, {"bound": "unit"}, NUMBERS, REGRESSION),
    "rtboosting, tuned": Case(
        "rtboosting",
        {"truncation": [0.2, 3], **ROUNDS},
        {"cuts": 3, "min_weight_fraction_leaf": 0.1},
        NUMBERS,
        REGRESSION,
    ),
    "rboosting, in theory": Case("rboosting", ROUNDS, {"theory": True}, NUMBERS, REGRESSION),
    "boosting, apart": Case("boosting", {"n_rounds": 12}, dataset=APART),
    "rboosting, exponential": Case("rboosting", {"u": 5, **ROUNDS}, {"loss": "exponential"}),
}
STAGEWISE = {
    "real-adaboost": Case("real-adaboost", ROUNDS),
    "gentle-adaboost": Case("gentle-adaboost", ROUNDS, {"cuts": 3}),
    "logitboost": Case("logitboost", ROUNDS, {"depth": 2}),
    "adaboost-m1": Case("adaboost-m1", ROUNDS, {"cuts": 3}, dataset="wine"),
    "samme": Case("samme", ROUNDS),
    "gentle-adaboost, more classes": Case("gentle-adaboost", {"n_rounds": [2, 5]}, dataset=CLASSES),
    "logitboost, more classes": Case(
        "logitboost", {"n_rounds": [2, 12]}, {"z_max": 3}, dataset={**CLASSES, "name": "balance"}
    ),
    "adaboost-m1, more classes": Case("adaboost-m1", ROUNDS, {"cuts": 2}, dataset=CLASSES),
    "samme, more classes": Case("samme", ROUNDS, dataset={**CLASSES, "name": "balance"}),
    "samme, apart": Case("samme", ROUNDS, {"depth": 3}, dataset=APART),
    "samme, weak": Case("samme", ROUNDS, {"weak": {"DecisionTreeClassifier": {"max_depth": 2}}}),
}
REFITTED = {
    "forest": Case("sklearn:RandomForestClassifier", {"n_estimators": [3, 6]}, dataset="wine"),
    "ridge": Case("sklearn:Ridge", {"alpha": [1, 0.1]}, {}, NUMBERS, REGRESSION),
    "baseline": Case("baseline"),
    "tree, more classes": Case(
        "sklearn:DecisionTreeClassifier", {"max_depth": [2, 5]}, dataset=CLASSES
    ),
    "one tree": Case("sklearn:DecisionTreeClassifier", {}, {"max_depth": 2}),
    "baseline, numbers": Case("baseline", {}, {}, NUMBERS, REGRESSION),
}
CASES = {
    **GREEDY,
    **OVER_DRAWN,
    **PROGRAMS,
    **VOTER_SETS,
    **OF_CLASSES,
    **TREES,
    **STAGEWISE,
    **REFITTED,
}


@cache
def computed(name: str) -> tuple[Cell, Record]:
    """Return a cell and its record."""
    cell = CASES[name].planned()
    record = run_cell(cell)
    assert record.ok, record.message
    return cell, record


@cache
def solved(name: str) -> Solution:
    """Return the solution of a cell."""
    return solve(computed(name)[0].learner, examined(name))


@cache
def examined(name: str) -> ExaminedCell:
    """Return the examples of a cell."""
    cell, record = computed(name)
    return ExaminedCell(training_data(cell), cell.grids, record.chosen)


def faults(solution: Solution) -> list[str]:
    """Return what does not hold for a solution, in any round."""
    certificate = Certificate()
    solution.prove(certificate, Rounds())
    return certificate.faults
