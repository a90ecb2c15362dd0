from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core import preprocessing, problems
from quadrepro.core.cell import Cell
from quadrepro.errors import ConfigError

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


def cells(path: Path) -> dict[tuple[str, int], Cell]:
    return {(cell.dataset, cell.repeat): cell for cell in make_plan(load_experiment(path)).cells}


FRESH = "sample: {train: 20, test: 30}\nfolds: 0"
HELD_OUT = "sample: {train: 20, valid: 10, test: 30}\nholdout: {}"


def noise(sigma: float) -> str:
    return f"{{name: m1, as: noise {sigma}, parameters: {{sigma: {sigma}}}}}"


def test_fresh_samples_differ_between_repeats(write: Write) -> None:
    one, two = (cells(write("m1", protocol=FRESH))["m1", r] for r in (0, 1))
    assert not np.isin(one.problem.X, two.problem.X).any()
    assert one.key != two.key


def test_rows_of_other_noise_have_the_same_draws_and_keys_of_their_own(write: Write) -> None:
    found = cells(write(noise(0), noise(0.5), noise(1), protocol=FRESH))
    for repeat in (0, 1):
        still, half, full = (found[f"noise {s}", repeat] for s in (0, 0.5, 1))
        np.testing.assert_array_equal(half.problem.X, still.problem.X)
        np.testing.assert_array_equal(half.problem.truth, still.problem.truth)
        # The same normal numbers, times another deviation; targets have four decimals.
        errors, twice = (c.problem.y - c.problem.truth for c in (half, full))
        np.testing.assert_allclose(2 * errors, twice, atol=2e-4)
        assert np.abs(twice).max() > 0.5
    assert len({cell.key for cell in found.values()}) == 6


def test_the_parts_of_a_sample_stand_one_after_the_other(write: Write) -> None:
    split = cells(write("m1", protocol=HELD_OUT))["m1", 0].problem.split
    assert split.valid is not None
    parts = [part.tolist() for part in (split.train, split.valid, split.test)]
    assert parts == [list(range(20)), list(range(20, 30)), list(range(30, 60))]
    assert split.fold.size == 0


def test_a_sample_without_hold_out_has_folds_that_differ_by_repeat(write: Write) -> None:
    path = write("m1", protocol="sample: {train: 20, test: 30}\nfolds: 4")
    one, two = (cells(path)["m1", r].problem.split for r in (0, 1))
    assert one.valid is None
    assert np.bincount(one.fold).tolist() == [5, 5, 5, 5]
    assert one.fold.tolist() != two.fold.tolist()
    assert cells(write("m1", protocol=FRESH))["m1", 0].problem.split.fold.size == 0


def test_a_key_names_the_rule_its_parameters_the_sizes_and_the_draws(write: Write) -> None:
    content = cells(write(noise(0.5), protocol=FRESH))["noise 0.5", 1].content
    assert (content["rule"], content["parameters"]) == ("m1", {"sigma": 0.5, "low": -0.25})
    assert content["protocol"]["sample"] == {"train": 20, "valid": 0, "test": 30}
    assert content["draws"] == (3, "m1", 1)
    assert not {"data", "division"} & set(content)


def test_where_all_rows_are_trained_on_they_are_tested_on_as_well(write: Write) -> None:
    path = write(
        "{name: interval_3, view: lecture}", protocol="split: {train: all}\nfolds: 0", algorithm=ADA
    )
    split = cells(path)["interval_3", 0].problem.split
    assert sorted(split.train) == [0, 1, 2]
    np.testing.assert_array_equal(split.test, split.train)


def test_every_row_of_its_own_has_its_own_draws(write: Write) -> None:
    alone = FRESH.replace("test: 30", "test: 30, for_each: row")
    shared, own = (cells(write("m1", "{name: m1, as: again}", protocol=p)) for p in (FRESH, alone))
    assert {key: cell.draws[1] for key, cell in own.items()} == {key: key[0] for key in own}
    assert not np.isin(own["m1", 0].problem.X, own["again", 0].problem.X).any()
    np.testing.assert_array_equal(own["m1", 0].problem.X, shared["again", 0].problem.X)
    # A row named like its data set has the same cells either way.
    assert own["m1", 1].key == shared["m1", 1].key


@pytest.mark.parametrize("protocol", ["folds: 2", "holdout: {}"])
def test_a_sample_of_the_rows_is_drawn_again_for_every_repeat(write: Write, protocol: str) -> None:
    row = "{name: monks, view: {positive: ['1'], sample_rows: 100}}"
    algorithm = ADA if protocol == "folds: 2" else "adaboost"
    found = cells(write(row, protocol=protocol, algorithm=algorithm))
    splits = [found["monks", repeat].problem.split for repeat in (0, 1)]
    held = [() if s.valid is None else (s.valid,) for s in splits]
    parts = [np.concatenate([s.train, s.test, *v]) for s, v in zip(splits, held, strict=True)]
    for rows in parts:
        assert len(set(rows.tolist())) == 100
        assert rows.max() > 400
    assert set(parts[0].tolist()) != set(parts[1].tolist())
    sizes = [[len(s.train), *map(len, v), len(s.test)] for s, v in zip(splits, held, strict=True)]
    assert sizes == [[50, 50] if protocol == "folds: 2" else [50, 25, 25]] * 2
    assert found["monks", 0].content["view"]["sample_rows"] == 100


def test_one_view_of_a_data_set_is_encoded_once_for_all_rows_and_repeats(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = []

    def spy(dataset: object, view: object, beside: object) -> preprocessing.Encoded:
        encoded.append(view)
        return preprocessing.encode(dataset, view)  # type: ignore[arg-type]

    monkeypatch.setattr(problems, "encode", spy)
    other = "{name: monks, as: other, view: {positive: ['0']}}"
    rows = (MONKS, MONKS.replace("monks,", "monks, as: again,"), other)
    found = cells(write(*rows, algorithm=ADA))
    assert not encoded
    assert found["monks", 0].problem.X is found["again", 1].problem.X
    assert found["monks", 0].problem.X is not found["other", 0].problem.X
    assert len(encoded) == 2


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

    assert {"data", "division"} <= set(plan.cells[0].content)


def test_more_than_two_classes_are_divided_by_class(write: Write) -> None:
    tree = "tree\n    algorithm: sklearn:DecisionTreeClassifier"
    row = "{name: wine, view: {nominal: one-hot}}"
    protocol = "split: {outer: 3, stratify: true}\nfolds: 4"
    path = write(row, protocol=protocol, algorithm=tree)
    plan = make_plan(load_experiment(path, 3))
    plan.check_data()
    for cell in plan.cells:
        problem = cell.problem
        _, counts = np.unique(problem.y, return_counts=True)
        assert len(counts) == 3
        tested = np.bincount(problem.y[problem.split.test].astype(int))
        assert np.abs(tested - counts / 3).max() < 1


def test_a_key_names_the_rule_and_the_number_of_windows(write: Write) -> None:
    def content(rule: str, repeats: int = 3) -> dict[str, object]:
        path = write(MONKS, protocol=f"split: {{{rule}}}\nfolds: 0", algorithm=ADA)
        return make_plan(load_experiment(path, repeats)).cells[1].content

    by_class = content("stratify: true")
    assert by_class["division"] == {"draws": (3, "monks", 1)}
    assert by_class == content("stratify: true", 2)
    assert by_class["protocol"]["split"]["stratify"]  # type: ignore[index]
    assert content("time: holding") != content("time: holding", 2)
    assert content("groups: holding") != content("groups: head_shape")


def test_a_plan_with_splits_by_rows_reads_no_rows(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(MONKS, protocol="split: {groups: jacket_color}", algorithm=ADA)
    monkeypatch.delattr(problems, "encode")
    plan = make_plan(load_experiment(path))
    assert all(cell.key for cell in plan.cells)
    assert plan.sources["monks"].sizes == (216, 0, 216)


def test_attributes_that_divide_rows_are_not_learned_from(write: Write) -> None:
    protocol = "split: {groups: jacket_color, time: null}\nfolds: 0"
    cell = cells(write(MONKS, protocol=protocol, algorithm=ADA))["monks", 0]
    assert cell.problem.X.shape[1] == cell.source.n_columns == 5  # type: ignore[union-attr]


def test_labels_that_turn_out_equal_in_a_later_repeat_are_refused(write: Write) -> None:
    row = "{name: m1, view: {positive: {at_least: 0}}}"
    path = write(row, protocol="sample: {train: 4, test: 4}\nfolds: 0", algorithm=ADA)
    plan = make_plan(load_experiment(path, repeats=200))
    equal = [cell.repeat for cell in plan.cells if _has_equal_labels(cell)]
    assert min(equal) > 0
    with pytest.raises(ConfigError, match=":9:5: all rows of m1 in this view are"):
        plan.check_data()


def _has_equal_labels(cell: Cell) -> bool:
    try:
        return cell.problem is None
    except ConfigError:
        return True


@pytest.mark.parametrize(
    ("row", "protocol", "algorithm", "message"),
    [
        (
            "m1",
            "sample: {train: 20, valid: 10, test: 30}\nfolds: 5",
            BOOSTING,
            "4:1: sample needs valid rows if there is a holdout, and only then",
        ),
        (
            "m1",
            "sample: {train: 1, test: 30}",
            BOOSTING,
            "5:12: train must be at least 2, not 1",
        ),
        (
            "{name: m1, parameters: {sigma: 0}}",
            "folds: 0",
            BOOSTING,
            "8:16: parameters are only used by a fresh sample: set sample",
        ),
        (
            "{name: m1, parameters: {sigm: 0}}",
            FRESH,
            BOOSTING,
            "9:16: the rule of m1 has no parameter 'sigm'; did you mean 'sigma'?",
        ),
        (
            "{name: m1, parameters: {sigma: nan}}",
            FRESH,
            BOOSTING,
            "9:29: sigma must be a finite number, not 'nan'",
        ),
        (
            "{name: wine, view: quadboost}",
            FRESH,
            ADA,
            "9:6: wine is not drawn by rule, so no fresh sample can be drawn",
        ),
        (
            MONKS,
            "split: {outer: 2}\nholdout: {}",
            "adaboost",
            "6:3: outer does not go with a hold-out: use folds",
        ),
        (
            MONKS,
            "split: {openml_task: 59}\nholdout: {}",
            "adaboost",
            "6:3: openml_task does not go with a hold-out: use folds",
        ),
        (
            MONKS,
            "split: {groups: holding}\nholdout: {}",
            "adaboost",
            "6:3: groups does not go with a hold-out: use folds",
        ),
        (
            MONKS,
            "split: {time: holding}\nholdout: {}",
            "adaboost",
            "6:3: time does not go with a hold-out: use folds",
        ),
        (
            MONKS,
            "split: {groups: jacket}\nfolds: 0",
            ADA,
            "9:5: monks has no attribute 'jacket'; did you mean 'jacket_color'?",
        ),
        (
            "{name: m1, protocol: {split: {groups: x}}}",
            "folds: 0",
            ADA,
            "8:35: m1 has no attribute 'x'; did you mean 'x1'?",
        ),
        (
            "{name: abalone, view: {nominal: one-hot}}",
            "split: {stratify: true}",
            BOOSTING,
            "8:5: abalone predicts a number, so there are no classes to stratify by",
        ),
        (
            "{name: monks, view: {positive: ['1'], sample_rows: 90}}",
            "split: {outer: 2}",
            ADA,
            "8:43: monks: rows that are drawn again for every repeat cannot be divided once for"
            " all",
        ),
        (
            MONKS,
            "split: {train: all}\nholdout: {}",
            "adaboost",
            "4:1: nothing can be chosen if all rows are trained on: set folds to 0",
        ),
    ],
)
def test_what_cannot_be_drawn_or_split_is_refused_with_its_place(
    write: Write, row: str, protocol: str, algorithm: str, message: str
) -> None:
    path = write(row, protocol=protocol, algorithm=algorithm)
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    assert str(caught.value) == f"{path}:{message}"


@pytest.mark.parametrize(
    ("row", "protocol", "algorithm", "message"),
    [
        (
            "orange",
            "sample: {train: 20, test: 31}\nfolds: 0",
            BOOSTING,
            "9:5: half of the rows are in each class, but 31 is an odd number",
        ),
        (
            "{name: waveform_generated, view: {positive: ['1'], negative: ['2']}}",
            FRESH,
            BOOSTING,
            "9:5: the view of waveform_generated leaves out rows, so it cannot be sampled",
        ),
        (
            "{name: m1, view: {sample_rows: 9}}",
            FRESH,
            BOOSTING,
            "9:5: the view of m1 leaves out rows, so it cannot be sampled",
        ),
        (
            "{name: monks, view: {positive: ['1'], sample_rows: 433}}",
            "folds: 0",
            ADA,
            "8:5: monks has 432 rows: 433 cannot be drawn",
        ),
        (
            MONKS,
            "split: {train: 0.999}\nfolds: 0",
            ADA,
            "9:5: monks has 432 rows, of which 432 are trained on: too few are left",
        ),
        (
            "{name: interval_60, view: lecture}",
            "split: {train: 0.98}\nholdout: {}",
            "adaboost",
            "9:5: interval_60 has 60 rows, of which 59 are trained on: too few are left",
        ),
        (
            MONKS,
            "split: {column: holding}\nfolds: 0",
            ADA,
            "9:5: monks: holding makes 3 test parts: set repeats to 3, not 2",
        ),
        (
            MONKS,
            "split: {groups: holding}\nfolds: 3",
            ADA,
            "9:5: monks, repeat 0: 2 groups are too few for 3 folds",
        ),
        (
            "{name: interval_60, view: lecture}",
            "split: {outer: 2}\nfolds: 31",
            ADA,
            "9:5: interval_60 has 60 rows: too few for 31 folds",
        ),
        (
            "{name: interval_60, view: lecture}",
            "split: {outer: 2}\nfolds: 16",
            ADA,
            "9:5: interval_60 has 30 training rows: too few for 16 folds",
        ),
        (
            MONKS,
            "split: {train: 0.005}\nfolds: 5",
            ADA,
            "9:5: monks has 3 training rows: too few for 5 folds",
        ),
        (
            "{name: interval_3, view: lecture}",
            "split: {outer: 1x2}\nfolds: 0",
            ADA,
            "9:5: interval_3 has 3 rows: too few to hold some out",
        ),
        (
            "{name: interval_3, view: lecture}",
            "folds: 0",
            ADA,
            "8:5: interval_3 has 3 rows: too few to hold some out",
        ),
    ],
)
def test_what_only_the_data_show_is_refused_at_the_rows_place(
    write: Write, row: str, protocol: str, algorithm: str, message: str
) -> None:
    path = write(row, protocol=protocol, algorithm=algorithm)
    with pytest.raises(ConfigError) as caught:
        make_plan(load_experiment(path)).check_data()
    assert str(caught.value) == f"{path}:{message}"
