from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from quadrepro.cli.schemas import schema_of
from quadrepro.data.card import load_card_file
from tests.cli.call import quadrepro

pytestmark = pytest.mark.slow

ROWS = 60


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(kind: str) -> None:
    """Write my.csv: numbers with gaps, a column of codes, and a target."""
    rng = np.random.default_rng(0)
    x, colour = rng.normal(size=(ROWS, 2)), rng.choice(["red", "green", "blue"], ROWS)
    score = x[:, 0] + (colour == "red") + rng.normal(0, 0.3, ROWS)
    target = {
        "two": np.where(score > 0.3, "yes", "no"),
        "three": np.digitize(score, [-0.5, 0.7]),
        "number": score.round(3),
    }[kind]
    with Path("my.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["size", "width", "colour", "label"])
        for i in range(ROWS):
            writer.writerow(
                [f"{x[i, 0]:.3f}", f"{x[i, 1]:.3f}" if i % 9 else "", colour[i], target[i]]
            )


@pytest.mark.parametrize("kind", ["two", "number"])
def test_a_file_leads_to_tables_and_a_page_in_two_commands(kind: str) -> None:
    write(kind)
    assert quadrepro("init", "my.csv", "--target", "label").exit_code == 0
    result = quadrepro("run", "my.yaml", "--repeats", "2", "--jobs", "1", "--quiet")
    assert result.exit_code == 0, result.output
    written = {path.name for path in Path("results/my").iterdir()}
    assert {"risks.md", "report.html", "scatter.svg", "scatter.png"} <= written
    with Path("results/my/cells.csv").open(encoding="utf-8") as file:
        assert all(row["status"] == "ok" for row in csv.DictReader(file))


def test_more_than_two_labels_can_be_run() -> None:
    write("three")
    assert quadrepro("init", "my.csv", "--target", "label").exit_code == 0
    result = quadrepro("check", "my.yaml")
    assert result.exit_code == 0, result.output
    assert "60 cells, 0 already computed" in result.stdout


def test_it_says_what_was_written_and_what_comes_next() -> None:
    write("two")
    result = quadrepro("init", "my.csv", "--target", "label")
    assert result.stdout.startswith("Wrote datasets/my.yaml and my.yaml\n\ntask: classification\n")
    assert result.stdout.endswith(
        "\nLook through both, then:\n\n"
        "quadrepro check my.yaml    # what a run will do\n"
        "quadrepro run my.yaml      # tables, figures and a page in results/my/\n"
    )
    schema = json.loads(Path(".quadrepro/config.json").read_text(encoding="utf-8"))
    assert schema == schema_of("config")


def test_options_say_what_is_not_to_be_inferred() -> None:
    write("number")
    words = ("--name", "mine", "--task", "classification", "--nominal", "size")
    assert (
        quadrepro("init", "my.csv", "--target", "colour", "--positive", "red", *words).exit_code
        == 0
    )
    card = load_card_file(Path("datasets/mine.yaml"))
    assert card.view("default").positive == ("red",)
    assert card.attributes[0].kind == "nominal"
    assert Path("mine.yaml").is_file()


@pytest.mark.parametrize("there", ["my.yaml", "datasets/my.yaml"])
def test_nothing_is_replaced_unless_it_is_forced(there: str) -> None:
    write("two")
    Path("datasets").mkdir()
    Path(there).write_text("mine", encoding="utf-8")
    result = quadrepro("init", "my.csv", "--target", "label")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {there} already exists; --force replaces it, --name gives another name\n"
    )
    assert [str(p) for p in Path().rglob("*.yaml")] == [there]
    assert quadrepro("init", "my.csv", "--target", "label", "--force").exit_code == 0
    assert quadrepro("check", "my.yaml").exit_code == 0
    assert load_card_file(Path("datasets/my.yaml")).name == "my"


def test_a_mistake_leaves_nothing() -> None:
    write("two")
    result = quadrepro("init", "my.csv", "--target", "lable")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: my.csv: unknown column 'lable'; did you mean 'label'?\n",
    )
    assert [p.name for p in Path().iterdir()] == ["my.csv"]
