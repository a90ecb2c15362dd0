from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from scipy.stats import theilslopes

from quadrepro.engine.estimates import SPREAD_OF_LINE, Estimates, Line, Seen, longest_first
from tests.engine.stubs import cell


def known(*times: tuple[str, float, float]) -> Estimates:
    """Return estimates with times of algorithms by size from before."""
    estimates = Estimates()
    kind_of = estimates.kind_of
    estimates.recall({kind_of(cell("any", a, size)): Seen(1, s) for a, size, s in times})
    return estimates


def test_nothing_is_estimated_before_a_cell_is_done() -> None:
    estimates = Estimates()
    assert estimates.seconds(cell("wine", "ada")) is None
    assert estimates.rate is None


def test_another_repeat_takes_the_mean_of_those_that_are_done() -> None:
    estimates = Estimates()
    for seconds in (1.0, 2.0, 6.0):
        estimates.learn(cell("wine", "ada"), seconds)
    estimates.learn(cell("heart", "ada", 100.0), 50.0)
    assert estimates.seconds(cell("wine", "ada", repeat=7)) == pytest.approx(3.0)


def test_what_is_known_from_before_counts_until_this_run_knows_better() -> None:
    estimates = known(("ada", 1.0, 4.0))
    assert estimates.seconds(cell("wine", "ada")) == 4.0
    estimates.learn(cell("wine", "ada"), 10.0)
    assert estimates.seconds(cell("wine", "ada", repeat=1)) == 10.0


def test_a_slower_machine_makes_all_that_was_known_slower() -> None:
    names = [f"a{i}" for i in range(20)]
    estimates = known(*((name, 1.0, 1.0) for name in names))
    for name in names[1:]:
        estimates.learn(cell("wine", name), 3.0)
    assert estimates.seconds(cell("wine", "a0")) == pytest.approx(3.0 ** (19 / 20))


def test_other_sizes_lie_on_the_line_of_theil_and_sen() -> None:
    rng = np.random.default_rng(0)
    sizes = np.geomspace(10, 1e5, 15)
    seconds = 0.01 * sizes**0.7 * np.exp(rng.normal(0, 0.2, 15))
    line = Line.through(dict(zip(sizes, seconds, strict=True)))
    slope = theilslopes(np.log(seconds), np.log(sizes)).slope
    assert line.slope == pytest.approx(slope)
    assert line.at(300.0)[0] == pytest.approx(np.log(0.01 * 300**0.7), abs=0.3)


@pytest.mark.parametrize("sizes", [(10.0, 30.0), (10.0, 11.0, 12.0, 13.0, 14.0)])
def test_few_or_similar_sizes_scale_in_proportion(sizes: tuple[float, ...]) -> None:
    line = Line.through(dict.fromkeys(sizes, 5.0))
    assert line.slope == 1.0


def test_many_points_take_little_memory() -> None:
    points = {float(size): 0.5 * size for size in range(1, 5001)}
    tracemalloc.start()
    line = Line.through(points)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e7
    assert line.slope == pytest.approx(1.0)


def test_a_time_between_sizes_is_the_mean_of_what_is_lognormal_about_the_line() -> None:
    estimates = known(("ada", 10.0, 5.0), ("ada", 30.0, 15.0))
    found = estimates.seconds(cell("new", "ada", 20.0))
    assert found == pytest.approx(10.0 * math.exp(SPREAD_OF_LINE**2 / 2))


def test_one_wild_time_does_not_move_the_line() -> None:
    points = {float(size): 2.0 * size for size in (1, 2, 4, 8, 16, 32, 64)}
    wild = Line.through(points | {16.0: 1e6})
    assert wild.at(100.0)[0] == pytest.approx(math.log(200.0), abs=0.3)


def test_the_further_away_the_less_is_known() -> None:
    estimates = known(*(("ada", float(size), 0.1 * size) for size in (1, 2, 4, 8, 16)))
    kind_of = estimates.kind_of
    spreads = []
    for size in (8.0, 10.0, 100.0, 1e4):
        found = estimates.of_kind(kind_of(cell("wine", "ada", size)))
        assert found is not None
        spreads.append(found[1])
    assert spreads == sorted(set(spreads))


def test_unknown_kinds_follow_what_this_run_found_of_their_learner() -> None:
    estimates = known(*(("ada", float(2**i), float(2**i)) for i in range(11)))
    at_first = estimates.seconds(cell("new", "ada", 100.0))
    estimates.learn(cell("wine", "ada", 50.0), 500.0)
    then = estimates.seconds(cell("new", "ada", 100.0))
    assert at_first is not None
    # Of ten times as much, half counts: this is a single kind.
    assert then == pytest.approx(math.sqrt(10) * at_first, rel=0.05)


def test_a_remembered_cell_is_added_only_where_nothing_was_taken_over() -> None:
    estimates = known(("ada", 1.0, 4.0))
    estimates.remember(cell("wine", "ada"), 100.0)
    estimates.remember(cell("wine", "svm"), 2.0)
    estimates.remember(cell("wine", "svm", repeat=1), 4.0)
    assert estimates.seconds(cell("wine", "ada")) == 4.0
    assert estimates.seconds(cell("wine", "svm")) == 3.0
    assert list(estimates.remembered.values()) == [Seen(2, 6.0)]


def test_one_of_every_kind_comes_first_then_the_longest() -> None:
    estimates = known(("ada", 1.0, 9.0), ("ada", 3.0, 27.0))
    old = [cell("wine", "ada", 1.0, 1), cell("pima", "ada", 3.0)]
    svm = [cell("wine", "svm", 2.0, repeat) for repeat in range(2)]
    tree = cell("wine", "tree", 1.0)
    order = list(longest_first([*old, *svm, tree], estimates))
    assert order[:2] == [svm[1], tree]
    assert order[2:] == [svm[0], old[1], old[0]]


def test_the_order_follows_what_is_learned_on_the_way_and_every_cell_comes_once() -> None:
    estimates = Estimates()
    slow, quick = [[cell("wine", name, 1.0, r) for r in range(3)] for name in ("slow", "quick")]
    order = []
    for one in longest_first([*quick, *slow], estimates):
        order.append(one)
        estimates.learn(one, 10.0 if one.algorithm == "slow" else 1.0)
    assert sorted(map(id, order)) == sorted(map(id, [*slow, *quick]))
    assert [one.algorithm for one in order[2:]] == ["slow", "slow", "quick", "quick"]


def test_the_version_rises_only_with_new_knowledge() -> None:
    estimates = Estimates()
    estimates.learn(cell("wine", "ada"), 1.0)
    before = estimates.version
    estimates.learn(cell("wine", "ada", repeat=1), 1.0)
    assert estimates.version == before
    estimates.learn(cell("wine", "svm"), 1.0)
    assert estimates.version == before + 1


def test_experiments_keep_their_order_and_tell_of_each_other() -> None:
    estimates = Estimates()
    cells = [cell("wine", "ada", size, of=name) for name in ("one", "two") for size in (1.0, 2.0)]
    assert list(longest_first(cells, estimates)) == [cells[1], cells[0], cells[3], cells[2]]
    estimates.learn(cells[1], 8.0)
    assert estimates.seconds(cells[3]) == 8.0
