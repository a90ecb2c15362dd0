"""Contracts that every entry of a kind must satisfy."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from quadrepro.api import reproduce
from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray, Task
from quadrepro.config.axis import Axis
from quadrepro.config.tables import KINDS
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.quadboost import QuadBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Algorithm, Learner
from quadrepro.core.learners.predictor import Predictor
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.core.measures.measure import MEASURES, Measure, Trained
from quadrepro.core.voters.reduction import reduce_problem
from quadrepro.data.sources.schema import SOURCES, Layout, PackageSource
from quadrepro.engine.keys import makers
from quadrepro.engine.metrics import METRICS
from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.claims.claim import Claim
from quadrepro.plugins import Contract
from quadrepro.proof.solution import certificate_of
from quadrepro.tables.kinds.base import TableKind
from quadrepro.tables.table import ENDINGS

MOST_ROUNDS = 12
"""Rounds of a contract, which takes a moment."""


def votes(n: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return a voter matrix with equal and opposite voters and equal examples, and labels."""
    rng = np.random.default_rng(5)
    H = rng.choice([-1.0, 1.0], (n, 9))
    H[:, 3], H[:, 4] = H[:, 0], -H[:, 1]
    H[n // 2 : n // 2 + 4] = H[:4]
    noisy = H[:, 0] + H[:, 1] + H[:, 2] + rng.normal(size=n)
    y = np.where(noisy > 0, 1.0, -1.0)
    y[n // 2 : n // 2 + 4] = y[:4]
    return H, y


def attributes(n: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return attributes, one of them constant, and labels."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(n, 4))
    X[:, 3] = 2.0
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0.1, 1.0, -1.0)


def small_grid(name: str, learner: Learner) -> Grid:
    """Return the first and the last default value of each hyper-parameter, and few rounds."""
    found: dict[str, Any] = {}
    known = {h.name: h for h in learner.hyperparameters}
    for key, axis in ALGORITHMS.find(name).grid.items():
        if key == "n_rounds":
            found[key] = [3, MOST_ROUNDS]
        elif key in known:
            values = Axis.model_validate(axis).resolve(known[key].kind)
            found[key] = list(dict.fromkeys([values[0], values[-1]]))
    needed = [h.name for h in known.values() if not h.optional and h.name not in found]
    assert not needed, f"the entry has no grid for {', '.join(needed)}"
    return Grid.of(found)


def close(found: FloatArray, expected: FloatArray) -> bool:
    """Return whether weights are equal but for the order in which a solver adds up."""
    return np.allclose(found, expected, rtol=1e-6, atol=1e-8, equal_nan=True)


def learner_of(name: str) -> Learner:
    """Return an algorithm with its default settings."""
    return ALGORITHMS.find(name).make({})


def of_votes(check: Callable[[Algorithm, Grid, FloatArray, FloatArray], None]) -> Contract:
    """Return a check of an algorithm that finds weights of voters, on a small problem."""

    @wraps(check)
    def contract(name: str) -> None:
        learner = learner_of(name)
        if learner.gives_votes:
            check(cast(Algorithm, learner), small_grid(name, learner), *votes())

    return contract


def found_by(name: str) -> FloatArray:
    """Return the weights, or the predictions, of an algorithm on a small problem."""
    learner = learner_of(name)
    grid = small_grid(name, learner)
    if learner.gives_votes:
        return cast(Algorithm, learner).path(*votes(), grid)
    X, y = attributes()
    rng = np.random.default_rng(0)
    return cast(Predictor, learner).predictions(X[10:], y[10:], grid, X[:10], rng)


def fingerprint(name: str) -> str:
    """Return a hash of what an algorithm finds, and of what its key says."""
    learner = learner_of(name)
    key = json.dumps([learner.content, makers(learner, ())], sort_keys=True)
    return hashlib.sha256(found_by(name).tobytes() + key.encode()).hexdigest()


def every_candidate_has_its_weights(name: str) -> None:
    """A path has one row per candidate: weights of all voters, or predictions of all examples."""
    learner = learner_of(name)
    n = len(small_grid(name, learner).candidates)
    shape = (n, votes()[0].shape[1] if learner.gives_votes else 10)
    found = found_by(name)
    assert found.shape == shape, f"the shape is {found.shape}, not {shape}"
    assert not np.isinf(found).any(), "a number is infinite"
    assert not np.isnan(found).all(), "no candidate has a solution"


@of_votes
def a_candidate_alone_is_the_same(
    learner: Algorithm, grid: Grid, H: FloatArray, y: FloatArray
) -> None:
    """A candidate is the same alone and among others, also of fewer rounds."""
    path = learner.path(H, y, grid)
    for candidate, weights in zip(grid.candidates, path, strict=True):
        alone = learner.path(H, y, Grid.of({k: [v] for k, v in candidate.items()}))[0]
        assert close(alone, weights), f"{candidate} is another one alone"


@of_votes
def samples_are_repeated_examples(
    learner: Algorithm, grid: Grid, H: FloatArray, y: FloatArray
) -> None:
    """A sample gives the weights of its examples, repeated as often as it counts them."""
    samples = np.random.default_rng(7).integers(0, 3, (2, len(y)))
    found = learner.path(H, y, grid, samples.astype(np.float64))
    for counts, path in zip(samples, found, strict=True):
        rows = np.repeat(np.arange(len(y)), counts)
        expected = learner.path(H[rows], y[rows], grid)
        assert close(path, expected), "weights differ from those of repeated rows"


@of_votes
def the_order_of_examples_does_not_matter(
    learner: Algorithm, grid: Grid, H: FloatArray, y: FloatArray
) -> None:
    """The order of the examples does not matter."""
    order = np.random.default_rng(8).permutation(len(y))
    found, expected = learner.path(H[order], y[order], grid), learner.path(H, y, grid)
    assert close(found, expected), "weights change with the order of the examples"


@of_votes
def merging_voters_changes_nothing(
    learner: Algorithm, grid: Grid, H: FloatArray, y: FloatArray
) -> None:
    """Merging equal voters gives the same weights, or the algorithm says that it must not be."""
    if not learner.merges_voters:
        return
    plain = learner.paths(reduce_problem(H, y, merge_voters=False), [grid])
    merged = learner.paths(learner.reduced(H, y), [grid])
    # A program may share a weight among equal voters, whose sum is what votes.
    same = np.allclose(plain @ H.T, merged @ H.T, rtol=1e-5, atol=1e-6, equal_nan=True)
    assert same, "votes change if equal voters are merged: set merges_voters to False"


def unknown_and_invalid_values_are_refused(name: str) -> None:
    """Unknown settings, unknown hyper-parameters and invalid values are refused."""
    entry = ALGORITHMS.find(name)
    try:
        entry.make({"no_such_setting": 1})
    except (ValidationError, ValueError):
        pass
    else:
        raise AssertionError("an unknown setting is accepted")
    learner = entry.make({})
    bad = [{"no_such_hyperparameter": [1]}]
    bad += [{h.name: [-1]} for h in learner.hyperparameters if h.kind != "any"]
    for axes in bad:
        try:
            learner.check(Grid.of(axes))
        except ValueError:
            continue
        raise AssertionError(f"the grid {axes} is accepted")


def a_worker_gets_the_same(name: str) -> None:
    """The algorithm can be sent to a worker, and its settings can be kept in a record."""
    learner = learner_of(name)
    assert pickle.loads(pickle.dumps(learner)) == learner, "it is another one once it was sent"
    content = json.loads(json.dumps(learner.content))
    assert content.keys() == learner.content.keys(), "its content is not plain data"
    assert isinstance(learner.version, int), "its version is not a whole number"


def its_certificate_is_found(name: str) -> None:
    """Its certificate can be imported, if it names one."""
    certificate_of(learner_of(name))


def the_same_bytes_twice(name: str) -> None:
    """It gives the same bytes twice."""
    assert found_by(name).tobytes() == found_by(name).tobytes(), "two calls give other bytes"


def the_same_bytes_in_another_process(name: str) -> None:
    """Another process gives the same bytes and the same key."""
    code = f"from quadrepro.plugins.contracts import fingerprint; print(fingerprint({name!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == fingerprint(name), "another process gives other bytes, or a key"


OF_ALGORITHMS: tuple[Contract, ...] = (
    every_candidate_has_its_weights,
    a_candidate_alone_is_the_same,
    samples_are_repeated_examples,
    the_order_of_examples_does_not_matter,
    merging_voters_changes_nothing,
    unknown_and_invalid_values_are_refused,
    a_worker_gets_the_same,
    its_certificate_is_found,
    the_same_bytes_twice,
    the_same_bytes_in_another_process,
)


def runs() -> Iterator[Trained]:
    """Yield the rounds of runs of some algorithms on classes that three voters tell apart."""
    H, _ = votes(60)
    y = np.where(H[:, 0] + H[:, 1] + H[:, 2] > 0, 1.0, -1.0)
    train, test = slice(0, 40), slice(40, 60)
    grid = Grid.of({"n_rounds": [*range(1, MOST_ROUNDS + 1)]})
    for algorithm in (AdaBoost(), QuadBoost()):
        weights = algorithm.path(H[train], y[train], grid)
        yield Trained(
            y[train],
            y[test],
            weights @ H[train].T,
            weights @ H[test].T,
            H[train],
            weights,
            lambda name: np.random.default_rng([*name.encode()]),
        )


def trained(name: str) -> Trained:
    """Return the first run that a measure can be taken of; some are of one algorithm alone."""
    refusals = []
    for run in runs():
        try:
            values(MEASURES.find(name), run)
        except ValueError as error:
            refusals.append(str(error))
        else:
            return run
    raise AssertionError(f"it can be taken of no run: {'; '.join(refusals)}")


def values(measure: Measure, of: Trained) -> FloatArray:
    """Return what is measured; a bound may be infinite or undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(measure(of), dtype=np.float64)


def every_candidate_has_a_number(name: str) -> None:
    """Every candidate has one number."""
    found = values(MEASURES.find(name), trained(name))
    assert found.shape == (MOST_ROUNDS,), f"the shape is {found.shape}, not ({MOST_ROUNDS},)"
    assert not np.isnan(found).all(), "no candidate has a number"


def the_same_numbers_twice(name: str) -> None:
    """It gives the same numbers twice, and changes nothing that it is given."""
    given = trained(name)
    before = given.scores.copy(), given.y.copy()
    first, second = (values(MEASURES.find(name), given) for _ in range(2))
    assert first.tobytes() == second.tobytes(), "two calls give other numbers"
    same = (given.scores == before[0]).all() and (given.y == before[1]).all()
    assert same, "it changes what it is given"


def what_it_needs_is_all_that_it_uses(name: str) -> None:
    """A measure of scores can do without voters; one of voters says that it needs them."""
    measure = MEASURES.find(name)
    assert measure.needs in ("scores", "voters"), f"needs is {measure.needs!r}"
    if measure.needs == "scores":
        found = values(measure, replace(trained(name), H=None, weights=None))
        assert not np.isnan(found).all(), "without voters, no candidate has a number"


def candidates_are_measured_one_by_one(name: str) -> None:
    """The number of a candidate does not depend on later ones."""
    given, first = trained(name), slice(0, MOST_ROUNDS - 2)
    assert given.weights is not None
    fewer = replace(
        given,
        scores=given.scores[first],
        test_scores=given.test_scores[first],
        weights=given.weights[first],
    )
    found, expected = values(MEASURES.find(name), fewer), values(MEASURES.find(name), given)[first]
    assert np.allclose(found, expected, equal_nan=True), "fewer candidates get other numbers"


def tables_can_show_it(name: str) -> None:
    """It has a title, a direction, a version, and a module whose code is known."""
    measure = MEASURES.find(name)
    assert measure.title, "it has no title"
    assert measure.direction in ("lower", "higher", None), f"direction is {measure.direction!r}"
    assert isinstance(measure.version, int), "its version is not a whole number"
    assert import_module(measure.module).__file__, "its module has no file"


OF_MEASURES: tuple[Contract, ...] = (
    every_candidate_has_a_number,
    the_same_numbers_twice,
    what_it_needs_is_all_that_it_uses,
    candidates_are_measured_one_by_one,
    tables_can_show_it,
)


Case = tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]
"""Targets, outputs that are right, outputs that are not, and the number of classes."""


def case(name: str, task: Task) -> Case:
    """Return targets with good and bad outputs of a task, as a metric is given them."""
    rng, metric = np.random.default_rng(9), METRICS.find(name)
    n_classes = {"classification": 2, "multiclass": 3, "regression": 0}[task]
    if not n_classes:
        numbers = rng.uniform(1, 2, 30)
        return numbers, numbers + 0.01, numbers[::-1] + 1.0, 0
    y = np.arange(30) % n_classes
    wrong = (y + 1) % n_classes
    if metric.needs == "predictions":
        return y, y, wrong, n_classes
    good, bad = (0.8 * np.eye(n_classes)[of] + 0.2 / n_classes for of in (y, wrong))
    if metric.needs == "scores" and n_classes == 2:
        return y, good[:, 1] - 0.5, bad[:, 1] - 0.5, 2
    return y, good, bad, n_classes


def a_metric_has_the_name_of_its_entry(name: str) -> None:
    """It has the name of its entry, a label and a task."""
    metric = METRICS.find(name)
    assert metric.name == name, f"its name is {metric.name!r}"
    assert metric.label, "it has no label"
    assert metric.tasks, "it judges no task"


def right_outputs_are_not_worse(name: str) -> None:
    """It is a number, and right outputs are at least as good as wrong ones."""
    metric = METRICS.find(name)
    for task in metric.tasks:
        y, good, bad, n_classes = case(name, task)
        best, worst = (float(metric.function(y, of, n_classes)) for of in (good, bad))
        assert math.isfinite(best), f"{task}: right outputs have no value"
        better = best >= worst if metric.greater_is_better else best <= worst
        assert better, f"{task}: right outputs have {best:g}, wrong ones {worst:g}"


def a_metric_is_the_same_twice(name: str) -> None:
    """It gives the same number twice, and in any order of the examples."""
    metric = METRICS.find(name)
    for task in metric.tasks:
        y, good, _, n_classes = case(name, task)
        found = [float(metric.function(y, good, n_classes)) for _ in range(2)]
        found.append(float(metric.function(y[::-1], good[::-1], n_classes)))
        assert found[0] == found[1], f"{task}: two calls give other numbers"
        assert math.isclose(found[0], found[2], rel_tol=1e-9), f"{task}: the order matters"


OF_METRICS: tuple[Contract, ...] = (
    a_metric_has_the_name_of_its_entry,
    right_outputs_are_not_worse,
    a_metric_is_the_same_twice,
)


def refuses_unknown_keys(model: type[Model], document: Mapping[str, str]) -> None:
    """Assert that a model refuses a key that it does not have, and names it."""
    try:
        model.model_validate({**document, "no_such_key": 1})
    except ValidationError as error:
        assert "no_such_key" in str(error), "an unknown key is not named"
    else:
        raise AssertionError("an unknown key is accepted")


def it_is_judged(name: str) -> None:
    """It is a claim with a judgement of its own."""
    model = CLAIMS.find(name)
    assert issubclass(model, Claim), f"{model.__name__} is not a Claim"
    assert model.judge is not Claim.judge, f"{model.__name__} has no judge"


def it_says_what_it_claims(name: str) -> None:
    """Its docstring describes the claim, and its keys can be written as a JSON schema."""
    model = CLAIMS.find(name)
    assert (model.__doc__ or "").strip(), f"{model.__name__} has no docstring"
    assert model.__doc__ != Claim.__doc__, f"{model.__name__} has the docstring of all claims"
    keys = model.model_json_schema()["properties"]
    assert {"kind", "text"} <= keys.keys(), "its schema lacks kind or text"


def a_claim_has_the_name_of_its_entry(name: str) -> None:
    """The name of its entry is one of its names."""
    names = CLAIMS.find(name).names
    assert name in names, f"its names are {names}: give class X(Claim, names=({name!r},))"


def unknown_keys_of_a_claim_are_refused(name: str) -> None:
    """A key that it does not have is refused by its name."""
    refuses_unknown_keys(CLAIMS.find(name), {"kind": name, "text": "x"})


OF_CLAIMS: tuple[Contract, ...] = (
    it_is_judged,
    it_says_what_it_claims,
    a_claim_has_the_name_of_its_entry,
    unknown_keys_of_a_claim_are_refused,
)


def a_source_says_what_it_is(name: str) -> None:
    """It has a docstring, and its keys can be written as a JSON schema."""
    model = SOURCES.find(name)
    inherited = (PackageSource.__doc__, Layout.__doc__)
    assert model.__doc__ not in (None, *inherited), f"{model.__name__} has no docstring of its own"
    assert "kind" in model.model_json_schema()["properties"], "its schema lacks kind"


def it_can_be_read(name: str) -> None:
    """A source of another package reads its rows itself."""
    model = SOURCES.find(name)
    if name not in SOURCES:
        assert issubclass(model, PackageSource), f"{model.__name__} is not a PackageSource"
        assert model.read is not PackageSource.read, f"{model.__name__} does not read"


def unknown_keys_of_a_source_are_refused(name: str) -> None:
    """A key that it does not have is refused by its name."""
    refuses_unknown_keys(SOURCES.find(name), {"kind": name})


OF_SOURCES: tuple[Contract, ...] = (
    a_source_says_what_it_is,
    it_can_be_read,
    unknown_keys_of_a_source_are_refused,
)


EXPERIMENT = {
    "title": "Contract",
    "baseline": False,
    "repeats": 3,
    "protocol": {"view": "quadboost", "folds": 2},
    "datasets": ["monks"],
    "algorithms": [
        {"name": "adaboost", "grid": {"n_rounds": [1, 3]}},
        {"name": "quadboost", "grid": {"n_rounds": [1, 3]}},
    ],
}
"""A small experiment whose table is written, if the kind can be asked for with `true`."""


def kind_of(name: str) -> TableKind[Any]:
    """Return a kind of table or figure."""
    found = KINDS.find(name)
    assert isinstance(found, TableKind), f"{name} is not a kind of table"
    return found


def it_makes_files(name: str) -> None:
    """It makes a table or a figure, and a figure has a caption."""
    kind = kind_of(name)
    assert kind.makes_table or kind.makes_figure, "it makes neither a table nor a figure"
    has_caption = type(kind).caption is not TableKind.caption
    assert has_caption or not kind.makes_figure, "a figure needs a caption"
    assert {*kind.endings} <= {*ENDINGS}, f"endings are {', '.join(ENDINGS)}"


def a_kind_says_what_it_is(name: str) -> None:
    """It describes its output, and its option can be written as a JSON schema."""
    kind = kind_of(name)
    assert kind.key == name, f"its key is {kind.key!r}"
    assert kind.meaning, "it has no meaning for the reference"
    assert TypeAdapter(kind.option).json_schema(), "its option has no schema"


def a_table_has_the_same_bytes_twice(name: str) -> None:
    """A table that is asked for with true has the same bytes twice."""
    kind = kind_of(name)
    try:
        asked = TypeAdapter(kind.option).validate_python(True, strict=True)
    except ValidationError:
        return
    if kind.timed or asked is not True:
        return
    with TemporaryDirectory() as folder:
        first, second = (_files(name, Path(folder)) for _ in range(2))
    assert first, "no file is written"
    assert first == second, "two calls write other bytes"


def _files(name: str, folder: Path) -> dict[str, bytes]:
    """Return the files of a kind, of an experiment that is computed only once."""
    config = EXPERIMENT | {"tables": {name: True}}
    found = reproduce(config, jobs=0, out=folder, offline=True, progress=False)
    stem = kind_of(name).name
    return {path.name: path.read_bytes() for path in found.folder.glob(f"{stem}.*")}


OF_TABLES: tuple[Contract, ...] = (
    it_makes_files,
    a_kind_says_what_it_is,
    a_table_has_the_same_bytes_twice,
)
