from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import NOTHING
from quadrepro.tables.printed import check_claims, check_printed, described, printed_for
from tests.tables.contexts import loaded

CONFIG = """title: Own
protocol: {view: quadboost}
datasets: [monks, titanic, {name: wine, as: wine 1}]
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: quadboost, grid: {n_rounds: 5}}
paper: ./mypaper
absent: [{name: zoo, reason: far away}]
tables: {risks: table1, comparisons: table2, means: table3, claims: table1}
"""
PAPER = """title: Ours
names: {adaboost: AdaBoost, quadboost: QuadBoost}
printed: {table1: {unit: fraction}, table2: {holds: comparisons}, table3: {of: {splits: 20}}}
claims:
  table1:
    claims:
      - {kind: rank, text: a, of: quadboost, at_most: 1, rows: [monks], except: [titanic]}
"""
TABLES = {
    "table1": "dataset,adaboost,quadboost\nmonks,0.1,0.2\ntitanic,0.2,0.3\nwine,0.3,0.4\nzoo,1,1\n",
    "table2": "algorithm,adaboost,quadboost\nadaboost,0.5,0.6\nquadboost,0.4,0.5\n",
    "table3": "dataset,adaboost_mean,adaboost_sd\nmonks,11.0,0.2\n",
}

Load = Callable[..., Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that loads the config with a text of config, paper or table replaced."""

    def load(file: str = "", old: str = "", new: str = "") -> Experiment:
        texts = {"config": CONFIG, "paper": PAPER, **TABLES}
        if file:
            assert old in texts[file]
            texts[file] = texts[file].replace(old, new)
        folder = tmp_path / "mypaper"
        (folder / "printed").mkdir(parents=True, exist_ok=True)
        (folder / "paper.yaml").write_text(texts["paper"])
        for name in TABLES:
            (folder / f"printed/{name}.csv").write_text(texts[name])
        (tmp_path / "own.yaml").write_text(texts["config"])
        return load_experiment(tmp_path / "own.yaml")

    return load


def check(experiment: Experiment) -> None:
    tables = experiment.config.tables
    check_printed(experiment, "risks", tables.get("risks", ""), "errors")
    check_printed(experiment, "comparisons", tables.get("comparisons", ""), "comparisons")
    check_printed(experiment, "means", tables.get("means", ""), "errors")
    if "claims" in tables:
        check_claims(experiment, tables["claims"])


def refused(experiment: Experiment) -> str:
    with pytest.raises(ConfigError) as caught:
        check(experiment)
    return str(caught.value).replace(str(experiment.source.path.parent), "...")


def test_a_config_and_a_paper_that_fit_are_not_refused(load: Load) -> None:
    check(load())


def test_printed_rows_stand_under_the_titles_of_the_config(load: Load) -> None:
    printed = printed_for(load(), "table1")
    assert printed.rows == ("monks", "titanic", "wine 1", "zoo")
    assert printed.text("wine 1", "quadboost") == "0.4"


def test_the_rows_of_comparisons_are_algorithms(load: Load) -> None:
    printed = printed_for(load(), "table2")
    assert printed.rows == ("adaboost", "quadboost")
    assert printed.text("adaboost", "quadboost") == "0.6"


def test_a_config_that_names_no_table_has_no_printed_numbers(load: Load) -> None:
    experiment = load("config", "risks: table1, ", "")
    assert printed_for(experiment, "") is NOTHING
    check(experiment)


def test_a_paper_is_read_only_when_it_is_asked_for(load: Load) -> None:
    experiment = load("paper", "title", "tilte")
    with pytest.raises(ConfigError, match="unknown key 'tilte'"):
        _ = experiment.paper


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("./mypaper", "./mypapr", "own.yaml:7:1: there is no folder .../mypapr"),
        ("./mypaper", "mypaper", "own.yaml:7:1: unknown paper 'mypaper'; did you mean './my"),
        ("./mypaper", "ebbost", "own.yaml:7:1: unknown paper 'ebbost'; did you mean 'ebboost"),
        ("risks: table1", "risks: tabel1", "own.yaml:9:10: the paper ./mypaper has no printed ta"),
        ("claims: table1", "claims: table9", "own.yaml:9:61: the paper ./mypaper has no claims"),
        (
            "risks: table1",
            "risks: table2",
            "own.yaml:9:10: table2 of the paper ./mypaper holds comparisons, and not errors",
        ),
        (
            "means: table3",
            "means: table2",
            "own.yaml:9:46: table2 of the paper ./mypaper holds comparisons, and not errors",
        ),
        (
            "[monks, titanic,",
            "[monks, {name: balance, as: titanc},",
            "own.yaml:3:19: no row 'titanc' is printed; did you mean 'titanic' (.../mypaper/"
            "printed/table1.csv:3)?",
        ),
        (
            "{name: wine, as: wine 1}",
            "{name: wine, as: wine 1, printed: iris}",
            "own.yaml:3:28: no row 'iris' is printed; known are monks, titanic, wine, zoo (.../myp"
            "aper/printed/table1.csv)",
        ),
        (
            "{name: quadboost,",
            "{name: quadbost, algorithm: quadboost,",
            "own.yaml:6:6: .../mypaper/printed/table1.csv has no algorithm 'quadbost'; did you mea"
            "n 'quadboost'?",
        ),
    ],
)
def test_what_a_config_misspells_is_named_with_its_place(
    load: Load, old: str, new: str, message: str
) -> None:
    assert refused(load("config", old, new)).startswith(f".../{message}")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("table1", "titanic", "titanc", "own.yaml:3:19: no row 'titanic' is printed; did you mean"),
        (
            "table2",
            "\nquadboost",
            "\nquadbost",
            "own.yaml:6:6: .../mypaper/printed/table2.csv has no algorithm 'quadboost'; did you",
        ),
        ("table3", "adaboost", "adabost", "own.yaml:5:6: .../mypaper/printed/table3.csv has no al"),
        ("table3", "11.0", "one", "mypaper/printed/table3.csv:2:7: 'one' is not a number"),
        (
            "paper",
            "[monks]",
            "[monk]",
            "mypaper/paper.yaml:7:65: .../own.yaml has no row 'monk'; did you mean 'monks'?",
        ),
        (
            "paper",
            "[titanic]",
            "[monks, titanc]",
            "mypaper/paper.yaml:7:89: .../own.yaml has no row 'titanc'; did you mean 'titanic'?",
        ),
    ],
)
def test_what_a_paper_misspells_is_named_with_its_place(
    load: Load, file: str, old: str, new: str, message: str
) -> None:
    assert refused(load(file, old, new)).startswith(f".../{message}")


def test_the_papers_names_are_those_of_the_algorithms(load: Load) -> None:
    message = refused(load("paper", "quadboost", "quadbost"))
    assert message == (
        ".../own.yaml:6:6: the paper ./mypaper has no algorithm 'quadboost'; did you mean "
        "'quadbost'?"
    )


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        # Other rows, columns and algorithms than printed are no misspellings.
        ("config", "[monks, titanic,", "[monks, balance,"),
        ("config", "{name: adaboost,", "{name: hedge-like, algorithm: adaboost,"),
        ("table1", "wine", "iris"),
        # The printed row that is named can be in another table of the paper.
        ("config", "{name: wine, as: wine 1}", "{name: wine, as: wine 1, printed: zoo}"),
        # Names with other digits are other names, and the data set that is not here is printed.
        ("config", "{name: wine, as: wine 1}", "{name: monks, as: zoo 2}"),
        ("table1", "titanic", "monks 2"),
        ("config", "{name: wine, as: wine 1}", "{name: wine, as: zooo}"),
    ],
)
def test_names_without_a_counterpart_are_left_out(
    load: Load, file: str, old: str, new: str
) -> None:
    check(load(file, old, new))


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("risks", "quadboost-table1", "quadboost-table1 is table1 of the paper quadboost: write "
         "paper: quadboost and risks: table1"),
        ("comparisons", "quadboost-table2", "paper: quadboost and comparisons: table2"),
        ("means", "rescale-table3", "paper: rescale and means: table3"),
        ("claims", "cbboost-figure4", "paper: cbboost and claims: figure4"),
        ("claims", "quadboost-theory", "paper: quadboost and claims: theory"),
        ("claims", "quadboost", "quadboost is a paper: write paper: quadboost and claims: table1 or"
         " theory"),
        ("claims", "ebboost", "ebboost is a paper: write paper: ebboost and claims: table1"),
        ("claims", "lecture", "lecture is a paper: write paper: lecture and claims: bounds"),
        ("risks", "quadboost-table9", "the paper that quadboost-table9 belongs to, as paper"),
        ("claims", "table1", "name the paper that table1 belongs to, as paper: NAME (known are cb"),
    ],
)  # fmt: skip
def test_a_name_without_its_paper_is_refused_with_what_to_write(
    tmp_path: Path, key: str, old: str, new: str
) -> None:
    text = CONFIG.replace("paper: ./mypaper\n", "")
    message = refused(loaded(tmp_path, f"{text[: text.index('tables')]}tables: {{{key}: {old}}}\n"))
    assert message.startswith(".../config.yaml:8:10: ")
    assert new in message


def test_a_function_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from quadrepro.papers.lecture import claims

    monkeypatch.delattr(claims, "weak_learner")
    path = Path(__file__).resolve().parents[2] / "configs" / "lecture.yaml"
    with pytest.raises(
        ConfigError, match=r"lecture/paper.yaml:\d+:9: quadrepro.papers.lecture.cla"
    ):
        check_claims(load_experiment(path), "bounds")


def modules_after(code: str) -> set[str]:
    """Return the modules of papers that a fresh interpreter has loaded after some code."""
    shown = f"{code}\nimport sys\nprint(*(m for m in sys.modules if 'quadrepro.papers' in m))"
    command = [sys.executable, "-c", shown]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_a_cell_is_computed_without_any_paper() -> None:
    assert modules_after("import quadrepro.engine.worker, quadrepro.config.plan") == set()


def test_a_papers_functions_are_loaded_with_it_and_no_others() -> None:
    found = modules_after("from quadrepro.papers.paper import load_paper\nload_paper('quadboost')")
    functions = {name for name in found if name.endswith(".claims")} - {"quadrepro.papers.claims"}
    assert functions == {"quadrepro.papers.quadboost.claims"}


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "",
            "",
            "",
            "printed table1, error as a fraction, of one split: 6 of 8 numbers meet a cell; "
            "absent: zoo",
        ),
        (
            "table1",
            "zoo,1,1",
            "average rank,1,1",
            "6 of 8 numbers meet a cell; without one: row average rank (ignore: [average rank] "
            "leaves out what summarises other rows)",
        ),
        (
            "table1",
            ",quadboost",
            ",svm",
            "3 of 8 numbers meet a cell; without one: column svm; absent: zoo",
        ),
        (
            "table1",
            "0.1,0.2\ntitanic,0.2,0.3\nwine,0.3,0.4",
            "0.9,0.8\ntitanic,0.8,0.7\nwine,0.7,0.6",
            "; most are above one half: if they are accuracies, set metric: accuracy",
        ),
        (
            "paper",
            "{unit: fraction}",
            "{unit: fraction, metric: accuracy}",
            "printed table1, accuracy as a fraction, of one split: 6 of 8 numbers",
        ),
    ],
)
def test_a_table_is_described_with_the_numbers_that_meet_a_cell(
    load: Load, file: str, old: str, new: str, said: str
) -> None:
    third, first, second = described(load(file, old, new))
    assert said in first
    assert second == "printed table2, probability, of one split: 4 of 4 numbers meet a cell"
    assert third.endswith("mean ± standard deviation of 20 splits: 1 of 1 numbers meet a cell")


def test_lines_of_algorithms_are_noticed(load: Load) -> None:
    turned = "algorithm,monks,titanic,wine\nadaboost,0.1,0.2,0.3\nquadboost,0.2,0.3,0.4\n"
    message = refused(load("table1", TABLES["table1"], turned))
    assert message == (
        ".../mypaper/paper.yaml:3:11: lines of .../mypaper/printed/table1.csv are algorithms: set "
        "rows: algorithms"
    )
