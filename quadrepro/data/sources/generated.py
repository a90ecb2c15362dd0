"""Data sets that are complete by construction, generated exactly from their definitions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from quadrepro.data.canonical import RawTable, nominal_column, numeric_column
from quadrepro.data.card import Attribute

_SQUARES = tuple(
    f"{row}_{column}_square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    *((0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)

# Class, age, sex: how many died, how many survived.
_TITANIC = (
    ("1st", "Adult", "Male", 118, 57),
    ("1st", "Adult", "Female", 4, 140),
    ("1st", "Child", "Male", 0, 5),
    ("1st", "Child", "Female", 0, 1),
    ("2nd", "Adult", "Male", 154, 14),
    ("2nd", "Adult", "Female", 13, 80),
    ("2nd", "Child", "Male", 0, 11),
    ("2nd", "Child", "Female", 0, 13),
    ("3rd", "Adult", "Male", 387, 75),
    ("3rd", "Adult", "Female", 89, 76),
    ("3rd", "Child", "Male", 35, 13),
    ("3rd", "Child", "Female", 17, 14),
    ("Crew", "Adult", "Male", 670, 192),
    ("Crew", "Adult", "Female", 3, 20),
)


def balance() -> RawTable:
    """Return all 625 states of a balance scale with weights and distances from 1 to 5.

    The label is the side with the larger torque, weight times distance: L, R, or B where both
    are equal (R. S. Siegler, "Three aspects of cognitive development", Cognitive Psychology 8,
    1976; UCI Balance Scale).
    """
    names = ("left_weight", "left_distance", "right_weight", "right_distance")
    states = np.array(list(itertools.product(range(1, 6), repeat=4)))
    torque = states[:, 0] * states[:, 1] - states[:, 2] * states[:, 3]
    return RawTable(
        tuple(Attribute(name=name, kind="numeric") for name in names),
        {name: numeric_column(states[:, j]) for j, name in enumerate(names)},
        np.array(["R", "B", "L"])[np.sign(torque) + 1],
    )


def monks() -> RawTable:
    """Return the 432 robots of the first MONK's problem.

    The label is 1 where head and body have the same shape or the jacket is red (code 1)
    (S. Thrun et al., "The MONK's problems", CMU-CS-91-197, 1991). No label is noise.
    """
    return _robots(lambda head, body, smiling, holding, jacket, tie: (head == body) | (jacket == 1))


def monks_2() -> RawTable:
    """Return the 432 robots of the second MONK's problem.

    The label is 1 where exactly two of the six attributes have their first value
    (S. Thrun et al., "The MONK's problems", CMU-CS-91-197, 1991). No label is noise.
    """
    return _robots(lambda *robot: sum((codes == 1).astype(int) for codes in robot) == 2)


def monks_3() -> RawTable:
    """Return the 432 robots of the third MONK's problem.

    The label is 1 where the jacket is green (3) and a sword is held (1), or the jacket is not
    blue (4) and the body not octagonal (3) (S. Thrun et al., "The MONK's problems",
    CMU-CS-91-197, 1991). The problem's training rows carry 5 % noise; these rows carry none.
    """
    return _robots(
        lambda head, body, smiling, holding, jacket, tie: (
            ((jacket == 3) & (holding == 1)) | ((jacket != 4) & (body != 3))
        )
    )


def tictactoe() -> RawTable:
    """Return the 958 boards on which a game of tic-tac-toe can end when x moves first.

    Squares are x, o or b (blank); the label is positive where x has three in a row (D. W. Aha,
    UCI Tic-Tac-Toe Endgame, 1991). A board ends a game where x has a line, having moved once
    more than o; or o has a line, both having moved equally often; or nobody has one on a full
    board. Two lines of one player share a square, so the last move can have made both.
    """
    boards = np.array(list(itertools.product("box", repeat=9)))
    n_x, n_o = (boards == "x").sum(axis=1), (boards == "o").sum(axis=1)
    x_wins, o_wins = _has_line(boards == "x"), _has_line(boards == "o")
    after_x, after_o = n_x == n_o + 1, n_x == n_o
    ends = np.select(
        [x_wins & o_wins, x_wins, o_wins], [False, after_x, after_o], after_x & (n_x + n_o == 9)
    )
    return _nominal_table(
        _SQUARES, boards[ends].tolist(), np.where(x_wins[ends], "positive", "negative").tolist()
    )


def titanic() -> RawTable:
    """Return the 2201 people aboard the Titanic by class, age and sex.

    The label says who survived. Counts of R. J. MacG. Dawson, "The 'unusual episode' data
    revisited", Journal of Statistics Education 3(3), 1995.
    """
    people: list[tuple[str, str, str]] = []
    survived: list[str] = []
    for group, age, sex, n_died, n_survived in _TITANIC:
        people += [(group, age, sex)] * (n_died + n_survived)
        survived += ["No"] * n_died + ["Yes"] * n_survived
    return _nominal_table(("class", "age", "sex"), people, survived)


GENERATORS: MappingProxyType[str, Callable[[], RawTable]] = MappingProxyType(
    {rule.__name__: rule for rule in (balance, monks, monks_2, monks_3, tictactoe, titanic)}
)
"""The generators by the name of their data set."""


def _robots(rule: Callable[..., NDArray[np.bool_]]) -> RawTable:
    names = ("head_shape", "body_shape", "is_smiling", "holding", "jacket_color", "has_tie")
    n_values = (3, 3, 2, 3, 4, 2)
    robots = np.array(list(itertools.product(*(range(1, n + 1) for n in n_values))))
    return _nominal_table(names, robots.astype(str).tolist(), np.where(rule(*robots.T), "1", "0"))


def _has_line(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    lines: NDArray[np.bool_] = np.any([marked[:, line].all(axis=1) for line in _LINES], axis=0)
    return lines


def _nominal_table(
    names: Sequence[str], rows: Iterable[Sequence[str]], labels: Iterable[str]
) -> RawTable:
    return RawTable(
        tuple(Attribute(name=name, kind="nominal") for name in names),
        dict(zip(names, map(nominal_column, zip(*rows, strict=True)), strict=True)),
        nominal_column(labels),
    )
