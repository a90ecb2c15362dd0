"""`list`, `compare`, `explain`, and where results are found."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import Result

from quadrepro.base.files import cards_folder, configs_folder, find_config
from quadrepro.cli.options import Common
from quadrepro.config.config import KINDS
from quadrepro.config.loading import load_experiment
from quadrepro.config.reference import config_reference, schema_of
from quadrepro.core.measures.names import MEASURES
from quadrepro.core.metrics import METRICS
from quadrepro.core.training.algorithms import ALGORITHMS
from quadrepro.data.card import card_names
from quadrepro.papers.claims import CLAIMS
from quadrepro.tables.kinds import check_tables
from tests.make import Write, edit, lines_of, quadrepro
from tests.results.made import make_folder

COMMITTED = Path(__file__).resolve().parents[2] / "results"
LISTINGS = {
    "datasets": card_names(),
    "experiments": sorted(path.stem for path in configs_folder().glob("*.yaml")),
    "algorithms": [*ALGORITHMS, "sklearn:NAME", "MODULE:NAME"],
    "measures": [*MEASURES],
    "metrics": [*METRICS],
    "claims": [*CLAIMS],
    "tables": [*KINDS],
}
SCRIPT = """
import sys
from quadrepro.cli import VERBS, main

def call(*words):
    print("$", *words)
    main(words, standalone_mode=False)

def imported(*names):
    print("imported", sorted({*names} & {*sys.modules}))

for words in ([], *([verb] for verb in VERBS)):
    call(*words, "--help")
imported("numpy", "pandas", "sklearn", "scipy", "matplotlib", "numba", "pydantic")
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the lines that commands print in one process, by command."""
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    path.write_text("dataset,ours,theirs\na,0.9,0.8\nb,0.8,0.7\nc,0.7,0.75\nd,0.9,0.9\n")
    lines = [f"list {kind}" for kind in (*LISTINGS, "keys")]
    lines += [f"rank {path} --higher-is-better", "audit lecture"]
    lines += [f"compare {COMMITTED / 'lecture'} {COMMITTED / 'lecture'}"]
    calls = "".join(f"call(*{line.split()})\n" for line in lines)
    text = "\n".join(lines_of(f'{SCRIPT}{calls}imported("numba")', COLUMNS="60"))
    blocks = (block.splitlines() for block in text.split("$ ")[1:])
    return {line: below for line, *below in blocks}


def test_help_imports_nothing_heavy_and_verbs_that_read_numbers_alone_no_numba(
    printed: dict[str, list[str]],
) -> None:
    imported = [line for below in printed.values() for line in below if line.startswith("imported")]
    assert imported == ["imported []"] * 2


@pytest.mark.parametrize("name", LISTINGS["experiments"])
def test_a_config_that_ships_is_valid_and_its_results_are_committed(name: str) -> None:
    check_tables(load_experiment(find_config(name)))
    assert (COMMITTED / name / "run.json").is_file()


@pytest.mark.parametrize("kind", LISTINGS)
def test_all_names_are_listed_no_wider_than_the_terminal(
    kind: str, printed: dict[str, list[str]]
) -> None:
    lines = printed[f"list {kind}"]
    assert max(map(len, lines)) <= 60
    rule = next(i for i, line in enumerate(lines) if line.startswith("──"))
    # Folded cells go on in lines that begin with a blank.
    rows = [line.split() for line in lines[rule + 1 :] if line[0] != " "]
    assert [name for name, *_ in rows] == LISTINGS[kind]
    assert all(meaning for _, *meaning in rows)


def test_a_listing_in_a_pipe_is_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    _, rule, *rows = quadrepro("list", "algorithms").stdout.splitlines()
    assert len(rows) == len(ALGORITHMS) + 2
    assert max(map(len, rows)) > 200
    assert rule.startswith("──")


def test_a_card_is_shown_with_its_place_and_whether_its_rows_match(
    canonical_folder: Path, tmp_path: Path
) -> None:
    text = quadrepro("list", "datasets", "monks").stdout
    path = cards_folder() / "monks.yaml"
    state = "# here: ships with quadrepro\n# 432 rows, as described\n"
    assert text == f"# {path}\n{path.read_text(encoding='utf-8')}{state}"
    assert "not here" in quadrepro("list", "datasets").stdout
    text = quadrepro("list", "datasets", "pima", "--data", canonical_folder).stdout
    assert f"\n# here: {canonical_folder / 'pima.csv'}\n# 768 rows, as described\n" in text
    (tmp_path / "titanic.csv").write_text("class,age,sex,target\nCrew,Adult,Male,Yes\n")
    result = quadrepro("list", "datasets", "titanic", "--data", tmp_path)
    assert result.exit_code == 3
    assert "titanic.csv differs from the card: rows: 1 instead of 2201" in result.stderr


def test_keys_are_a_schema_or_a_page() -> None:
    for kind in ("config", "card", "paper"):
        assert json.loads(quadrepro("list", "keys", kind).stdout) == schema_of(kind)
    assert quadrepro("list", "keys", "--markdown").stdout == config_reference()


def test_folders_agree_or_their_difference_is_shown(tmp_path: Path) -> None:
    a, b = (make_folder(tmp_path / side / "one", claims__md="- A claim.\n") for side in "ab")
    same = quadrepro("compare", a, b)
    assert same.exit_code == 0
    assert f"{a} and {b} agree" in same.stdout
    errors = b / "errors.csv"
    errors.write_text(errors.read_text().replace("0.44", "0.54"))
    for sides in ((a, b), (a.parent, b.parent)):
        result = quadrepro("compare", *sides)
        assert result.exit_code == 4
        assert f"error: {a / 'errors.csv'}, row 1, column 'mean': '0.44', but" in result.stderr
        assert result.stdout.startswith("one: ")
    assert quadrepro("compare", a, b, "--tolerance", 0.3).exit_code == 0


def explain(*words: object) -> Result:
    return quadrepro("explain", *words, COLUMNS="200")


def splits(result: Result) -> list[list[str]]:
    """Return the columns of the table with a row per split."""
    below = result.stdout.split("─\n")[-1].split("\n\n")[0]
    return [re.split(r"  +", line.strip()) for line in below.splitlines()]


def test_an_entry_is_shown_with_all_that_it_depends_on(computed: Path) -> None:
    result = explain(computed, "people", "quadboost-l2")
    assert result.exit_code == 0
    facts = dict(re.findall(r"^(\w+)  +(.+)$", result.stdout, re.MULTILINE))
    assert facts["entry"] == "people, QuadBoost-L2 of Small"
    assert re.fullmatch(r"0\.\d{4} ± 0\.\d{4}, mean and deviation of 2 splits", facts["risk"])
    assert facts["grid"] == "n_rounds 10 | 20, lam 10.0 | 1.0"
    assert facts["rows"] == "500 to train, 1701 to test"
    assert facts["seed"] == "7, with the name 'titanic' and the split's number"
    assert "numpy" in facts["versions"]
    assert "Without a record" not in result.stdout
    assert "Computed again" not in result.stdout
    records = [path.name[:12] for path in Path("results/records").glob("??/*.record")]
    for i, (split, risk, chosen, _, key) in enumerate(splits(result)):
        assert split == str(i)
        assert re.fullmatch(r"0\.\d{4}, \d+ of 1701", risk)
        assert re.fullmatch(r"n_rounds \d+, lam [\d.]+", chosen)
        assert key in records
    assert explain(computed, "people", "QuadBoost-L2").stdout == result.stdout


def test_a_clone_shows_the_committed_results_and_agrees_with_them(computed: Path) -> None:
    with_records = splits(explain(computed, "monks", "ada"))
    shutil.rmtree("results/records")
    result = explain(computed, "monks", "ada", "--recompute")
    assert result.exit_code == 0, result.stderr
    assert [row[:3] for row in splits(result)] == [row[:3] for row in with_records]
    assert {row[-1] for row in splits(result)} == {"cells.csv"}
    assert "Without a record, results are from results/small/cells.csv: " in result.stdout
    assert "\nversions  " in result.stdout
    assert result.stdout.endswith("\nComputed again: 2 of 2 results are the same\n")
    assert not Path("results/records").exists()


def test_a_result_that_differs_is_shown_from_both_sides_and_a_missing_one_is_no_difference(
    computed: Path,
) -> None:
    edit(computed, "n_rounds: 5", "n_rounds: 6")
    sides = r"0\.\d+, \d+ of 216, n_rounds 5; computed again: 0\.\d+, \d+ of 216, n_rounds 6"
    message = rf"error: monks, ada, repeat 0: {sides}\nmonks, ada, repeat 1:"
    for _ in range(2):
        result = explain(computed, "monks", "ada", "--recompute")
        assert result.exit_code == 4
        assert re.search(message, result.stderr)
        shutil.move("results/records", "records")
        Path("results/records").mkdir()
    shutil.rmtree("results/records")
    shutil.copytree("records", "results/records")
    table = quadrepro("table", computed, "--repeats", 2)
    assert table.exit_code == 1
    assert "monks, ada, repeat 0: missing: not computed (4 cells alike)" in table.stderr
    assert "--retry" not in table.stderr
    assert explain(computed, "monks", "ada").exit_code == 1
    assert explain(computed, "monks", "ada", "--recompute").exit_code == 0


def test_a_printed_number_is_shown_with_its_verdict() -> None:
    judged = explain("table1-distribution", "balance", "AdaBoost", "--out", COMMITTED).stdout
    assert "printed risk  0.035, inside: our interval 0.007149 to 0.05375 (p = 0.7" in judged


def test_without_results_cells_are_missing_until_they_are_computed(small_config: Write) -> None:
    words, out = (small_config(), "monks", "ada"), ("--out", small_config().parent / "none")
    result = explain(*words, *out)
    assert result.exit_code == 1
    assert splits(result) == [["0", "not computed"]]
    assert "1 of 1 cells have no result" in result.stderr
    result = explain(*words, "--recompute", *out)
    assert result.exit_code == 0
    assert splits(result)[0][2] == "n_rounds 5"
    assert not out[1].exists()
    unknown = explain(*words[:2], "adda")
    assert unknown.exit_code == 2
    assert "unknown column 'adda'; did you mean 'ada'?" in unknown.stderr


BY_CONFIG = Common(data=None, out=None, repeats=None)


def test_results_go_to_build_for_configs_that_ship_and_committed_ones_are_found_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = configs_folder() / "quickstart.yaml"
    copy = Path(shutil.copy(shipped, tmp_path))
    assert BY_CONFIG.out_of("table1", shipped, copy) == Path("build")
    copy.write_text(copy.read_text() + "repeats: 2\n")
    assert BY_CONFIG.out_of(copy) == BY_CONFIG.out_of("table1", copy) == Path("results")
    own = tmp_path / "own.yaml"
    own.write_bytes(shipped.read_bytes())
    assert BY_CONFIG.out_of(own) == Path("results")
    make_folder(tmp_path / "results" / "table1")
    assert BY_CONFIG.results_of("table1") == Path("results")
    here = Common(None, Path("here"), None)
    assert here.out_of("table1", own) == here.results_of("table1") == Path("here")
    make_folder(tmp_path / "build" / "table1")
    assert BY_CONFIG.results_of("table1") == Path("build")
    assert BY_CONFIG.results_of("quickstart") == Path("results")
