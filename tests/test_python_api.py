"""From Python: configs are reproduced, and estimators compared as by scikit-learn itself."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import quadrepro
from quadrepro import AdaBoostClassifier, api
from quadrepro.api import prepare
from quadrepro.base.yaml import read_yaml
from quadrepro.config.in_memory import hash_of_arrays
from quadrepro.core.training.objects import code_of, digest
from quadrepro.engine import worker
from quadrepro.engine.records import RecordStore
from quadrepro.errors import ConfigError, DataError, QuadreproError
from quadrepro.results.results import Results
from quadrepro.results.writer import write_results
from tests.make import Write, config, write_config
from tests.make import quadrepro as command


def test_a_mapping_gives_the_tables_of_the_same_file_without_progress_if_not_wanted(
    small_config: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = small_config()
    content: dict[str, Any] = read_yaml(path).data
    of_file = quadrepro.reproduce(path, jobs=1, out=tmp_path / "a", progress=False)
    of_mapping = quadrepro.reproduce(content, jobs=1, out=tmp_path / "b", progress=False)
    assert capsys.readouterr().err == ""
    assert of_mapping.folder.name == of_file.folder.name == "small"
    compared = command("compare", of_file.folder, of_mapping.folder, "--tolerance", 0)
    assert compared.exit_code == 0, compared.output


def test_a_cell_without_a_record_is_a_dash(small_config: Write, tmp_path: Path) -> None:
    plan = prepare(small_config(), offline=True)
    results = write_results(plan, RecordStore(tmp_path / "records"), tmp_path)
    assert "–" in repr(results.table("errors"))
    assert set(results.cells["status"]) == {"missing"}
    assert len(results.examples) == 0


def cell_of(out: Path, **options: Any) -> Any:
    """Return the row of the only cell of a config, of which options can change keys."""
    keys = config(**options.pop("keys", {}))
    return quadrepro.reproduce(keys, jobs=1, out=out, progress=False, **options).cells.iloc[0]


def test_cells_have_the_limits_of_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = []
    monkeypatch.setattr(api, "compute_cells", lambda *args, **_: computed.append(args[3]))
    cell_of(tmp_path, keys={"timeout": 0.5, "memory": "3GB"})
    assert [*computed[0].values()] == [worker.Limits(seconds=0.5, memory=3 * 10**9)]


def test_a_failed_cell_is_computed_again_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(worker, "compute_cell", lambda cell: 1 / 0)
        assert cell_of(tmp_path)["status"] == "failed"
    assert [cell_of(tmp_path, retry=of)["status"] for of in (False, True)] == ["failed", "ok"]


def test_code_that_has_changed_is_imported_again(tmp_path: Path) -> None:
    code, found = "class Own:\n  def fit(self, X, y): ...\n  def predict(self, X): ", []
    path = write_config(tmp_path, algorithms=["mine_again:Own"], baseline=False)
    for value in (0, 1):
        # Python takes a file of the same size and second for unchanged.
        text = f"{code}return [{value}] * len(X)\n" + value * "# changed\n"
        (tmp_path / "mine_again.py").write_text(text)
        results = quadrepro.reproduce(path, jobs=1, out=tmp_path, progress=False)
        found.append(results.cells["errors"].iloc[0])
    assert sum(found) == results.cells["n_test"].iloc[0]


RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + RNG.normal(size=N) > 0
CLASSES = np.array(["low", "mid", "top"])[np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])]
CITIES = np.array(["Rome", "Oslo", "Lima", "Kyiv"])[np.arange(N) % 4]
FRAME = pd.DataFrame(
    {
        "age": np.where(X[:, 0] > 1, np.nan, X[:, 0]),
        "city": CITIES,
        "since": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), "D"),
        "kind": pd.Categorical(np.where(X[:, 2] > 0, "a", "b")),
        "churn": np.where(Y, "yes", "no"),
    },
    index=[f"customer {i}" for i in range(N)],
)
FILLED = make_pipeline(FunctionTransformer(np.nan_to_num), StandardScaler())
DAY = FunctionTransformer(lambda x: x.apply(lambda column: column.dt.day))
COLUMNS = make_column_transformer((OneHotEncoder(), ["city"]), (FILLED, ["age"]), (DAY, ["since"]))
KINDS = make_column_transformer((OneHotEncoder(), make_column_selector(dtype_include="category")))
TREE, BAYES = DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()


def compare(estimators: Any, *arrays: Any, **options: Any) -> Results:
    return quadrepro.compare(estimators, *arrays, **{"jobs": 1, "progress": False} | options)


def values(results: Results, name: str, column: str = "value") -> list[float]:
    cells = results.cells[results.cells["algorithm"] == name]
    assert set(cells["status"]) == {"ok"}
    return cells.sort_values("repeat")[column].tolist()


CASES: Mapping[str, tuple[Any, Any, Any]] = {
    "order of rows": (SGDClassifier(random_state=0), X, CLASSES),
    "float32": (LogisticRegression(), X.astype(np.float32), Y),
    "Fortran order": (LogisticRegression(), np.asfortranarray(X), Y),
    "lists": (LogisticRegression(), X.tolist(), CLASSES.tolist()),
    "texts": (make_pipeline(CountVectorizer(), BernoulliNB()), CITIES.tolist(), [*Y]),
    "missing values": (HistGradientBoostingClassifier(max_iter=2), np.where(X > 1, np.nan, X), Y),
    "sparse": (LogisticRegression(), csr_array(np.where(X > 0, X, 0)), Y),
    "search": (GridSearchCV(SVC(), {"C": [0.1, 10]}, cv=2), X, Y),
    "names of columns": (make_pipeline(COLUMNS, LogisticRegression()), FRAME, FRAME["churn"]),
    "types of columns": (make_pipeline(KINDS, BAYES), FRAME, FRAME["churn"]),
}


@pytest.mark.parametrize("case", CASES)
def test_estimators_get_the_rows_that_cross_validate_gives_them(case: str) -> None:
    estimator, rows, y = CASES[case]
    cv = ShuffleSplit(3, test_size=0.3, random_state=1)
    accuracies = cross_validate(estimator, rows, y, cv=cv, error_score="raise")["test_score"]
    risks = values(compare({"own": estimator}, rows, y, cv=cv), "own")
    np.testing.assert_allclose(risks, 1 - accuracies, rtol=1e-7)


SPLITTERS: Mapping[str, Callable[[], Any]] = {
    "number": lambda: 3,
    "repeated": lambda: RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
    "groups": lambda: GroupKFold(3),
    "time": lambda: TimeSeriesSplit(3),
    "predefined": lambda: PredefinedSplit(np.arange(N) % 3 - 1),
    "bootstrap": lambda: [(np.arange(N - 3).repeat(2), np.arange(N - 3, N))],
    "pairs": lambda: (
        (np.arange(N) % 7 != i, np.flatnonzero(np.arange(N) % 7 == i)) for i in (0, 1)
    ),
}


@pytest.mark.parametrize("kind", SPLITTERS)
def test_splits_are_those_of_the_splitter(kind: str) -> None:
    groups = CITIES if kind == "groups" else None
    scores = cross_validate(BAYES, X, Y, cv=SPLITTERS[kind](), groups=groups)
    results = compare({"bayes": BAYES}, X, Y, cv=SPLITTERS[kind](), groups=groups)
    np.testing.assert_allclose(values(results, "bayes"), 1 - scores["test_score"], rtol=1e-7)


def test_tests_of_differences_know_the_share_that_a_split_tests() -> None:
    results = compare([BAYES], X, Y, cv=TimeSeriesSplit(2))
    assert results.outcomes is not None
    assert results.outcomes.test_shares == {"y": 20 / (30 + 20)}


def test_metrics_and_errors_of_regressors_equal_scikit_learns() -> None:
    y, scoring = X[:, 0] * X[:, 1], {"r2": "r2", "value": "neg_root_mean_squared_error"}
    tree = DecisionTreeRegressor(max_depth=2)
    scores = cross_validate(clone(tree).set_params(random_state=0), X, y, scoring=scoring)
    results = compare([LinearRegression(), tree.set_params(random_state=0)], X, y, metrics="r2")
    for name, sign in (("r2", 1), ("value", -1)):
        ours = values(results, "DecisionTreeRegressor", name)
        np.testing.assert_allclose(ours, sign * scores[f"test_{name}"], rtol=1e-7)
    examples = results.examples
    assert (examples["error"] == examples["predicted"] - examples["actual"]).all()
    np.testing.assert_array_equal(examples["actual"][:12], y[:12])
    assert "wrong" not in examples
    auc = cross_validate(LogisticRegression(), X, CLASSES, scoring="roc_auc_ovr")["test_score"]
    own = compare([LogisticRegression()], X, CLASSES, metrics=["auc"])
    np.testing.assert_allclose(values(own, "LogisticRegression", "auc"), auc, rtol=1e-6)


def test_target_and_groups_can_be_columns_and_are_not_learned_from() -> None:
    class Columns(ClassifierMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Columns:
            assert [*X] == ["age", "since", "kind"]
            self.classes_ = np.unique(y)
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X), dtype=int)

    for cv in (GroupKFold(4), {"outer": 4, "groups": "city"}):
        groups = "city" if isinstance(cv, GroupKFold) else None
        results = compare([Columns()], FRAME, target="churn", groups=groups, cv=cv)
        examples = results.examples.query("algorithm == 'Columns'")
        assert examples["row"].nunique() == len(examples) == N
        assert (FRAME["churn"].loc[examples["row"]].to_numpy() == examples["label"]).all()
        cities = FRAME["city"].loc[examples["row"]].to_numpy()
        assert (examples.groupby(cities)["repeat"].nunique() == 1).all()
        assert set(examples["predicted"]) == {"no"}


def test_splits_of_a_rule_are_drawn_by_it() -> None:
    results = compare([BAYES], X, Y, cv={"train": 45, "stratify": True}, repeats=2)
    assert (results.cells["n_test"] == 15).all()
    assert len(results.cells) == 2 * 2
    counts = results.examples.groupby(["algorithm", "repeat"])["label"].value_counts()
    assert counts.groupby("label").nunique().tolist() == [1, 1]
    by_time = compare(
        [BAYES], FRAME[["age", "since"]].fillna(0), Y, cv={"time": "since"}, repeats=2
    )
    assert [*by_time.examples["row"][:30]] == [
        f"customer {i}" for i in (*range(30, 45), *range(30, 45))
    ]


def files(folder: Path) -> set[tuple[Path, int]]:
    return {(path, path.stat().st_mtime_ns) for path in folder.rglob("*.record")}


def test_cells_are_kept_by_what_their_estimator_and_rows_are(tmp_path: Path) -> None:
    def new(tree: Any, *arrays: Any, **options: Any) -> int:
        before = files(tmp_path)
        compare({"tree": tree, "bayes": BAYES}, *arrays, out=tmp_path, **{"cv": 2} | options)
        assert files(tmp_path) >= before
        return len(files(tmp_path) - before)

    frame = pd.DataFrame(X)
    assert new(TREE, frame, Y) == 2 * 3
    assert new(clone(TREE), frame.copy(), Y.tolist()) == 0
    assert new(clone(TREE).set_params(max_depth=1), frame, Y) == 2
    assert new(TREE, frame.assign(more=1.0).rename(columns=str), Y) == 6
    assert new(TREE, frame, ~Y) == 6
    assert new(TREE, frame, Y, seed=1) == 6
    assert new(TREE, frame, Y, cv=KFold(2)) == 6


def test_names_types_order_and_values_of_columns_change_the_hash() -> None:
    frame = FRAME[["age", "kind"]]
    others: Iterable[pd.DataFrame] = [
        frame,
        frame.rename(columns={"age": "Age"}),
        frame.astype({"age": "float32"}),
        frame.assign(kind=frame["kind"].cat.add_categories("c")),
        frame.iloc[::-1],
        frame.assign(age=frame["age"].where(frame["age"] != frame["age"].min(), 0)),
    ]
    assert len({hash_of_arrays(one, Y) for one in others}) == 6
    assert hash_of_arrays(frame, Y) == hash_of_arrays(frame.copy(), Y.copy())
    lists = pd.DataFrame({"list": [[1], [2]]})
    assert hash_of_arrays(lists, [0, 1]) != hash_of_arrays(lists[::-1], [0, 1])


def test_estimators_without_a_seed_get_one_and_so_do_splitters() -> None:
    options: dict[str, Any] = {"cv": ShuffleSplit(2, train_size=40), "metrics": "auc"}
    tree = DecisionTreeClassifier(max_features=1)
    first, again = (compare([tree], X, Y, **options).cells for _ in range(2))
    assert first["auc"].tolist() == again["auc"].tolist()
    assert first["auc"].tolist() != compare([tree], X, Y, seed=1, **options).cells["auc"].tolist()
    assert options["cv"].random_state is None


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a module with an estimator, which imports another one of its folder."""
    (tmp_path / "own_helper.py").write_text("DEPTH = 1\n")
    path = tmp_path / "own_trees.py"
    path.write_text(
        "import own_helper\nimport yaml\nfrom sklearn.tree import DecisionTreeClassifier\n"
        "class Own(DecisionTreeClassifier):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return path


def test_own_code_is_hashed_with_all_that_it_imports_from_its_folder(module: Path) -> None:
    pipeline = make_pipeline(importlib.import_module("own_trees").Own())
    own, others = code_of(pipeline)
    assert own.keys() == {"own_trees", "own_helper"}
    assert {"sklearn.pipeline", "yaml"} <= others
    (module.parent / "own_helper.py").write_text("DEPTH = 2\n")
    changed, _ = code_of(pipeline)
    assert changed["own_trees"] == own["own_trees"]
    assert changed["own_helper"] != own["own_helper"]
    assert code_of(make_pipeline(StandardScaler(), AdaBoostClassifier()))[0] == {}


def visible_in(results: Results) -> list[Any]:
    frames = results.cells, results.comparisons, results.examples, results.table("errors").data
    return [*(frame.to_csv() for frame in frames), results.run.conclusion, results._repr_html_()]


def test_results_keep_what_they_show_after_a_later_run_and_in_pickles(tmp_path: Path) -> None:
    class Local(DummyClassifier):
        pass

    estimators = {"tree": TREE, "bayes": BAYES, "local": Local()}
    first = compare(estimators, X, Y, cv=3, metrics="auc", out=tmp_path)
    loaded, pickled = quadrepro.load_results(first.folder), pickle.dumps(first)
    before = visible_in(Results(first.folder, first.plan, first.outcomes))
    later = compare(estimators, X[:, 1:], Y, cv=3, metrics="auc", out=tmp_path)
    assert visible_in(first) == visible_in(pickle.loads(pickled)) == before
    assert loaded.cells.equals(first.cells)
    assert not later.cells["value"].equals(first.cells["value"])
    assert loaded.run.conclusion == first.run.conclusion != later.run.conclusion
    with pytest.raises(ConfigError, match="now has the results of a later run"):
        first.report()
    with pytest.raises(ConfigError, match=r"or quadrepro\.compare with the same out="):
        _ = loaded.examples
    assert later.report().is_file()


@pytest.mark.parametrize("file", [None, "<stdin>"])
def test_code_without_a_file_is_hashed_as_it_is(
    monkeypatch: pytest.MonkeyPatch, file: str | None
) -> None:
    import __main__

    monkeypatch.delattr(__main__, "__file__", raising=False)
    if file:
        monkeypatch.setattr(__main__, "__file__", file, raising=False)
    hashes = set()
    for text in ("x", "x + 1"):
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(f"def double(x): return {text}", names)
        hashes.add(code_of(FunctionTransformer(names["double"]))[0]["double"])
    assert len(hashes) == 2


def test_lambdas_are_hashed_with_what_they_hold() -> None:
    doubles, triples, again = (FunctionTransformer(lambda x, k=k: k * x) for k in (2, 3, 2))
    assert digest(doubles) == digest(again) != digest(triples)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_lambdas_and_local_classes_are_sent_to_workers(jobs: int) -> None:
    class Local(DummyClassifier):
        pass

    squares = make_pipeline(FunctionTransformer(lambda x: x**2), GaussianNB())
    results = compare([Local(), squares], X, Y, cv=2, jobs=jobs)
    assert values(results, "Local") == values(results, "baseline")
    accuracies = cross_validate(squares, X, Y, cv=2)["test_score"]
    np.testing.assert_allclose(values(results, "Pipeline"), 1 - accuracies)


def test_two_estimators_of_a_class_have_different_names_and_their_parameters_are_noted() -> None:
    estimators = [BAYES, DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier(max_depth=2)]
    results = compare(estimators, X, Y, cv=2, title="Trees & Bayes")
    assert results.folder.name == "trees-bayes"
    names = ["GaussianNB", "DecisionTreeClassifier", "DecisionTreeClassifier 2", "baseline"]
    assert results.cells["algorithm"].unique().tolist() == names
    notes = [note for note in results.made["errors"].notes if "Classifier" in note]
    assert notes[:2] == [
        "DecisionTreeClassifier: DecisionTreeClassifier(max_depth=1)",
        "DecisionTreeClassifier 2: DecisionTreeClassifier(max_depth=2)",
    ]
    assert not any("GaussianNB:" in note for note in results.made["errors"].notes)
    assert "over 2 splits" in repr(results)
    assert "Splits: StratifiedKFold(n_splits=2, random_state=None, shuffle=False)." in repr(results)
    assert "<table>" in results._repr_html_()
    assert "Trees &amp; Bayes" in results.report().read_text()
    alone = compare([BAYES], X, Y, cv=KFold(2))
    assert "Splits: KFold(n_splits=2, random_state=None, shuffle=False)." in repr(alone)
    assert alone.run.conclusion == "No comparison, which needs two methods with all results."
    assert '<p class="statement">No comparison, which' in alone.report().read_text()


def test_an_estimator_of_two_classes_is_fitted_once_for_each_of_more() -> None:
    class OfTwo(SVC):
        def fit(self, X: Any, y: Any) -> Any:
            assert {*y} == {0, 1}
            return super().fit(X, y)

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.classifier_tags.multi_class = False
            return tags

    results = compare([OfTwo(), OneVsRestClassifier(SVC())], X, CLASSES, cv=2)
    assert values(results, "OfTwo") == values(results, "OneVsRestClassifier")


def test_results_that_no_folder_is_given_for_are_removed_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr("atexit.register", lambda *args, **options: calls.append((args, options)))
    folder = compare([BAYES], X, Y, cv=2).folder
    [((remove, place), options)] = calls
    remove(place, **options)
    assert not folder.exists()


def test_the_first_failure_of_each_kind_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    results = compare([BAYES], FRAME, target="churn", cv=2)
    assert results.cells["status"].tolist() == ["failed", "ok"] * 2
    assert capsys.readouterr().err.splitlines() == [
        "churn, GaussianNB, repeat 0: failed: ValueError: could not convert string to float: 'Rome'"
    ]


class Behind(BaseEstimator, ClassifierMixin):
    def fit(self, X: Any, y: Any) -> Behind:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


GAPS = np.where(Y, "a", None)
HALVES = np.arange(30), np.arange(30, N)
SWAPPED = HALVES[::-1]
OVERLAP = np.arange(32), np.arange(30, N)
MISTAKES: list[tuple[type[QuadreproError], str, Any, Any, dict[str, Any]]] = [
    (ConfigError, "estimators is empty", [], Y, {}),
    (ConfigError, r"estimators\['GaussianNB'\]: Cannot clone", [GaussianNB], Y, {}),
    (ConfigError, r"\['svm'\]: The 'C' parameter", {"svm": SVC(C=-1)}, Y, {}),
    (ConfigError, "neither classes nor numbers", [StandardScaler()], Y, {}),
    (ConfigError, r"own needs .* in front of BaseEst", [make_pipeline(Behind())], Y, {}),
    (ConfigError, "cannot be compared", [BAYES, LinearRegression()], Y, {}),
    (ConfigError, "y is missing", [BAYES], None, {}),
    (ConfigError, "'Baseline' is the name of the added", {"Baseline": BAYES}, Y, {}),
    (ConfigError, "give either y or target=", [BAYES], Y, {"target": "churn"}),
    (ConfigError, "cv: .* give groups=, an", [BAYES], Y, {"cv": StratifiedGroupKFold(3)}),
    (ConfigError, "cv: k-fold.*=1$", [BAYES], Y, {"cv": 1}),
    (ConfigError, "cv: .*out of bounds", [BAYES], Y, {"cv": [([0], [N])]}),
    (ConfigError, "cv: every split needs rows", [BAYES], Y, {"cv": [([0, 1], [])]}),
    (ConfigError, "all of one class", [BAYES], Y, {"cv": [(Y, ~Y)]}),
    (ConfigError, "cv: split 1 trains on 2 of 30 test", [BAYES], Y, {"cv": [HALVES, OVERLAP]}),
    (ConfigError, "cv: only 2 of 4 splits differ", [BAYES], Y, {"cv": [HALVES, SWAPPED] * 2}),
    (ConfigError, "did you mean 'outer'", [BAYES], Y, {"cv": {"outr": 5}}),
    (ConfigError, "OpenML", [BAYES], Y, {"cv": {"openml_task": 5}}),
    (ConfigError, "X is not a data frame", [BAYES], Y, {"cv": {"time": "day"}}),
    (ConfigError, "did you mean 'accuracy'", [BAYES], Y, {"metrics": ["acuracy"]}),
    (DataError, "y: Found input", [BAYES], Y[1:], {}),
    (DataError, r"^groups has the shape \(9,\), but y has 60", [BAYES], Y, {"groups": [1] * 9}),
    (DataError, "y: it is missing in", [BAYES], GAPS, {}),
    (DataError, "y: 1 is an object of type int: give", [BAYES], pd.Series(["a", 1] * 30), {}),
    (DataError, "y: it is continuous", [BAYES], X[:, 0], {}),
    (DataError, "y: it is the same", [BAYES], np.zeros(N), {}),
    (DataError, "y: not all of its numbers", [LinearRegression()], np.r_[X[1:, 0], np.inf], {}),
]


@pytest.mark.parametrize(("kind", "message", "estimators", "y", "options"), MISTAKES)
def test_mistakes_are_one_line(
    kind: type[QuadreproError], message: str, estimators: Any, y: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(kind, match=message) as caught:
        compare(estimators, X, y, **options)
    assert len(str(caught.value).splitlines()) == 1


def test_an_unknown_column_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="X has no column 'chrn'; did you mean 'churn'"):
        compare([BAYES], FRAME, target="chrn")
