from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quadrepro.base.yaml import read_yaml
from quadrepro.config.config import Config, load_experiment
from quadrepro.config.draft import SCHEMA, draft_config
from quadrepro.config.plan import make_plan
from quadrepro.config.reference import schema_of
from quadrepro.data.inspection import inspect_file, write_card
from quadrepro.results.files import check_tables

ROWS = 12


def drafted(folder: Path, columns: dict[str, list[str]], name: str = "my.csv") -> Config:
    """Return the config that is drafted for a file of these columns, the last one the target."""
    rows = zip(*columns.values(), strict=True)
    text = "\n".join(",".join(f'"{field}"' for field in row) for row in [(*columns,), *rows])
    (folder / name).write_text(text + "\n", encoding="utf-8")
    card = inspect_file(folder / name, [*columns][-1])
    place = Path("datasets") / f"{card.name}.yaml"
    write_card(card, place)
    path = folder / f"{card.name}.yaml"
    path.write_text(draft_config(card, name, str(place)), encoding="utf-8")
    data = read_yaml(path).data
    assert [e.message for e in Draft202012Validator(schema_of("config")).iter_errors(data)] == []
    experiment = load_experiment(path)
    check_tables(experiment)
    return experiment.config


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def numbers(step: int = 1) -> list[str]:
    return [str(i * step % 7 + 0.5) for i in range(ROWS)]


def test_a_file_of_numbers_with_two_labels_needs_no_changes_to_its_view(tmp_path: Path) -> None:
    config = drafted(tmp_path, {"x": numbers(), "label": ["no", "yes"] * 6})
    assert config.datasets[0].view == {}
    assert [a.name for a in config.algorithms] == (
        ["logistic regression", "random forest", "gradient boosting", "quadboost-l2"]
    )
    assert (config.repeats, config.protocol.normalise) == (4, "none")
    assert config.metrics == ("balanced_error", "auc")
    assert config.tables == {"scatter": "gradient boosting"}


def test_a_number_is_predicted_by_regressors(tmp_path: Path) -> None:
    config = drafted(tmp_path, {"x": numbers(), "y": numbers(3)})
    names = [a.name for a in config.algorithms]
    assert names == ["ridge", "random forest", "gradient boosting", "boosting"]
    assert config.tables == {"scatter": "gradient boosting"}


def test_codes_and_gaps_are_said_what_becomes_of_them(tmp_path: Path) -> None:
    columns = {
        "row": [f"r{i}" for i in range(ROWS)],
        "colour": ["red", "blue"] * 6,
        "x": ["", *numbers()[1:]],
        "label": ["a", "b", "c"] * 4,
    }
    config = drafted(tmp_path, columns)
    view = {"exclude": ["row"], "nominal": "one-hot", "missing": "mean"}
    assert config.datasets[0].view == view


@pytest.mark.parametrize(("n_rare", "stratified"), [(9, False), (10, True)])
@pytest.mark.parametrize("others", [["a"], ["a", "b"]])
def test_splits_have_the_shares_of_classes_that_have_enough_rows(
    tmp_path: Path, n_rare: int, others: list[str], *, stratified: bool
) -> None:
    labels = ["rare"] * n_rare + others * 20
    config = drafted(tmp_path, {"x": [f"{i}.5" for i in range(len(labels))], "label": labels})
    assert config.protocol.split.stratify == stratified
    make_plan(load_experiment(tmp_path / "my.yaml")).check_data()


def test_a_column_of_many_codes_is_left_out_unless_there_is_no_other(tmp_path: Path) -> None:
    codes = [f"r{i}" for i in range(ROWS)]
    config = drafted(tmp_path, {"row": codes, "label": ["a", "b"] * 6})
    assert config.datasets[0].view == {}


@pytest.mark.parametrize("name", ["#: {}.csv", "no.csv", "a: b\nseed: 9.csv", "ü'\".csv"])
def test_names_of_files_and_columns_stay_names(tmp_path: Path, name: str) -> None:
    codes = [f"#{i}" for i in range(ROWS)]
    columns = {"a: [b": ["r{", "no"] * 6, "- c": codes, "#": ["1", "2"] * 6}
    config = drafted(tmp_path, columns, name)
    assert config.datasets[0].view == {"exclude": ["- c"], "nominal": "one-hot"}
    assert config.title == f"{name.removesuffix('.csv')}: #"
    assert config.seed == 1


def test_an_editor_finds_the_schema_in_the_first_line(tmp_path: Path) -> None:
    drafted(tmp_path, {"x": numbers(), "label": ["no", "yes"] * 6})
    first = (tmp_path / "my.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema={SCHEMA}"


def test_imbalanced_classes_are_judged_by_probabilities_as_well(tmp_path: Path) -> None:
    labels = ["rare"] * 10 + ["common"] * 90
    config = drafted(tmp_path, {"x": [f"{i}.5" for i in range(100)], "label": labels})
    assert config.metrics == ("balanced_error", "auc", "log_loss")
    text = (tmp_path / "my.yaml").read_text(encoding="utf-8")
    assert "# Imbalanced: the rarest class has 10 of 100 rows" in text


def test_ids_are_left_out_with_a_comment(tmp_path: Path) -> None:
    ids = [str(7 * i) for i in range(ROWS)]
    config = drafted(tmp_path, {"user_id": ids, "x": numbers(), "label": ["a", "b"] * 6})
    assert config.datasets[0].view == {"exclude": ["user_id"]}
    text = (tmp_path / "my.yaml").read_text(encoding="utf-8")
    assert "remove a name to use it.\n    exclude:\n    - user_id" in text


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_the_lines_that_are_comments_can_be_used(tmp_path: Path, kind: str) -> None:
    (tmp_path / "my_models.py").write_text("from sklearn.svm import SVC as Mine\n")
    drafted(tmp_path, {"x": numbers(), "y": ["a", "b"] * 6 if kind == "Classifier" else numbers(3)})
    path = tmp_path / "my.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("  # - ", "  - ").replace("  #   ", "    "), encoding="utf-8")
    added = [column.id for column in load_experiment(path).algorithms[4:]]
    assert added == [f"xgboost:XGB{kind}", "my_models:Mine"]
