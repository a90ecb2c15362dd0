from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quadrepro import QuadBoostClassifier
from quadrepro.base.yaml import read_yaml
from quadrepro.config.column import Column
from quadrepro.config.config import Config
from quadrepro.config.first_config import SCHEMA, draft_config
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.config.reference import schema_of
from quadrepro.data.card import write_card
from quadrepro.data.inspection import inspect_file
from quadrepro.tables.kinds import check_tables

ROWS = 12


def drafted(columns: dict[str, list[str]], name: str = "my.csv") -> tuple[Config, str]:
    """Return the config that is drafted for a file of these columns, the last one the target."""
    rows = zip(*columns.values(), strict=True)
    text = "\n".join(",".join(f'"{field}"' for field in row) for row in [(*columns,), *rows])
    Path(name).write_text(text + "\n", encoding="utf-8")
    card = inspect_file(Path(name), [*columns][-1])
    place = Path("datasets") / f"{card.name}.yaml"
    write_card(card, place)
    path = Path(f"{card.name}.yaml")
    text = draft_config(card, name, str(place))
    path.write_text(text, encoding="utf-8")
    data = read_yaml(path).data
    assert [e.message for e in Draft202012Validator(schema_of("config")).iter_errors(data)] == []
    experiment = load_experiment(path)
    check_tables(experiment)
    return experiment.config, text


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def numbers(step: int = 1) -> list[str]:
    return [str(i * step % 7 + 0.5) for i in range(ROWS)]


@pytest.mark.parametrize(
    ("target", "linear", "ours"),
    [(["no", "yes"] * 6, "logistic regression", "quadboost-l2"), (numbers(3), "ridge", "boosting")],
)
def test_labels_are_classified_and_numbers_predicted(
    target: list[str], linear: str, ours: str
) -> None:
    config, text = drafted({"x": numbers(), "y": target})
    assert text.startswith(f"# yaml-language-server: $schema={SCHEMA}\n")
    assert config.datasets[0].view == {}
    assert config.headline == ""
    names = [a.name for a in config.algorithms]
    assert names == [linear, "random forest", "gradient boosting", ours]


def test_ids_codes_and_gaps_change_the_view_with_a_comment_each() -> None:
    columns = {
        "user_id": [str(7 * i) for i in range(ROWS)],
        "word": [f"w{i}" for i in range(ROWS)],
        "colour": ["red", "blue"] * 6,
        "x": ["", *numbers()[1:]],
        "label": ["a", "b", "c"] * 4,
    }
    config, text = drafted(columns)
    view = {"exclude": ["user_id", "word"], "nominal": "one-hot", "missing": "mean"}
    assert config.datasets[0].view == view
    assert text.count("\n      # ") == 3


def of_classes(*sizes: int) -> dict[str, list[str]]:
    """Return two columns: a number that tells nothing, and classes of these sizes."""
    labels = [f"class{k}" for k, size in enumerate(sizes) for _ in range(size)]
    return {"x": [f"{i * 7 % 31}.5" for i in range(len(labels))], "label": labels}


def plan_is_possible() -> bool:
    """Return whether the rows of the drafted config can be divided as it asks for."""
    make_plan(load_experiment(Path("my.yaml"))).check_data()
    return True


@pytest.mark.parametrize("n_rare", [3, 9])
def test_two_imbalanced_classes_are_ranked_and_counted_alike_by_all_learners(n_rare: int) -> None:
    config, text = drafted(of_classes(n_rare, 90))
    assert config.protocol.split.stratify
    assert config.metrics == ("auc", "average_precision", "balanced_error")
    assert config.headline == config.protocol.choose_by == "auc"
    assert f"# Imbalanced: the rarest class has {n_rare} of {90 + n_rare} rows" in text
    weighted = [column.learner.content["settings"] for column in columns_of("my.yaml")]
    assert all("'class_weight': 'balanced'" in str(settings) for settings in weighted)
    assert plan_is_possible()


@pytest.mark.parametrize("n_rare", [1, 2])
def test_a_class_too_rare_for_training_and_testing_leaves_the_risk_to_compare_by(
    n_rare: int,
) -> None:
    config, _ = drafted(of_classes(n_rare, 90))
    assert (config.headline, config.protocol.choose_by) == ("", "error")
    assert not config.protocol.split.stratify
    assert plan_is_possible()


@pytest.mark.parametrize(
    ("sizes", "stratified"),
    [
        *(((60, 50, 1), True), ((4,) * 8, False), ((30, *(1,) * 20), False)),
        *(((57, *(2,) * 40), True), ((56, *(2,) * 40), False)),
    ],
)
def test_more_classes_are_stratified_where_scikit_learn_can_do_it(
    sizes: tuple[int, ...], *, stratified: bool
) -> None:
    config, _ = drafted(of_classes(*sizes))
    assert config.protocol.split.stratify == stratified
    assert config.headline in ("", "balanced_error")
    assert plan_is_possible()


def columns_of(path: str) -> tuple[Column, ...]:
    return load_experiment(Path(path)).algorithms


def test_a_draft_has_ten_splits_and_its_stumps_are_at_quantiles() -> None:
    config, _ = drafted(of_classes(20, 20))
    assert config.repeats == 10
    ours = config.algorithms[-1]
    assert ours.algorithm == "quadrepro:QuadBoostClassifier"
    fitted = QuadBoostClassifier().fit([[0.0], [1.0], [2.0], [9.0]] * 9, [0, 0, 1, 1] * 9)
    assert fitted.voters_.spacing == "quantile"


@pytest.mark.parametrize("name", ["#: {}.csv", "no.csv", "a: b\nseed: 9.csv", "ü'\".csv"])
def test_names_of_files_and_columns_stay_names(name: str) -> None:
    codes = [f"#{i}" for i in range(ROWS)]
    columns = {"a: [b": ["r{", "no"] * 6, "- c": codes, "#": ["1", "2"] * 6}
    config, _ = drafted(columns, name)
    assert config.datasets[0].view == {"exclude": ["- c"], "nominal": "one-hot"}
    assert config.title == f"{name.removesuffix('.csv')}: #"
    assert config.seed == 1


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_the_lines_that_are_comments_can_be_used(kind: str) -> None:
    Path("my_models.py").write_text("from sklearn.svm import SVC as Mine\n")
    target = ["a", "b"] * 6 if kind == "Classifier" else numbers(3)
    _, text = drafted({"x": numbers(), "y": target})
    text = text.replace("  # - ", "  - ").replace("  #   ", "    ")
    Path("my.yaml").write_text(text, encoding="utf-8")
    added = [column.id for column in load_experiment(Path("my.yaml")).algorithms[4:]]
    boosters = ["xgboost:XGB", "lightgbm:LGBM", "catboost:CatBoost"]
    assert added == [*(f"{name}{kind}" for name in boosters), "my_models:Mine"]
