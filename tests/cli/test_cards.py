"""`quadrepro init --card-only`, which describes a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result

from quadrepro.base.resources import cards_folder
from quadrepro.config.config import load_experiment
from quadrepro.data.card import load_card, load_card_file
from quadrepro.data.store import load_dataset
from tests.cli.call import quadrepro

pytestmark = pytest.mark.slow

CSV = """id,size,colour,always,label
7,1.5,red,x,yes
8,,blue,x,no
9,-2e1,n.a.,x,no
11,7,blue,x,no
"""

CONFIG = """title: My own
seed: 1
algorithms:
  - name: adaboost
    grid: {n_rounds: 5}
baseline: false
"""


@pytest.fixture
def my_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make an empty folder with one file the current one; return the file's name."""
    monkeypatch.chdir(tmp_path)
    Path("my.csv").write_text(CSV, encoding="utf-8")
    return "my.csv"


def add(*words: str) -> Result:
    return quadrepro("init", "--card-only", *words)


def test_it_says_what_was_written_and_what_was_inferred(my_csv: str) -> None:
    result = add(my_csv, "--target", "label", "--missing", "n.a.", "--nominal", "id")
    assert result.exit_code == 0, result.output
    assert (
        result.stdout
        == """Wrote datasets/my.yaml

task: classification
rows: 4
attributes: 1 numeric, 3 nominal
missing cells: 2
label: no (3), yes (1)
positive: yes. The rarer of the two labels.
Read as utf-8, separator ',', decimal '.', names in line 1; --encoding, --separator, --decimal and\
 --no-header change this.
Taken as a classification, since the target has 2 distinct words.
Missing values are written '', 'n.a.'.
Taken as nominal, since not all values are numbers (colour, always).
The same value in every row (always).
Left out, since they look like IDs (id).

In a config:

protocol: {view: default}
datasets:
  - my
"""
    )


def test_options_say_what_is_not_to_be_inferred(my_csv: str) -> None:
    words = ("--target", "id", "--task", "regression", "--name", "ids", "--out", "cards")
    result = add(my_csv, *words)
    assert result.stdout.startswith("Wrote cards/ids.yaml\n\ntask: regression\n")
    assert "\nid: from 7 to 11\n" in result.stdout
    assert "positive" not in result.stdout
    add(my_csv, "--target", "label", "--positive", "no")
    card = load_card_file(Path("datasets/my.yaml"))
    assert card.view("default").positive == ("no",)


def test_what_was_added_can_be_named_in_a_config_and_loaded(my_csv: str) -> None:
    said = add(my_csv, "--target", "label").stdout
    Path("mine.yaml").write_text(CONFIG + said.split("In a config:\n")[1], encoding="utf-8")
    (entry,) = load_experiment(Path("mine.yaml")).config.datasets
    assert entry.name == "my"
    assert load_card("my") == load_card_file(Path("datasets/my.yaml"))
    assert load_dataset("my").table.n_rows == 4


def test_a_file_of_three_labels_is_compared_by_its_classes(my_csv: str, tmp_path: Path) -> None:
    rows = [f"{i % 7},{i % 5},{'abc'[i % 7 // 3]}" for i in range(60)]
    Path("three.csv").write_text("\n".join(["x,z,label", *rows]), encoding="utf-8")
    said = add("three.csv", "--target", "label").stdout
    assert "\nclasses: All 3 labels are classes.\n" in said
    shown = quadrepro("list", "datasets", "three").output
    assert "evidence: All 3 labels are classes." in shown
    text = CONFIG + said.split("In a config:\n")[1]
    Path("mine.yaml").write_text(text.replace("protocol: {", "protocol: {folds: 2, "))
    run = quadrepro("run", "mine.yaml", "--jobs", 0, "--out", tmp_path)
    assert run.exit_code == 0, run.output
    assert "trained once for each class against the rest" in run.output


def test_a_file_that_was_changed_since_is_refused(my_csv: str) -> None:
    add(my_csv, "--target", "label")
    Path(my_csv).write_text(CSV.replace("red", "green"), encoding="utf-8")
    result = quadrepro("list", "datasets", "my")
    assert result.exit_code == 3
    assert "colour with the unknown code green" in result.output


def test_a_card_is_replaced_only_where_it_is_said(my_csv: str) -> None:
    add(my_csv, "--target", "label")
    card = Path("datasets/my.yaml")
    text = card.read_text(encoding="utf-8")
    again = add(my_csv, "--target", "colour")
    assert again.exit_code == 2
    assert again.stderr == (
        "error: datasets/my.yaml already exists; --force replaces it, --name gives another name\n"
    )
    assert card.read_text(encoding="utf-8") == text
    assert add(my_csv, "--target", "colour", "--force").exit_code == 0
    assert load_card_file(card).target.original == "colour"


def test_the_name_of_a_data_set_that_ships_is_taken(my_csv: str) -> None:
    result = add(my_csv, "--target", "label", "--name", "pima", "--force")
    assert result.exit_code == 2
    assert result.stderr == ("error: pima ships with quadrepro; choose another name with --name\n")
    assert not Path("datasets").exists()


def test_the_folder_of_the_cards_that_ship_takes_their_names(my_csv: str) -> None:
    before = (cards_folder() / "pima.yaml").read_bytes()
    words = ("--target", "label", "--name", "pima", "--out", str(cards_folder()))
    result = add(my_csv, *words)
    assert result.exit_code == 2
    assert "already exists; --force replaces it" in result.stderr
    assert (cards_folder() / "pima.yaml").read_bytes() == before


def test_many_labels_are_counted_and_not_all_shown(my_csv: str) -> None:
    rows = "".join(f"{i},l{i % 12:02}\n" for i in range(24))
    Path(my_csv).write_text(f"x,label\n{rows}", encoding="utf-8")
    shown = ", ".join(f"l{i:02} (2)" for i in range(10))
    assert f"\nlabel: {shown}, ... (12 labels)\n" in add(my_csv, "--target", "label").stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--target", "lable"), 2, "my.csv: unknown column 'lable'; did you mean 'label'?"),
        (("--target", "size"), 3, "my.csv, line 3: the target size has no value"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    my_csv: str, words: tuple[str, ...], code: int, message: str
) -> None:
    result = add(my_csv, *words)
    assert (result.exit_code, result.stderr) == (code, f"error: {message}\n")
    assert not Path("datasets").exists()


def test_a_file_that_is_not_there_is_a_fault_of_the_data(my_csv: str) -> None:
    result = add("absent.csv", "--target", "label")
    assert result.exit_code == 3
    assert result.stderr == "error: absent.csv: cannot be read: No such file or directory\n"


def test_a_card_that_no_config_would_find_is_refused(my_csv: str) -> None:
    result = quadrepro("init", my_csv, "--target", "label", "--out", "cards")
    assert result.exit_code == 2
    assert "--out goes with --card-only" in result.stderr
    assert not Path("cards").exists()
