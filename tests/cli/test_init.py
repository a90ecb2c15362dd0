"""`quadrepro init`: from a file of one's own to a card, a config, and tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from quadrepro.config.first_config import SCHEMA
from quadrepro.config.loading import load_experiment
from quadrepro.config.reference import schema_of
from quadrepro.data.card import load_card_file
from tests.make import quadrepro

TOY = "id,size,zip,label\n7,1.5,10,yes\n8,,10,no\n9,-2e1,11,no\n10,7,12,no\n"
INIT = ("init", "my.csv", "--target", "label")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.csv").write_text(TOY, encoding="utf-8")


def write_churn() -> None:
    """Write churn.csv as a German spreadsheet would, with a tenth of positive rows."""
    rng = np.random.default_rng(0)
    n = 200
    income, age = rng.lognormal(7, 0.5, n), rng.integers(18, 80, n)
    city = rng.choice(["Köln", "Zürich"], n)
    left = np.where(income / age > np.quantile(income / age, 0.9), "ja", "nein")
    left[:5] = ""
    ids = rng.permutation(90_000)[:n]
    rows = ["customer_id;seit;Stadt;Einkommen;Alter;Kündigung"]
    for i in range(n):
        euros = f"{income[i]:,.2f}".translate(str.maketrans(",.", ".,"))
        rows.append(f"{ids[i]};{i % 27 + 1}.{i % 12 + 1}.2024;{city[i]};{euros};{age[i]};{left[i]}")
    Path("churn.csv").write_text("\n".join(rows), encoding="cp1252")


@pytest.mark.slow
def test_a_file_leads_to_tables_in_two_commands() -> None:
    write_churn()
    options = ("--decimal", ",", "--drop-missing-target")
    result = quadrepro("init", "churn.csv", "--target", "Kündigung", *options)
    assert result.exit_code == 0, result.output
    card = load_card_file(Path("datasets/churn.yaml"))
    assert (card.rows, sum(card.target.labels.values())) == (195, 195)
    assert card.view("default").exclude == ("customer_id", "seit")
    assert [a.name for a in card.attributes if a.kind == "numeric"][1:] == ["Einkommen", "Alter"]
    result = quadrepro("run", "churn.yaml", "--repeats", "2", "--jobs", "1", "--quiet")
    assert result.exit_code == 0, result.output
    cells = pd.read_csv("results/churn/cells.csv")
    assert set(cells["status"]) == {"ok"}
    assert cells["algorithm"].nunique() == 5


def test_it_prints_what_was_found_and_what_is_next() -> None:
    text = quadrepro(*INIT).stdout
    assert text.startswith("Wrote datasets/my.yaml and my.yaml\n\ntask: classification\nrows: 4\n")
    assert "attributes: 3 numeric, 0 nominal\nmissing cells: 1\nlabel: no (3), yes (1)\n" in text
    assert "\npositive: yes. The rarer of the two labels.\nRead as utf-8, separator ',', " in text
    assert "they look like codes: if they are, add --nominal NAME (zip).\n" in text
    assert "\nquadrepro run my.yaml " in text
    assert json.loads(Path(SCHEMA).read_text(encoding="utf-8")) == schema_of("config")


def test_a_card_alone_can_be_named_in_a_config() -> None:
    words = ("--card-only", "--name", "mine", "--task", "regression", "--nominal", "zip")
    result = quadrepro("init", "my.csv", "--target", "id", *words)
    assert result.stdout.endswith("protocol: {view: default}\ndatasets:\n  - mine\n")
    assert "\nid: from 7 to 10\n" in result.stdout
    written = sorted(str(path) for path in Path().rglob("*.*") if path.is_file())
    assert written == ["datasets/mine.yaml", "my.csv"]
    text = "title: Mine\nalgorithms: [boosting]\nprotocol: {view: default}\ndatasets:\n  - mine\n"
    Path("a.yaml").write_text(text, encoding="utf-8")
    load_experiment(Path("a.yaml"))


@pytest.mark.parametrize("there", ["my.yaml", "datasets/my.yaml"])
def test_nothing_is_replaced_unless_it_is_forced(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("datasets").mkdir()
    Path(there).write_text("mine", encoding="utf-8")
    result = quadrepro(*INIT)
    assert result.stderr.startswith(f"error: {there} exists; --force replaces it")
    assert (result.exit_code, [str(p) for p in Path().rglob("*.yaml")]) == (2, [there])
    monkeypatch.setattr("quadrepro.cli.init.cards_folder", lambda: tmp_path / "datasets")
    assert quadrepro(*INIT, "--force").exit_code == 0
    assert load_card_file(Path("datasets/my.yaml")).name == "my"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("my.csv", "--target", "lable"), 2, "my.csv: unknown column 'lable'; did you mean"),
        (("no.csv", "--target", "label"), 3, "no.csv: No such file or directory"),
        (("my.csv", "--target", "label", "--name", "monks"), 2, "monks ships with quadrepro;"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    words: tuple[str, ...], code: int, message: str
) -> None:
    result = quadrepro("init", *words)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert result.stderr.startswith(f"error: {message}")
    assert [p.name for p in Path().iterdir()] == ["my.csv"]
