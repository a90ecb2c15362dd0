from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.reference import schema_of
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
    result = quadrepro("run", "my.yaml", "--repeats", "2", "--jobs", "0", "--quiet")
    assert result.exit_code == 0, result.output
    written = {path.name for path in Path("results/my").iterdir()}
    assert {"risks.md", "report.html", "scatter.svg"} <= written
    with Path("results/my/cells.csv").open(encoding="utf-8") as file:
        assert all(row["status"] == "ok" for row in csv.DictReader(file))


def test_more_than_two_labels_can_be_run() -> None:
    write("three")
    assert quadrepro("init", "my.csv", "--target", "label").exit_code == 0
    result = quadrepro("check", "my.yaml")
    assert result.exit_code == 0, result.output
    assert "20 cells, 0 already computed" in result.stdout


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


WITHOUT_US = 16
"""Lines of scikit-learn, pandas and autorank that compare five methods by their AUC."""


def write_churn() -> None:
    """Write churn.csv as a German spreadsheet would, with a tenth of positive rows."""
    rng = np.random.default_rng(0)
    n = 200
    income, age = rng.lognormal(3, 0.5, n), rng.integers(18, 80, n)
    days = np.datetime64("2023-01-01") + rng.integers(0, 700, n)
    city = rng.choice(["Köln", "Zürich"], n)
    score = income / 20 + age / 40 + (city == "Köln") + rng.normal(0, 0.5, n)
    left = np.where(score > np.quantile(score, 0.9), "ja", "nein")
    ids = rng.permutation(90_000)[:n]
    rows = ["customer_id;seit;Stadt;Einkommen;Alter;Kündigung"]
    for i in range(n):
        day = days[i].item().strftime("%d.%m.%Y")
        euros = f"{income[i]:.2f}".replace(".", ",")
        rows.append(f"{ids[i]};{day};{city[i]};{euros};{age[i]};{left[i]}")
    Path("churn.csv").write_text("\n".join(rows), encoding="latin-1")


def test_an_engineer_with_a_csv_types_two_lines() -> None:
    write_churn()
    typed = ["init churn.csv --target Kündigung", "run churn.yaml"]
    log = []
    for line in typed:
        begun = time.perf_counter()
        result = quadrepro(*line.split(), *(["--jobs", "0", "--quiet"] * (line[:3] == "run")))
        assert result.exit_code == 0, result.output
        log.append(f"$ quadrepro {line}    # {time.perf_counter() - begun:.0f} s")
    print(*log, sep="\n")
    assert len(typed) < WITHOUT_US
    card = load_card_file(Path("datasets/churn.yaml"))
    assert card.target.labels == {"ja": 20, "nein": 180}
    assert card.view("default").exclude == ("customer_id",)
    assert [a.name for a in card.attributes if a.kind == "nominal"] == ["seit", "Stadt"]
    with Path("results/churn/cells.csv").open(encoding="utf-8") as file:
        cells = [*csv.DictReader(file)]
    assert {cell["status"] for cell in cells} == {"ok"}
    assert {"auc", "balanced_error", "log_loss"} <= cells[0].keys()
    assert len({cell["algorithm"] for cell in cells}) == 5


def test_how_a_file_is_read_can_be_said() -> None:
    Path("my.csv").write_text("1,5|b\n2,5|č\n", encoding="cp1250")
    words = ("--encoding", "cp1250", "--separator", "|", "--decimal", ",", "--no-header")
    result = quadrepro("init", "my.csv", "--target", "x2", *words)
    assert result.exit_code == 0, result.output
    assert "\nRead as cp1250, separator '|', decimal ',', no header;" in result.stdout
    assert "\nx2: b (1), č (1)\n" in result.stdout
    result = quadrepro("init", "my.csv", "--target", "v", "--names", "u,v", "--force")
    assert load_card_file(Path("datasets/my.yaml")).attribute_names == ("u",)
