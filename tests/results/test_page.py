from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from quadrepro.errors import DataError
from quadrepro.papers.paper import load_paper
from quadrepro.results.page import (
    Entry,
    Page,
    audit_of,
    index_html,
    page_html,
    score_sentence,
    write_all,
    write_report,
)
from quadrepro.results.results import ERRORS_HEADER, Results
from quadrepro.results.run import MANIFEST
from quadrepro.tables.audit.report import audit
from quadrepro.tables.table import csv_text
from quadrepro.tables.verdicts import DATA_HEADER, Verdict
from tests.results.made import ERRORS, Rows, cells, claims, errors, every_file, make_folder, run
from tests.tables.audit.papers import subject

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "my-paper"
FILES = [name.replace(".", "__") for name in every_file() if name != MANIFEST]
INLINE = {"span", "b", "small", "em", "strong", "code"}
VOID = {"meta", "link", "br", "img", "input", "area", "hr"}


class Parsed(HTMLParser):
    """Elements and words of HTML, which nests, links within itself, and loads and calls nothing."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []
        self.words = " ".join(self.text.split())
        ids = [attrs["id"] for _, attrs in self.elements if "id" in attrs]
        assert len({*ids}) == len(ids)
        links = [attrs.get("href", "") for _, attrs in self.elements]
        assert {link[1:] for link in links if link.startswith("#")} <= {*ids}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        assert found.get("src", "data:").startswith("data:")
        assert not [name for name in found if name.startswith("on")]
        self.elements.append((tag, found))
        self.text += "" if tag in INLINE else " "
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag
            self.text += "" if tag in INLINE else " "

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["script"], ["style"]):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.elements if name == tag]


def shown(path: Path) -> Parsed:
    return Parsed(page_html(Results(path)))


def entries(path: Path) -> dict[tuple[str, str], Entry]:
    return Page(Results(path), None).entries


def behind(path: Path, link: str) -> str:
    """Return the words behind an entry."""
    html = page_html(Results(path)).partition(f'<template id="{link}">')[2]
    return Parsed(html.partition("</template>")[0]).words


def test_a_page_shows_all_that_the_folder_holds(folder: Path) -> None:
    page = shown(folder)
    for text in (
        "Efficient Learning of Ensembles with QuadBoost",
        "Rows: 2; algorithms: 2; splits: 3; cells: 12",
        "1 of 3 printed numbers of Table 1 are inside our intervals, fewer than chance",
        "Still outside after Holm's correction (0.05): monks, AdaBoost.",
        "monks, AdaBoost risk 0.52 0.32 0.24 to 0.4 0.001",
        "0.440 ± 0.040",
        "the printed number below",
        "printed 0.52 ▲, outside, above our interval",
        *("The printed risk of wine is far too low.", "Nothing.", "Ours are means."),
        *("Claims: 2 not decided.", "? not decided"),
        *("quadrepro 0.1.0, numpy 2.4.6", "quadrepro run small.yaml --repeats 3", "sha256:aa"),
    ):
        assert text in page.words, text
    assert page.all("img")[0]["src"].startswith("data:image/svg+xml;base64,")
    assert {"../index.html", "errors.csv", "curves.svg"} <= {a["href"] for a in page.all("a")}


def test_every_entry_of_the_table_has_its_splits_and_its_command(folder: Path) -> None:
    found = {td["data-entry"]: td for td in shown(folder).all("td") if "data-entry" in td}
    assert [td["class"] for td in found.values()] == ["middle", "above", "below", ""]
    for place, counts in ERRORS.items():
        link, text = "/".join(place), behind(folder, "/".join(place))
        assert float(found[link]["data-value"]) == pytest.approx(sum(counts) / 300)
        for i, n in enumerate(counts):
            assert f"{i} {n / 100:g} {n} of 100 n_rounds {5 + i % 2}" in text
        command = shlex.join(["quadrepro", "explain", "small.yaml", *place, "--recompute"])
        assert command in text
        assert f"{place[0]}, " in text
    text = behind(folder, "monks/adaboost")
    assert "Ours 0.320 ± 0.035, risk over 3 splits Printed 0.52: outside, above our int" in text
    assert "Interval 0.24 to 0.4, where the printed number lies" in text
    assert "splits like ours; p = 0.001 Time 0.5 s a split, measured Data sha256:aa" in text
    assert "Printed 0.28: no result Time" in behind(folder, "wine/adaboost")


@pytest.mark.parametrize(
    ("printed", "p", "place"),
    [
        *(("0.5", 1.0, "middle"), ("0.75", 0.6, "middle"), ("0.76", 0.5, "high")),
        *(("0.24", 0.5, "low"), ("1.01", 0.04, "above"), ("-0.01", 0.04, "below")),
    ],
)
def test_a_place_is_a_part_of_the_interval(printed: str, p: float, place: str) -> None:
    verdict = Verdict("a", "b", "risk", printed, 0.5, 0.0, 1.0, p)
    assert Entry(0.5, 0.1, "risk", printed, 1, verdict, "").place == place


@pytest.mark.parametrize(
    ("mean", "quantity", "printed", "text"),
    [
        *((0.1235, "risk", "", "0.123"), (12.345, "error in percent", "", "12.35")),
        *((0.45, "RMSE", "", "0.4500"), (450, "RMSE", "", "450.0"), (0, "RMSE", "", "0.000")),
        *((0.5, "AUC", "0.47123", "0.50000"), (float("inf"), "RMSE", "", "inf")),
        (float("nan"), "risk", "", "–"),
    ],
)
def test_a_mean_has_the_digits_of_its_quantity(
    mean: float, quantity: str, printed: str, text: str
) -> None:
    assert Entry(mean, float("nan"), quantity, printed, 1, None, "").texts == [text]


def test_the_best_of_a_row_has_rank_1_and_the_baseline_none(tmp_path: Path) -> None:
    rows = {("a", "x"): (20, 20), ("a", "y"): (30, 30), ("a", "baseline"): (10, 10)}
    rows |= {("b", "x"): (20, 20), ("b", "y"): (20, 20), ("b", "baseline"): (40, None)}
    folder = make_folder(tmp_path, cells__csv=cells(rows), errors__csv=errors(rows))
    assert [entry.rank for entry in entries(folder).values()] == [1, 2, 0, 1, 1, 0]
    assert "No result split 1: failed too slow" in behind(folder, "b/baseline")


def test_the_headline_of_the_config_leads_the_main_table(tmp_path: Path) -> None:
    rows = errors() + "monks,quadboost,AUC,3,0.7,0.1,,,\nmonks,adaboost,AUC,3,0.9,0.1,,,\n"
    header, *lines = cells().splitlines()
    aucs = "\n".join([f"{header},auc", *(f"{line},0.8" for line in lines)]) + "\n"
    made = run(headline="auc")
    folder = make_folder(tmp_path, errors__csv=rows, cells__csv=aucs, run__json=made)
    assert {place: (e.mean, e.rank) for place, e in entries(folder).items()} == {
        ("monks", "quadboost"): (0.7, 2),
        ("monks", "adaboost"): (0.9, 1),
    }
    assert "0 0.8 40 of 100" in behind(folder, "monks/quadboost")
    assert "Test AUC" in shown(folder).words


@pytest.mark.parametrize("printed", ["4.14", "4.13"])
def test_numbers_that_arithmetic_refutes_are_marked_and_named_first(
    tmp_path: Path, printed: str
) -> None:
    place, row = ("breast", "rlp-boost"), ("breast", "rlp-boost", "error in percent")
    judged = ("table1", *row, printed, 4.0, 3.0, 5.0, 0.9, "inside", "")
    names = [{"name": "wdbc", "as": "breast", "printed": "wisconsin"}]
    folder = make_folder(
        tmp_path,
        verdicts__csv=csv_text(DATA_HEADER, [judged]),
        errors__csv=csv_text(ERRORS_HEADER, [(*row, 2, 4.5, 0.7, printed, "", "inside")]),
        cells__csv=cells({place: (4, 5)}),
        run__json=run(paper="ebboost", datasets=names),
    )
    first = "Impossible as printed, by arithmetic alone: breast, rlp-boost (4.14)."
    marked = first in Page(Results(folder), None).statements
    assert marked == (printed == "4.14")
    for words in (shown(folder).words, behind(folder, "breast/rlp-boost")):
        assert (": no number of errors on 20 × 171 or 20 × 170 test examples" in words) == marked
    assert "0 4 4 of 100" in behind(folder, "breast/rlp-boost")


def test_claims_that_print_contradicts_and_those_on_times_are_told_apart(folder: Path) -> None:
    rows = ("A,false,o,does not hold,p,holds", "B,false,o,holds,q,does not hold", "C,true,,holds,,")
    (folder / "claims.csv").write_text(claims(*rows))
    page = shown(folder).words
    assert "Claims: 1 holds, 1 does not hold. Claims on measured times: 1 holds." in page
    assert "The paper's own table contradicts: B." in page
    assert re.search("contradicts B: q.*Claims that do not hold A: o", page)


def test_one_split_cannot_judge_and_says_so_first(tmp_path: Path) -> None:
    rows = {place: counts[:1] for place, counts in ERRORS.items()}
    once = [("table1", *at, "risk", "0.3", *[""] * 4, "not comparable", "one split") for at in rows]
    files = {"cells__csv": cells(rows), "errors__csv": errors(rows), "score__csv": None}
    folder = make_folder(tmp_path, verdicts__csv=csv_text(DATA_HEADER, once), **files)
    first = Page(Results(folder), None).statements[0]
    assert first.startswith("One split cannot judge a printed number")
    assert "quadrepro run small.yaml --repeats 30" in first
    several = Page(Results(make_folder(tmp_path / "several")), None).statements
    assert not any("cannot judge" in text for text in several)
    assert "±" not in shown(folder).words.partition("Figures")[0]


@pytest.mark.parametrize(
    ("p_more", "p_fewer", "than"),
    [(0.033, 0.99, "fewer than"), (0.6, 0.8, "about as many as"), (1.0, 0.02, "more than")],
)
def test_a_sentence_tells_whether_chance_explains_what_is_outside(
    p_more: float, p_fewer: float, than: str
) -> None:
    score = {"printed table": "table2", "judged": 15, "inside": 12}
    found = score_sentence({**score, "p more": p_more, "p fewer": p_fewer})
    assert found.startswith("12 of 15 printed numbers of Table 2 are inside our intervals, ")
    assert f"intervals, {than} chance would leave there (p = {min(p_more, p_fewer):.3f})" in found


def test_commands_name_the_folder_of_the_records_where_it_is_not_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_folder(tmp_path / "my build" / "small")
    monkeypatch.chdir(tmp_path)
    # A copy without records, such as on a site, is not where to compute again.
    assert "--out" not in page_html(Results(Path("my build/small")))
    (made.parent / "records").mkdir()
    page = Page(Results(Path("my build/small")), None)
    assert page.command(3) == "quadrepro run small.yaml --repeats 3 --out 'my build'"
    assert page.explain(("a", "b")).endswith("small.yaml a b --recompute --out 'my build'")
    monkeypatch.chdir(made)
    assert Page(Results(Path()), None).command(1).endswith("--repeats 1 --out ..")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_leaves_only_its_section_out(tmp_path: Path, name: str) -> None:
    shown(make_folder(tmp_path / "most", **{name: None}))
    hardly = make_folder(tmp_path / "hardly", tables__json="{}", **dict.fromkeys(FILES))
    assert "Rows: 0; algorithms: 0; splits: 0; cells: 0" in shown(hardly).words


def test_a_page_is_the_same_wherever_it_is_made(folder: Path) -> None:
    moved = shutil.copytree(folder, folder.parent.with_name("moved") / "small")
    html = page_html(Results(folder))
    assert html == page_html(Results(moved))
    assert str(folder.parent) not in html


def test_a_page_allows_its_own_script_alone_and_loads_nothing(folder: Path) -> None:
    html = page_html(Results(folder))
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    [script] = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_too_large_a_text_is_linked_and_too_large_a_table_refused(tmp_path: Path) -> None:
    large = make_folder(tmp_path / "a", notes__md="[" * 400_000)
    assert "notes.md is too large" in shown(large).words
    rows: Rows = {(f"row {i}", f"column {i}"): (1,) for i in range(400)}
    with pytest.raises(DataError, match="the table of errors is too large for a page"):
        page_html(Results(make_folder(tmp_path / "b", errors__csv=errors(rows))))


def test_a_paper_of_ones_own_is_read_beside_its_config_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    for name, beside in (("./mypaper", None), ("", EXAMPLE), ("no-such", EXAMPLE), ("../x", None)):
        assert audit_of(name, beside) is None
    (folder / "run.json").write_text(run(paper="./mypaper"))
    assert "A paper of our own" in page_html(Results(folder), EXAMPLE)
    assert "Paper: ./mypaper" in page_html(Results(folder))


def test_the_index_has_counts_of_papers_and_what_each_experiment_has_found(tmp_path: Path) -> None:
    made = json.loads(run(paper=None)) | {"conclusion": "Best: A (0.5). Worse: B. By tests."}
    judged = claims("A,false,,holds,,", "B,false,,1 of 2,,", "C,true,,does not hold,,")
    folders = (
        make_folder(tmp_path / "small", report__html="", claims__csv=judged),
        make_folder(tmp_path / "own", run__json=json.dumps(made), claims__csv=None),
    )
    page = Parsed(index_html([*map(Results, folders)]))
    for text in (
        "1 of 3 printed numbers are inside our intervals, 2 outside; 0.1 would be by chance. "
        "Claims: 1 holds, 1 not decided. Claims on measured times: 1 does not hold.",
        "Small small 12 0 1 2 0.1 1 of 2",
        "Without a paper",
        "Small small Best: A (0.5). 12 0 1 2 0.1 –",
    ):
        assert text in page.words
    assert [a["href"] for a in page.all("a")] == ["#main", "small/report.html"]
    Parsed(index_html([]))


def test_a_damaged_folder_is_left_out_of_the_index_and_named(folder: Path) -> None:
    make_folder(folder.parent / "broken", cells__csv="dataset\n")
    page, [unlisted] = write_report(folder)
    assert page == folder / "report.html"
    assert "broken/cells.csv: there is no column 'algorithm'" in str(unlisted)
    index, faults = write_all(folder.parent)
    assert {type(fault) for fault in faults} == {DataError}
    assert "small/report.html" in index.read_text()
    assert "broken" not in index.read_text()
    index.write_text("mine")
    for [*_, fault] in (write_report(folder)[1], write_all(folder.parent)[1]):
        assert "was not written by quadrepro and stays as it is" in str(fault)
    assert index.read_text() == "mine"


def test_an_rmse_that_is_asked_for_as_a_metric_counts_once(tmp_path: Path) -> None:
    rows = "".join(f"wine,{name},RMSE,3,{mean},0.1,,,\n" for name, mean in (("a", 2), ("b", 1)))
    header = errors().splitlines()[0] + "\n"
    folder = make_folder(tmp_path, errors__csv=header + rows * 2)
    assert [entry.rank for entry in entries(folder).values()] == [2, 1]


def test_an_impossible_accuracy_is_marked_where_it_is_shown_as_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = "{unit: fraction, metric: accuracy, n_test: {monks: 216}}"
    subject(tmp_path, facts=facts, table1="d,quadboost\nmonks,0.901\n")
    of = audit(load_paper("./paper", tmp_path))
    monkeypatch.setattr("quadrepro.results.page.audit_of", lambda *_: of)
    row = ("monks", "quadboost", "risk")
    judged = ("table1", *row, "0.099", 0.1, 0.0, 0.2, 0.9, "inside", "")
    folder = make_folder(tmp_path, verdicts__csv=csv_text(DATA_HEADER, [judged]))
    [(verdict, why)] = Page(Results(folder), None).impossible
    assert verdict.printed == "0.099"
    assert why.startswith("no number of correct answers on 216 test examples")
