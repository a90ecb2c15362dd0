"""examples/my-paper: a paper of the user's own, from printed numbers to verdicts."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.base.files import papers_folder
from quadrepro.base.models import Model
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.records import RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.errors import ConfigError
from quadrepro.papers.paper import Group, PaperFile, find_paper, load_paper, paper_names
from quadrepro.papers.printed import Facts, NotThereError, Sample
from quadrepro.results.writer import write_results
from quadrepro.tables.kinds import check_tables
from tests.make import refusal, write_paper

CLAIM = """kind: wins-or-ties
        text: Quad wins on two
        of: quad
        than: ada
        at_least: 2"""
IN_ORDER = "{kind: in-order, text: a, of: [ada], measures: [tset_error]}"
EQUAL = "{kind: equivalent, text: a, margin: 1, of: ada, than: ada}"
PAIRS = "{kind: significant-pairs, text: a, pairs: [[ada, quad], [quad, quad]]}"
RANK = "{kind: rank, text: a, of: ada, at_most: 1, among: [ada]}"
OFTEN = "{kind: worse-more-often, text: a, of: ada, than: quad, among: [ada]}"
CLOSEST = "{kind: closest, text: a, of: ada, to: quad}"
PAPER = f"""title: Ours
names: {{ada: AdaBoost, quad: QuadBoost}}
printed:
  table1: {{unit: fraction}}
  table2: {{unit: percent, of: {{splits: 20}}}}
claims:
  table1:
    claims:
      - {CLAIM}
"""

Write = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """Return a function that writes a paper with one text replaced by another."""

    def write(old: str = "", new: str = "") -> Path:
        assert old in PAPER
        return write_paper(
            tmp_path / "mypaper",
            PAPER.replace(old, new, 1) if old else PAPER,
            table1="d,ada,quad\nzoo,0.1,0.2\n",
            table2="d,ada_mean,ada_sd\nzoo,1.0,0.2\n",
        )

    return write


def faults(folder: Path) -> list[str]:
    """Return the lines of the error in which a paper ends."""
    with pytest.raises(ConfigError) as caught:
        load_paper(str(folder))
    return str(caught.value).splitlines()


def test_an_own_paper_is_a_folder_next_to_the_config(written: Write, tmp_path: Path) -> None:
    written()
    paper = load_paper("mypaper", tmp_path)
    assert (paper.reference, paper.file.title) == ("mypaper", "Ours")
    assert [*paper.tables] == ["table1", "table2"]
    assert paper.printed("table1").facts.unit == "fraction"
    table = paper.printed("table2")
    assert (table.facts.unit, table.sample.n) == ("percent", 20)
    assert table.text("zoo", "ada_mean") == "0.010"
    assert [claim.text for claim in paper.group("table1").claims] == ["Quad wins on two"]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("quadbost", "unknown paper 'quadbost'; did you mean 'quadboost'?"),
        ("./paper", "{}/paper: no such file or folder"),
        ("./mypaper/printed", "the folder {}/mypaper/printed holds no paper.yaml"),
        ("mypaper/paper.yaml", "{}/mypaper/paper.yaml is a file: give the folder of a paper"),
    ],
)
def test_an_unknown_paper_is_named(
    written: Write, tmp_path: Path, reference: str, message: str
) -> None:
    written()
    with pytest.raises(NotThereError) as caught:
        find_paper(reference, tmp_path)
    assert str(caught.value).startswith(message.format(tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("title:", "tilte:", "1:1", "unknown key 'tilte'; did you mean 'title'?"),
        ("table2: {u", "tabel2: {u", "5:3", "printed/tabel2.csv is missing; did you mean 'table"),
        ("    claims:", "    judge: means\n    claims:", "8:5", "unknown key 'judge'"),
        (
            "    claims:",
            "    printed: [table3]\n    claims:",
            "8:15",
            "printed/table3.csv is missing",
        ),
        ("n}", "n, holds: comparisons}", "4:12", "only shares have a unit: leave it out"),
        ("wins-or-ties", "wins-or-tie", "9:9", "kind cannot be 'wins-or-tie'; did you mean "),
        ("kind: wins-or-ties\n        ", "", "9:9", "kind is missing"),
        ("than: ada", "then: ada", "12:9", "unknown key 'then'; did you mean 'than'?"),
        ("than: ada", "than: adda", "12:9", "the paper has no algorithm 'adda'; did you mean"),
        (CLAIM, IN_ORDER, "9:57", "unknown measure 'tset_error'; did you mean 'test_error'?"),
        (CLAIM, "{kind: function, text: a, function: judge}", "9:35", "only papers that ship with"),
        ("than: ada", "than: quad", "12:9", "'quad' is compared with itself: name another"),
        (CLAIM, EQUAL, "9:57", "'ada' is compared with itself: name another"),
        (CLAIM, PAIRS, "9:65", "'quad' is compared with itself: name another"),
        (CLAIM, RANK, "9:52", "no other algorithm to compare 'ada' with: list one in among"),
        (CLAIM, OFTEN, "9:64", "no other algorithm to compare 'ada' with: list one in among"),
        (CLAIM, CLOSEST, "9:34", "no other algorithm to compare 'ada' with: list one in among"),
    ],
)
def test_a_mistake_has_its_place(
    written: Write, old: str, new: str, place: str, message: str
) -> None:
    folder = written(old, new)
    lines = faults(folder)
    assert any(line.startswith(f"{folder}/paper.yaml:{place}: {message}") for line in lines), lines


def test_every_claim_with_a_mistake_is_named_at_once(written: Write) -> None:
    more = "      - {kind: rnak, text: a}\n      - {kind: rank, text: b, of: ada, at_most: 6}\n"
    first, second = faults(written("    claims:\n", f"    claims:\n{more}"))
    assert "paper.yaml:9:10: kind cannot be 'rnak'; did you mean 'rank'?" in first
    assert "paper.yaml:10:40: at_most" in second


def test_an_unknown_table_or_group_is_named_with_the_nearest(written: Write) -> None:
    paper = load_paper(str(written()))
    with pytest.raises(NotThereError, match="no printed table 'tabel1'; did you mean 'table1'"):
        paper.printed("tabel1")
    with pytest.raises(NotThereError, match="has no claims 'tabel1'; did you mean 'table1'"):
        paper.group("tabel1")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (", of: {splits: 20}", "", "5:3: table2 prints means: name the repetitions that they are"),
        ("{unit: fraction}", "{}", "4:3: say in which unit the numbers of table1 are, as printed"),
    ],
)
def test_missing_facts_are_asked_for(written: Write, old: str, new: str, message: str) -> None:
    folder = written(old, new)
    error = refusal(folder / "paper.yaml", lambda _: load_paper(str(folder)))
    assert error.startswith(message)


def test_a_broken_table_is_refused_when_the_paper_is_loaded(written: Write) -> None:
    folder = written()
    (folder / "printed/table1.csv").write_text("d,ada\nzoo,high\n")
    assert "table1.csv: no table of numbers" in faults(folder)[0]


def test_without_names_claims_compare_the_printed_columns(written: Write) -> None:
    folder = written("names: {ada: AdaBoost, quad: QuadBoost}\n", "")
    assert load_paper(str(folder)).file.names == {"ada": "ada", "quad": "quad"}
    folder = written("names: {ada: AdaBoost, quad: QuadBoost}", "names: {ada: AdaBoost}")
    paper = load_paper(str(folder))
    [claim] = paper.group("table1").claims
    assert paper.file.names == {"ada": "AdaBoost"}
    assert claim.algorithm == "quad"


def test_every_paper_that_ships_is_complete() -> None:
    papers = {name: load_paper(name) for name in paper_names()}
    modules = {path.parent.name for path in papers_folder().glob("*/__init__.py")}
    assert modules == {*papers, "claims"}
    for paper in papers.values():
        assert "function" in [c.kind for group in paper.groups.values() for c in group.claims]
        for table in paper.tables.values():
            assert {*table.algorithms} <= {*paper.file.names}
            assert all(table.text(row, column) for row in table.rows for column in table.columns)


@pytest.mark.parametrize("model", [PaperFile, Group, Facts, Sample])
def test_every_key_of_paper_yaml_is_documented(model: type[Model]) -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    page = (docs / "papers.md").read_text(encoding="utf-8")
    keys = [info.alias or name for name, info in model.model_fields.items()]
    assert [key for key in keys if not re.search(rf"`{key}`|{{[^}}]*\b{key}:", page)] == []


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "my-paper"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")


def test_the_readme_shows_the_files_as_they_are() -> None:
    files = dict(re.findall(r"<!-- (\S+) -->\n\n```\w+\n(.*?)```", README, re.DOTALL))
    assert set(files) == {"mypaper/printed/table1.csv", "mypaper/paper.yaml", "my-paper.yaml"}
    for name, text in files.items():
        assert text == (EXAMPLE / name).read_text(encoding="utf-8")


def test_a_paper_of_the_users_own_runs_from_end_to_end(tmp_path: Path) -> None:
    experiment = load_experiment(EXAMPLE / "my-paper.yaml")
    check_tables(experiment)
    plan, store, folder = make_plan(experiment), RecordStore(tmp_path / "r"), tmp_path / "my-paper"
    for cell in plan.cells:
        store.put(run_cell(cell))
    results = write_results(plan, store, tmp_path)
    timed = results.made["claims"].timed_rows
    assert results.manifest.tables["claims"].timed_rows == timed
    assert [name.endswith(" (measured time)") for name in timed] == [True, False]
    monks = (folder / "errors.md").read_text().splitlines()[4]
    assert monks.startswith("| monks")
    assert "(**0.231**)" in monks
    verdicts = list(csv.DictReader((folder / "verdicts.csv").read_text().splitlines()))
    assert len(verdicts) == 9
    claims = (folder / "claims.md").read_text().split("\n", 2)[2].strip()
    in_readme = README.split("<!-- claims.md -->")[1].split("<!-- end -->")[0].strip()
    assert untimed(claims) == untimed(in_readme)
    rows = list(csv.DictReader((folder / "claims.csv").read_text().splitlines()))
    words = [row["judgement on print"] for row in rows]
    assert words == ["refuted", "supported", "undecided", "supported"]


def untimed(table: str) -> list[list[str]]:
    """Return the cells of the lines without measured times."""
    lines = [line for line in table.splitlines() if line and "(measured time)" not in line]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def test_the_readmes_mistake_is_reported_as_it_shows(tmp_path: Path) -> None:
    [message] = re.findall(r"```\n(examples/my-paper/mypaper/paper.yaml:.*?)\n```", README)
    shutil.copytree(EXAMPLE, tmp_path / "my-paper")
    path = tmp_path / "my-paper/mypaper/paper.yaml"
    path.write_text(path.read_text().replace("wins-or-ties", "wins-or-tie"))
    with pytest.raises(ConfigError) as caught:
        check_tables(load_experiment(tmp_path / "my-paper/my-paper.yaml"))
    assert str(caught.value) == message.replace("examples/my-paper", str(tmp_path / "my-paper"))
