from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quadrepro.base.yaml import read_yaml
from quadrepro.config.config import Config
from quadrepro.config.draft import SCHEMA, draft_config
from quadrepro.config.loading import load_experiment
from quadrepro.config.reference import schema_of
from quadrepro.data.inspection import inspect_file, write_card
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
    [
        (["no", "yes"] * 6, "logistic regression", "quadboost-l2"),
        (numbers(3), "ridge", "boosting"),
    ],
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


@pytest.mark.parametrize(("n_rare", "stratified"), [(9, False), (10, True)])
def test_rare_classes_change_the_splits_and_the_metrics(n_rare: int, *, stratified: bool) -> None:
    labels = ["rare"] * n_rare + ["common"] * 90
    config, text = drafted({"x": [f"{i}.5" for i in range(len(labels))], "label": labels})
    assert config.protocol.split.stratify == stratified
    assert config.metrics == ("balanced_error", "auc", "log_loss")
    assert config.headline == config.protocol.choose_by == "balanced_error"
    assert f"# Imbalanced: the rarest class has {n_rare} of {90 + n_rare} rows" in text


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
