from __future__ import annotations

import pytest

from quadrepro.config.config import Experiment
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import NOTHING
from quadrepro.tables.from_paper import check_claims, check_printed, described
from quadrepro.tables.kinds import Context
from tests.tables.contexts import beside_paper, loaded

CONFIG = """title: Own
protocol: {view: quadboost}
datasets: [monks, titanic, {name: wine, as: wine 1}]
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: quadboost, grid: {n_rounds: 5}}
paper: ./mypaper
absent: [{name: zoo, reason: far away}]
tables: {errors: table1, comparisons: table2, claims: table1}
"""
PAPER = """title: Ours
names: {adaboost: AdaBoost, quadboost: QuadBoost}
printed: {table1: {unit: fraction}, table2: {holds: comparisons}}
claims:
  table1:
    claims:
      - {kind: rank, text: a, of: quadboost, at_most: 1, rows: [monks], except: [titanic]}
"""
TABLES = {
    "table1": "dataset,adaboost,quadboost\nmonks,0.1,0.2\ntitanic,0.2,0.3\nwine,0.3,0.4\nzoo,1,1\n",
    "table2": "algorithm,adaboost,quadboost\nadaboost,0.5,0.6\nquadboost,0.4,0.5\n",
}

NO_TITANC = "no row 'titanc' is printed; did you mean 'titanic' (mypaper/printed/table1.csv:3)?"
NO_QUADBOST = "mypaper/printed/table1.csv has no algorithm 'quadbost'; did you mean"


def load(file: str = "config", old: str = "", new: str = "") -> Experiment:
    """Return the experiment of the config with a text of config, paper or table replaced."""
    texts = {"config": CONFIG, "paper": PAPER, **TABLES}
    assert old in texts[file]
    if old:
        texts[file] = texts[file].replace(old, new)
    return beside_paper(**texts)


def check(experiment: Experiment) -> None:
    tables = experiment.config.tables
    check_printed(experiment, "errors", tables.get("errors", ""), "errors")
    check_printed(experiment, "comparisons", tables.get("comparisons", ""), "comparisons")
    if "claims" in tables:
        check_claims(experiment, tables["claims"])


def refused(experiment: Experiment) -> str:
    with pytest.raises(ConfigError) as caught:
        check(experiment)
    return str(caught.value)


def test_printed_rows_of_data_sets_alone_get_the_titles_of_the_config() -> None:
    context = Context(load(), "errors", "table1")
    assert context.printed("table1").rows == ("monks", "titanic", "wine 1", "zoo")
    assert context.printed("table2").rows == ("adaboost", "quadboost")


def test_a_config_that_names_no_table_has_no_printed_numbers() -> None:
    experiment = load("config", "errors: table1, ", "")
    assert Context(experiment, "errors", "").printed("") is NOTHING
    check(experiment)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("config", "errors: table1", "errors: tabel1", "9:10: the paper ./mypaper has no printed"),
        ("config", "claims: table1", "claims: table9", "9:47: the paper ./mypaper has no claims"),
        ("config", "errors: table1", "errors: table2", "9:10: table2 of the paper ./mypaper holds"),
        ("config", "titanic,", "{name: balance, as: titanc},", f"3:19: {NO_TITANC}"),
        ("config", "wine 1}", "wine 1, printed: iris}", "3:28: no row 'iris' is printed;"),
        ("config", "name: quadb", "name: quadbost, algorithm: quadb", f"6:6: {NO_QUADBOST}"),
        ("table1", "titanic", "titanc", "3:19: no row 'titanic' is printed; did"),
        ("table2", "\nquadboost", "\nquadbost", "6:6: mypaper/printed/table2.csv"),
        ("paper", "quadboost", "quadbost", "6:6: the paper ./mypaper has no algo"),
        ("paper", "[monks]", "[monk]", "mypaper/paper.yaml:7:65: config.yaml has no row "),
        ("paper", "[titanic]", "[titanc]", "mypaper/paper.yaml:7:82: config.yaml has no row "),
    ],
)
def test_faults_have_their_place(file: str, old: str, new: str, message: str) -> None:
    place = "" if message.startswith("mypaper") else "config.yaml:"
    assert refused(load(file, old, new)).startswith(f"{place}{message}")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        # Other rows, columns and algorithms than printed are no misspellings.
        ("config", "[monks, titanic,", "[monks, balance,"),
        ("config", "{name: adaboost,", "{name: hedge-like, algorithm: adaboost,"),
        ("table1", ",adaboost,", ",svm,"),
        ("table1", "wine", "iris"),
        # The printed row that is named can be in another table of the paper.
        ("config", "{name: wine, as: wine 1}", "{name: wine, as: wine 1, printed: zoo}"),
        # Names with other digits are other names, and the data set that is not here is printed.
        ("config", "{name: wine, as: wine 1}", "{name: monks, as: zoo 2}"),
        ("table1", "titanic", "monks 2"),
        ("config", "{name: wine, as: wine 1}", "{name: wine, as: zooo}"),
    ],
)
def test_names_without_counterpart_are_no_fault(file: str, old: str, new: str) -> None:
    check(load(file, old, new))


@pytest.mark.parametrize("key", ["errors", "claims"])
def test_a_name_without_its_paper_is_refused_with_what_to_write(key: str) -> None:
    text = CONFIG.replace("paper: ./mypaper\n", "")
    message = refused(loaded(f"{text[: text.index('tables')]}tables: {{{key}: table9}}\n"))
    assert message.startswith("config.yaml:8:10: name the paper that table9 belongs to, as pap")
    assert message.endswith("; known are cbboost, ebboost, lecture, quadboost, rescale")


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("config", "", "", "error as a fraction, of one split: 6 of 8 numbers are recomputed; not"),
        ("table1", "zoo,1,1", "extra,1,1", "6 of 8 numbers are recomputed; not recomputed: row"),
        ("table1", ",quadboost", ",svm", "3 of 8 numbers are recomputed; not recomputed: row zoo"),
        ("paper", "fraction}", "fraction, metric: accuracy}", "accuracy as a fraction, of one sp"),
    ],
)
def test_a_table_has_a_description(file: str, old: str, new: str, said: str) -> None:
    first, second, *_ = sorted(described(load(file, old, new)))
    assert said in first
    assert second == "printed table2, probability, of one split: 4 of 4 numbers are recomputed"
    # A table can be named in an option with fields.
    margins = "margins: {printed: table1, panels: [{row: monks}]}"
    first, *_ = described(load("config", "errors: table1", margins))
    assert first.startswith("printed table1, ")


def test_a_reading_of_a_row_that_is_not_printed_is_no_misspelling() -> None:
    readings = "readings: [{name: by halves, protocol: {folds: 2}}]\ntables: {errors: table1}\n"
    own = CONFIG.replace("[monks,", "[{name: monks, as: my monks}, monks,")
    check(load("config", CONFIG, own.partition("tables:")[0] + readings))
