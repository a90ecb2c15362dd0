"""Generated rows against definitions written another way, and against the files and cards."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.canonical import RawTable, content_hash, sort_rows
from quadrepro.data.card import Card, load_card
from quadrepro.data.sources.generated import GENERATORS, generate
from quadrepro.data.sources.schema import GeneratedSource
from quadrepro.data.store import read_csv
from quadrepro.errors import DataError

ENUMERATED = ["balance", "monks", "monks_2", "monks_3", "tictactoe", "titanic"]
INTERVALS = ["interval_3", "interval_60"]
SAMPLED = ["twonorm_generated", "ringnorm_generated", "waveform_generated"]
SAMPLED += ["orange", "m1", "m2", "sparse"]
COMPLETE = [*ENUMERATED, *INTERVALS, *SAMPLED]


def generated(card: Card) -> RawTable:
    source = card.sources[0]
    assert isinstance(source, GeneratedSource)
    return generate(source, card)


def source_of(generator: str, **parameters: float) -> GeneratedSource:
    return GeneratedSource(kind="generated", generator=generator, parameters=parameters)


def rows_of(table: RawTable) -> list[tuple[object, ...]]:
    columns = [table.columns[a.name].tolist() for a in table.attributes]
    return list(zip(*columns, table.target.tolist(), strict=True))


@functools.cache
def end_boards(board: str = "b" * 9, player: str = "x") -> frozenset[tuple[str, ...]]:
    """Play every game to its end."""
    # A magic square: three marks are in a line where their numbers add up to 15.
    numbers = (2, 7, 6, 9, 5, 1, 4, 3, 8)
    other = "o" if player == "x" else "x"
    mine = [n for n, mark in zip(numbers, board, strict=True) if mark == other]
    if any(sum(three) == 15 for three in itertools.combinations(mine, 3)):
        return frozenset({(*board, "positive" if other == "x" else "negative")})
    if "b" not in board:
        return frozenset({(*board, "negative")})
    free = [i for i, mark in enumerate(board) if mark == "b"]
    return frozenset().union(
        *(end_boards(board[:i] + player + board[i + 1 :], other) for i in free)
    )


def test_balance_tips_by_torque_about_the_middle() -> None:
    expected = []
    for left, arm, right, other_arm in itertools.product((1.0, 2.0, 3.0, 4.0, 5.0), repeat=4):
        torque = right * other_arm - left * arm
        side = "R" if torque > 0 else "L" if torque < 0 else "B"
        expected.append((left, arm, right, other_arm, side))
    assert rows_of(GENERATORS["balance"]()) == expected


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("monks", lambda a: a[0] == a[1] or a[4] == "1"),
        ("monks_2", lambda a: a.count("1") == 2),
        ("monks_3", lambda a: (a[4], a[3]) == ("3", "1") or (a[4] in "123" and a[1] in "12")),
    ],
)
def test_monks_labels_follow_the_rules_of_their_report(
    name: str, rule: Callable[[tuple[str, ...]], bool]
) -> None:
    robots = itertools.product("123", "123", "12", "123", "1234", "12")
    assert rows_of(GENERATORS[name]()) == [(*a, "1" if rule(a) else "0") for a in robots]


def test_tictactoe_holds_the_ends_of_all_games_and_each_once() -> None:
    rows = rows_of(GENERATORS["tictactoe"]())
    assert len(rows) == len(set(rows)) == 958
    assert set(rows) == end_boards()


def test_titanic_counts_add_up_to_the_published_margins() -> None:
    table = GENERATORS["titanic"]()
    groups = dict(zip(*np.unique(table.columns["class"], return_counts=True), strict=True))
    assert groups == {"1st": 325, "2nd": 285, "3rd": 706, "Crew": 885}
    assert (table.columns["age"] == "Child").sum() == 109
    assert (table.columns["sex"] == "Female").sum() == 470
    assert table.label_counts == {"No": 1490, "Yes": 711}


@pytest.mark.parametrize(("points", "first", "last"), [(3, 1, 1), (60, 20, 39), (4, 0, 2)])
def test_an_interval_is_centred_with_its_inside_between_two_cuts(
    points: int, first: int, last: int
) -> None:
    rows = rows_of(GENERATORS["interval"](points=points, first=first, last=last))
    x, one, side = zip(*rows, strict=True)
    assert len(rows) == points
    assert sum(x) == 0
    assert set(np.diff(x)) == {1}
    assert set(one) == {1}
    within = [x[first] - 0.5 < value < x[last] + 0.5 for value in x]
    assert list(side) == ["inside" if inside else "outside" for inside in within]


@pytest.mark.parametrize("name", INTERVALS)
def test_an_intervals_inside_is_its_middle_third(name: str) -> None:
    table = generated(load_card(name))
    assert table.label_counts["outside"] == 2 * table.label_counts["inside"]
    x = table.columns["x"]
    assert sorted(x[table.target == "inside"]) == sorted(-x[table.target == "inside"])


@pytest.mark.parametrize("name", COMPLETE)
def test_generated_rows_are_what_the_card_says(name: str) -> None:
    card = load_card(name)
    table = generated(card)
    assert table.n_rows == card.rows
    assert content_hash(table) == card.content_hash
    if card.task == "classification":
        assert table.label_counts == card.target.labels
    else:
        assert (table.target.min(), table.target.max()) == card.target.range


@pytest.mark.parametrize("name", ENUMERATED)
def test_generated_rows_are_those_of_the_canonical_csv(name: str, canonical_folder: Path) -> None:
    csv = read_csv(canonical_folder / f"{name}.csv", load_card(name))
    assert rows_of(sort_rows(GENERATORS[name]())) == rows_of(sort_rows(csv))


def test_every_rule_has_a_card_that_uses_it() -> None:
    used = {load_card(name).sources[0].generator for name in COMPLETE}
    assert used == set(GENERATORS)


def test_no_two_cards_share_a_seed() -> None:
    assert len({load_card(name).sources[0].parameters["seed"] for name in SAMPLED}) == len(SAMPLED)


def test_a_whole_number_may_be_a_float_and_a_parameter_may_be_left_out() -> None:
    source = source_of("m1", rows=3.0, sigma=1, seed=0.0)
    assert rows_of(generate(source, load_card("m1"))) == rows_of(
        GENERATORS["m1"](rows=3, sigma=1.0, seed=0, low=-0.25)
    )


ORANGE = {"n_per_class": 5, "noise_inputs": 5, "seed": 0}


@pytest.mark.parametrize(
    ("name", "parameters", "fault"),
    [
        ("orange", {"noise_input": 0}, " has no parameter 'noise_input'; did you mean 'noise_inp"),
        ("m2", {"low": -1}, " has no parameter 'low'; known are rows, seed, sigma"),
        ("monks", {"rows": 5}, " has no parameter 'rows'"),
        ("twonorm", {"rows": 5}, " needs the parameter 'seed'"),
        ("twonorm", {"rows": 2.5, "seed": 0}, ": rows must be a non-negative whole number, not 2"),
        ("twonorm", {"rows": 5, "seed": -1}, ": seed must be a non-negative whole number, not -1"),
        ("twonorm", {"rows": 1e12, "seed": 0}, ": rows is 1e+12, but the card has only 625"),
        ("orange", ORANGE, ": noise_inputs is 5, but the card has only 4"),
        ("m2", {"rows": 5, "sigma": 1.7e308, "seed": 0}, ": the targets are beyond 1e+100"),
    ],
)
def test_parameters_that_no_rule_can_follow_are_refused(
    name: str, parameters: dict[str, float], fault: str
) -> None:
    with pytest.raises(DataError) as error:
        generate(source_of(name, **parameters), load_card("balance"))
    assert str(error.value).startswith(f"the card of balance: generator {name}{fault}")


def test_an_unknown_rule_is_refused_with_the_nearest() -> None:
    with pytest.raises(DataError) as error:
        generate(source_of("orang"), load_card("balance"))
    fault = "unknown generator 'orang'; did you mean 'orange'?"
    assert str(error.value) == f"the card of balance: {fault}"
