from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core import problems
from quadrepro.core.cell import Cell, training_data
from quadrepro.core.preprocessing import encode
from quadrepro.core.problems import Problem
from quadrepro.core.protocol import SplitRule
from quadrepro.core.splits import Splitter
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.voting import TransformerVoters
from quadrepro.data.card import load_card
from quadrepro.data.schema import Attribute
from quadrepro.data.store import Dataset, Found
from tests.data.tables import load_dataset
from tests.make import cells_of, refusal

CONFIG = """title: Drawn
seed: 3
repeats: 2
protocol:
  {protocol}
  view: default
datasets:
  - {row}
algorithms:
  - name: {algorithm}
baseline: false
"""
BOOSTING = "boosting\n    grid: {n_rounds: [1, 5]}"
ADA = "adaboost\n    grid: {n_rounds: 5}"
MONKS = "{name: monks, view: quadboost}"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a config; rows and the protocol's lines are given as YAML."""

    def write(*rows: str, protocol: str = "folds: 0", algorithm: str = BOOSTING) -> Path:
        path = tmp_path / "drawn.yaml"
        path.write_text(
            CONFIG.format(
                protocol=protocol.replace("\n", "\n  "),
                row="\n  - ".join(rows),
                algorithm=algorithm,
            )
        )
        return path

    return write


def cells_by_row(path: Path) -> dict[tuple[str, int], Cell]:
    return {(cell.dataset, cell.repeat): cell for cell in cells_of(path)}


FRESH = "sample: {train: 20, test: 30}\nfolds: 0"
HELD_OUT = "sample: {train: 20, valid: 10, test: 30}\nholdout: {}"


def noise(sigma: float) -> str:
    return f"{{name: m1, as: noise {sigma}, parameters: {{sigma: {sigma}}}}}"


def test_fresh_samples_and_their_folds_differ_between_repeats(write: Write) -> None:
    path = write("m1", protocol="sample: {train: 20, test: 30}\nfolds: 4")
    one, two = (cells_by_row(path)["m1", r] for r in (0, 1))
    assert one.source.test_share(30) == 0.0  # type: ignore[union-attr]
    assert not np.isin(one.problem.X, two.problem.X).any()
    assert one.key != two.key
    assert one.problem.split.valid is None
    assert np.bincount(one.problem.split.fold).tolist() == [5, 5, 5, 5]
    assert one.problem.split.fold.tolist() != two.problem.split.fold.tolist()
    assert cells_by_row(write("m1", protocol=FRESH))["m1", 0].problem.split.fold.size == 0
    # The parts stand one after the other.
    split = cells_by_row(write("m1", protocol=HELD_OUT))["m1", 0].problem.split
    parts = [part.tolist() for part in (split.train, split.valid, split.test)]
    assert parts == [list(range(20)), list(range(20, 30)), list(range(30, 60))]
    assert split.fold.size == 0


def test_rows_of_other_noise_have_the_same_draws_and_keys_of_their_own(write: Write) -> None:
    found = cells_by_row(write(noise(0), noise(0.5), noise(1), protocol=FRESH))
    for repeat in (0, 1):
        still, half, full = (found[f"noise {s}", repeat] for s in (0, 0.5, 1))
        np.testing.assert_array_equal(half.problem.X, still.problem.X)
        np.testing.assert_array_equal(half.problem.truth, still.problem.truth)
        # The same normal numbers, times another deviation; targets have four decimals.
        errors, twice = (c.problem.y - c.problem.truth for c in (half, full))
        np.testing.assert_allclose(2 * errors, twice, atol=2e-4)
        assert np.abs(twice).max() > 0.5
    assert len({cell.key for cell in found.values()}) == 6


def test_a_key_names_the_rule_and_the_draws_or_the_cards_order_of_codes(write: Write) -> None:
    content = cells_by_row(write(noise(0.5), protocol=FRESH))["noise 0.5", 1].content
    assert (content["rule"], content["parameters"]) == ("m1", {"sigma": 0.5, "low": -0.25})
    assert content["protocol"]["sample"] == {"train": 20, "test": 30}
    assert content["draws"] == (3, "m1", 1)
    assert "data" not in content
    # The hash of the rows leaves out the order.
    row = "{name: monks, view: {positive: ['1'], order: {holding: ['2', '1']}}}"
    codes = cells_by_row(write(row, algorithm=ADA))["monks", 0].content["codes"]
    ordered = {a.name: a.codes for a in load_card("monks").attributes if a.name != "holding"}
    assert codes == ordered != {}


def test_every_row_of_its_own_has_its_own_draws(write: Write) -> None:
    alone = FRESH.replace("test: 30", "test: 30, for_each: row")
    shared, own = (
        cells_by_row(write("m1", "{name: m1, as: again}", protocol=p)) for p in (FRESH, alone)
    )
    assert {key: cell.draws[1] for key, cell in own.items()} == {key: key[0] for key in own}
    assert not np.isin(own["m1", 0].problem.X, own["again", 0].problem.X).any()
    np.testing.assert_array_equal(own["m1", 0].problem.X, shared["again", 0].problem.X)
    # A row named like its data set has the same cells either way.
    assert own["m1", 1].key == shared["m1", 1].key


def test_a_sample_of_the_rows_is_drawn_again_for_every_repeat(write: Write) -> None:
    row = "{name: monks, view: {positive: ['1'], sample_rows: 100}}"
    found = cells_by_row(write(row, protocol="folds: 2", algorithm=ADA))
    splits = [found["monks", repeat].problem.split for repeat in (0, 1)]
    one, two = ({*split.train.tolist(), *split.test.tolist()} for split in splits)
    assert len(one) == len(two) == 100
    assert max(one) > 400
    assert one != two
    assert found["monks", 0].content["view"]["sample_rows"] == 100


@pytest.mark.parametrize(
    ("rule", "repeats"),
    [
        ("stratify: true", 2),
        ("groups: holding", 2),
        ("groups: holding, stratify: true", 2),
        ("time: holding, at_most: null", 2),
        ("outer: 2x2", 4),
        ("outer: 3, groups: holding, stratify: true", 3),
        ("column: head_shape", 3),
    ],
)
def test_every_way_to_divide_rows_gives_cells_with_keys_of_their_own(
    write: Write, rule: str, repeats: int
) -> None:
    path = write(MONKS, protocol=f"split: {{{rule}}}\nfolds: 2", algorithm=ADA)
    plan = make_plan(load_experiment(path, repeats))
    plan.check_data()
    keys = {cell.key for cell in plan.cells}
    assert len(keys) == len(plan.cells) == repeats
    for cell in plan.cells:
        split = cell.problem.split
        assert cell.ready().key == cell.key
        assert len({*split.train} | {*split.test}) == len(split.train) + len(split.test)
        assert set(range(2)) <= {*split.fold} <= {-1, 0, 1}
    content = plan.cells[0].content
    assert {"data", "codes"} <= content.keys()
    assert content.get("repeats") == (repeats if "time" in rule else None)


def test_a_plan_with_splits_by_rows_reads_no_rows_and_learns_nothing_from_their_attributes(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = "split: {groups: jacket_color, time: null}\nfolds: 0"
    path = write(MONKS, protocol=protocol, algorithm=ADA)
    assert cells_by_row(path)["monks", 0].problem.X.shape[1] == 5
    monkeypatch.delattr(problems, "encode")
    plan = make_plan(load_experiment(path))
    assert all(cell.key for cell in plan.cells)
    assert plan.sources["monks"].sizes == (216, 0, 216)


@pytest.mark.parametrize(
    ("row", "protocol", "message"),
    [
        ("orange", "sample: {train: 20, test: 31}\nfolds: 0", "9:5: half of the rows are in each"),
        (
            "{name: waveform_generated, view: {positive: ['1'], negative: ['2']}}",
            FRESH,
            "9:5: the view of waveform_generated leaves out rows, so it cannot be sampled",
        ),
        (MONKS, "split: {train: 0.999}\nfolds: 0", "9:5: monks has 432 rows, too few for this spl"),
        (MONKS, "split: {column: holding}\nfolds: 0", "9:5: monks, repeat 0: holding has 3 splits"),
    ],
)
def test_what_only_the_data_show_is_refused_at_the_rows_place(
    write: Write, row: str, protocol: str, message: str
) -> None:
    path = write(row, protocol=protocol, algorithm=ADA if "monks" in row else BOOSTING)
    found = refusal(path, lambda path: make_plan(load_experiment(path)).check_data())
    assert found.startswith(message)


def test_times_are_read_by_the_format_in_the_card_which_belongs_to_the_key() -> None:
    card = load_card("monks")
    days = np.array(["31.12.2023", "01.02.2024", "02.01.2025"] * 144)
    day = Attribute(name="day", kind="nominal", date="%d.%m.%Y")
    card = card.model_copy(update={"attributes": (*card.attributes, day)})
    table = load_dataset("monks").table
    table = replace(table, attributes=card.attributes, columns={**table.columns, "day": days})
    examples = problems.Examples(Found(card, None), card.view("quadboost"), SplitRule(time="day"))
    encoded, known = examples.encoded(Dataset(card, table, "here"))
    np.testing.assert_array_equal(np.argsort(known.times[:3]), [0, 1, 2])
    assert encoded.features[-1].kind == "date"
    rows = problems.StoredRows(examples, Splitter("monks", examples.rule, 432, 0, False, 1))
    assert rows.content["dates"] == {"day": "%d.%m.%Y"}


REPEATED = "exclude: [jacket_color, holding, is_smiling], duplicates"


@pytest.mark.parametrize("protocol", ["folds: 3", "split: {stratify: true}", "split: {outer: 2}"])
def test_equal_rows_are_on_one_side_of_each_split_that_can_keep_them_together(
    write: Write, protocol: str
) -> None:
    row = f"{{name: monks, view: {{{REPEATED}: one-side}}}}"
    for cell in cells_by_row(write(row, protocol=protocol)).values():
        X, split = cell.problem.X, cell.problem.split
        parts = [split.train[split.fold == f] for f in range(split.fold.max(initial=-1) + 1)]
        sides = [
            {*map(tuple, X[rows].tolist())} for rows in [*(parts or [split.train]), split.test]
        ]
        assert sum(map(len, sides)) == len({*map(tuple, X.tolist())}) < len(X) / 4
    message = "monks: duplicates: one-side of a view cannot be combined with a number for train"
    assert message in refusal(write(row, protocol="split: {train: 99}"), cells_by_row)


def test_rows_that_repeat_another_with_its_label_are_dropped_on_request(write: Write) -> None:
    path = write(f"{{name: monks, view: {{{REPEATED}: drop}}}}", protocol="split: {outer: 2}")
    [cell, *_] = cells_by_row(path).values()
    problem = cell.problem
    rows = [*map(tuple, np.column_stack([problem.X, problem.y]).tolist())]
    assert len(rows) == len({*rows}) == len(problem.split.train) + len(problem.split.test)
    every = cells_by_row(write(f"{{name: monks, view: {{{REPEATED}: keep}}}}"))["monks", 0].problem
    assert {*rows} == {*map(tuple, np.column_stack([every.X, every.y]).tolist())}


@pytest.fixture
def cell(small_config: Callable[..., Path]) -> Cell:
    return cells_of(small_config())[0]


def test_the_key_is_the_hash_of_the_content_in_the_order_of_its_names(cell: Cell) -> None:
    text = '{"a": {"name": "µ"}, "b": [1, 0.5]}'
    other = replace(cell, dataset="other", content={"b": [1, 0.5], "a": {"name": "µ"}})
    assert other.key == hashlib.sha256(text.encode()).hexdigest()
    assert replace(cell, dataset="other", algorithm="other", repeat=9, grids=()).key == cell.key


def test_a_ready_cell_has_the_key_and_the_problem_and_needs_no_source(cell: Cell) -> None:
    ready: Cell = pickle.loads(pickle.dumps(cell.ready()))
    assert (ready.key, ready.content) == (cell.key, cell.content)
    assert isinstance(ready.source, Problem)
    assert ready.problem is ready.source
    np.testing.assert_array_equal(ready.problem.split.train, cell.problem.split.train)
    np.testing.assert_array_equal(ready.problem.X, cell.problem.X)
    assert cell.size == len(cell.problem.split.train) * cell.problem.X.shape[1]


def test_a_data_set_is_read_once_for_cells_in_a_row_and_forgotten_after_others(
    small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    monkeypatch.setattr(problems, "encode", lambda d, *of: read.append(d) or encode(d, *of))
    cells = cells_of(small_config(), 2)
    for cell in cells:
        assert cell.ready().problem.X is cells[cells.index(cell) // 4 * 4].problem.X
    assert len(read) == 2
    cells_of(small_config())[0].ready(), cells_of(small_config())[0].ready()
    cells[-1].ready()
    assert len(read) == 5


def test_cells_of_one_split_share_their_examples(small_config: Callable[..., Path]) -> None:
    first, second, *_, last = (
        pickle.loads(pickle.dumps(c.ready())) for c in cells_of(small_config())
    )
    assert (first.dataset, first.repeat) == (second.dataset, second.repeat)
    assert training_data(first) is training_data(second)
    raw = replace(first, protocol=first.protocol.model_copy(update={"normalise": "none"}))
    for other in (raw, replace(first, source=replace(first.problem)), last):
        assert training_data(other) is not training_data(second)
    asking: tuple[dict[str, Any], ...] = ({"categories": True}, {}, {"keeps_missing": True})
    asks = [replace(first, learner=EstimatorPredictor("SVC", **options)) for options in asking]
    for one, other in pairwise(asks):
        assert training_data(one) is not training_data(other)
    voting = first.protocol.model_copy(update={"inputs": "voters"})
    of_stumps, of_votes = (replace(of, protocol=voting) for of in (first, asks[1]))
    assert training_data(of_stumps) is not training_data(of_votes)


@pytest.mark.parametrize("normalise", ["tanh", "none"])
def test_examples_are_normalised_by_their_training_rows_but_for_categories(
    cell: Cell, normalise: str
) -> None:
    X, split = cell.problem.X, cell.problem.split
    seen = X[split.train]
    scaled = np.tanh((X - seen.mean(axis=0)) / seen.std(axis=0)) if normalise == "tanh" else X
    protocol = cell.protocol.model_copy(update={"normalise": normalise})
    for categories, expected in ((False, scaled), (True, X)):
        learner = EstimatorPredictor("SVC", categories=categories)
        data = training_data(replace(cell, learner=learner, protocol=protocol))
        np.testing.assert_allclose(data.train.X, expected[split.train], rtol=1e-12)
        np.testing.assert_allclose(data.test.X, expected[split.test], rtol=1e-12)


class Spoiling(MinMaxScaler):  # type: ignore[misc]
    """A transformer that changes what it is given in place."""

    def fit(self, X: Any, y: Any = None) -> Spoiling:
        super().fit(X)
        X[:] = 0.0
        return self


def test_a_transformer_that_changes_its_examples_changes_no_other_cell(cell: Cell) -> None:
    data = training_data(cell)
    before = data.train.X.copy()
    voters = TransformerVoters(lambda: Spoiling((-1, 1), clip=True))
    voters.outputs(data.train, data.test.X, data.rng)
    np.testing.assert_array_equal(data.train.X, before)
