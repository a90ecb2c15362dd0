from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.estimates import Kinds, kind_of
from tests.engine.stubs import content


def test_repeats_are_of_one_kind_and_other_data_or_algorithms_of_another(
    small_config: Callable[..., Path],
) -> None:
    kinds = Kinds()
    cells = make_plan(load_experiment(small_config(), repeats=3)).cells
    places = {(cell.dataset, cell.algorithm) for cell in cells}
    assert len({kinds(cell) for cell in cells}) == len(places) == 4


def test_a_record_tells_the_kind_of_its_cell(small_config: Callable[..., Path]) -> None:
    drawn = small_config("lam: {from: 10, to: 1, points: 2}", "lam: [3, 2]")
    for cell in make_plan(load_experiment(drawn)).cells:
        assert kind_of(cell.content, cell.size) == Kinds()(cell)


def test_words_tell_learners_apart_and_numbers_only_how_they_are_set() -> None:
    slow, quick = (kind_of(content("Any", estimator=name), 1.0) for name in ("a:Slow", "a:Quick"))
    assert slow.learner == "Any a:Slow"
    assert slow.learner != quick.learner
    more, fewer = (kind_of(content("Any", trees=n), 1.0) for n in (500, 10))
    assert more.learner == fewer.learner
    assert more.how != fewer.how


def test_another_split_or_view_is_another_kind_of_the_same_setting() -> None:
    one = content("Any")
    ways = [
        one | {"view": {"positive": ["R"]}},
        one | {"protocol": {"folds": 5, "split": "third"}},
    ]
    here = kind_of(one, 1.0)
    for other in (kind_of(way, 1.0) for way in ways):
        assert (other.how == here.how, other.exact == here.exact) == (True, False)
    folds = kind_of(one | {"protocol": {"folds": 10, "split": "half"}}, 1.0)
    assert folds.how != here.how


@pytest.mark.parametrize(
    ("values", "same"), [((12,), True), ((900,), False), ((5, 10), False), ((0,), False)]
)
def test_a_grid_counts_by_its_shape_and_magnitude(values: tuple[int, ...], same: bool) -> None:
    one = kind_of(content("Any"), 1.0)
    other = kind_of(content("Any") | {"grid": [["n_rounds", list(values)]]}, 1.0)
    assert (one.how == other.how) == same
    several = kind_of(content("Any") | {"grid": [[["n_rounds", [10]]], [["depth", [1]]]]}, 1.0)
    assert several.how != one.how


def test_grids_drawn_for_every_repeat_are_those_of_the_cell(
    small_config: Callable[..., Path],
) -> None:
    cell = make_plan(load_experiment(small_config())).cells[0]
    shared = {name: value for name, value in cell.shared.fields.items() if name != "grid"}
    drawn = replace(
        cell,
        shared=replace(cell.shared, fields=shared),
        own=cell.own | {"grid": cell.shared.fields["grid"]},
    )
    assert Kinds()(drawn) == Kinds()(cell)
