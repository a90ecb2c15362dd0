from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from quadrepro.errors import DataError
from quadrepro.results.page import (
    Entry,
    Page,
    index_html,
    page_html,
    paper_of,
    score_sentence,
    write_all,
    write_report,
)
from quadrepro.results.results import Results
from quadrepro.tables.table import csv_text
from quadrepro.tables.verdicts import DATA_HEADER, SCORE_HEADER, Verdict
from tests.results.pages.made import ERRORS, RISKS, cells, errors, make_folder, manifest, run
from tests.results.pages.parsed import Parsed

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "my-paper"
EVIL = '<script>alert("1")</script> & </script> \'"><img src=x onerror=alert(1)>'
FILES = (
    *("run__json", "cells__csv", "errors__csv", "errors__md", "verdicts__csv"),
    *("score__csv", "claims__csv", "notes__md", "curves__svg"),
)


def parsed(path: Path) -> Parsed:
    page = Parsed(page_html(Results(path)))
    page.check()
    return page


def words(path: Path) -> str:
    return " ".join(parsed(path).words.split())


def test_a_page_shows_all_that_the_folder_holds(folder: Path) -> None:
    page, found = parsed(folder), words(folder)
    for text in (
        "Efficient Learning of Ensembles with QuadBoost",
        "Rows: 2; algorithms: 2; splits: 3; cells: 12",
        "2 of 3 printed numbers of Table 1 are outside, more than chance explains (p = 0.007).",
        "Still outside after Holm's correction (0.05): monks, AdaBoost.",
        "Of 2 claims, 2 not decided.",
        "0.440 ± 0.040",
        "printed 0.52 ▲, outside, above our interval",
        "The printed risk of wine is far too low.",
        "? not decided",
        "Ours are means.",
        "quadrepro 0.1.0, numpy 2.4.6",
        "quadrepro run small.yaml",
        "sha256:aa",
    ):
        assert text in re.sub(r"\s+", " ", found), text
    sections = "results figures outside claims tables notes provenance"
    assert {*sections.split()} <= {*page.ids}
    assert page.all("img")[0]["src"].startswith("data:image/svg+xml;base64,")
    assert {"../index.html", "errors.csv", "curves.svg"} <= {a["href"] for a in page.all("a")}
    places = [page_html(Results(folder)).index(f'id="{name}"') for name in sections.split()]
    assert places == sorted(places)


def test_every_entry_of_the_table_has_its_splits_and_its_command(folder: Path) -> None:
    page = parsed(folder)
    found = {int(td["data-entry"]): td for td in page.all("td") if "data-entry" in td}
    for i, (place, counts) in enumerate(ERRORS.items()):
        of = page.data["entries"][i]
        assert [text for _, text, _ in of["splits"]] == [f"{n} of 100" for n in counts]
        assert of["values"] == [n / 100 for n in counts]
        assert (of["row"], of["column"].lower()) == place
        assert float(found[i]["data-value"]) == pytest.approx(sum(counts) / 300)
        command = ["quadrepro", "explain", "small.yaml", *place, "--recompute"]
        assert shlex.split(of["command"]) == command
    assert [td["class"] for td in found.values()] == ["middle", "above", "below", ""]
    assert page.data["entries"][1]["interval"] == [0.24, 0.4]
    assert page.data["entries"][3]["why"] == "no result"


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
        *(
            (0.45, "RMSE", "", "0.4500"),
            (450, "RMSE", "", "450.0"),
            (0.5, "AUC", "0.47123", "0.50000"),
        ),
        *(
            (float("nan"), "risk", "", "–"),
            (float("inf"), "RMSE", "", "inf"),
            (0, "RMSE", "", "0.000"),
        ),
    ],
)
def test_a_mean_has_the_digits_of_its_quantity(
    mean: float, quantity: str, printed: str, text: str
) -> None:
    assert Entry(mean, 0.1, quantity, printed, 1, None, "").rounded(mean) == text


def test_the_best_of_a_row_has_rank_1_and_the_baseline_none(tmp_path: Path) -> None:
    rows = {("a", "x"): (20, 20), ("a", "y"): (30, 30), ("a", "baseline"): (10, 10)}
    rows |= {("b", "x"): (20, 20), ("b", "y"): (20, 20), ("b", "baseline"): (40, None)}
    folder = make_folder(tmp_path, cells__csv=cells(rows), errors__csv=errors(rows))
    entries = Page(Results(folder), None).entries
    assert [entry.rank for entry in entries.values()] == [1, 2, 0, 1, 1, 0]
    assert parsed(folder).data["entries"][5]["failed"] == ["1: failed too slow"]


def test_the_headline_of_the_config_leads_the_main_table(tmp_path: Path) -> None:
    rows = errors() + "monks,quadboost,AUC,3,0.7,0.1,,,\nmonks,adaboost,AUC,3,0.9,0.1,,,\n"
    header, *lines = cells().splitlines()
    aucs = "\n".join([f"{header},auc", *(f"{line},0.8" for line in lines)]) + "\n"
    made = run(headline="auc")
    folder = make_folder(tmp_path, errors__csv=rows, cells__csv=aucs, run__json=made)
    entries = Page(Results(folder), None).entries
    assert {place: (e.mean, e.rank) for place, e in entries.items()} == {
        ("monks", "quadboost"): (0.7, 2),
        ("monks", "adaboost"): (0.9, 1),
    }
    page = parsed(folder)
    assert page.data["entries"][0]["values"] == [0.8] * 3
    assert "Test AUC" in page.words


def test_numbers_that_arithmetic_refutes_are_marked_and_named_first(tmp_path: Path) -> None:
    place = "breast", "rlp-boost"
    row = ("table1", *place, "error in percent", "4.14", 4.0, 3.0, 5.0, 0.9, "inside", "")
    percent = csv_text(DATA_HEADER, [row])
    means = (
        errors({place: (4, 5)}).replace("risk", "error in percent").replace(",,,\n", ",4.14,,\n")
    )
    names = [{"name": "wdbc", "as": "breast", "printed": "wisconsin"}]
    files = {"verdicts__csv": percent, "errors__csv": means, "cells__csv": cells({place: (4, 5)})}
    made = run(paper="ebboost", datasets=names)
    folder = make_folder(tmp_path, run__json=made, **files)
    page, found = parsed(folder), words(folder)
    assert "Impossible as printed, by arithmetic alone: breast, rlp-boost (4.14)." in found
    assert "printed 4.14: no number of errors on 20 × 171 or 20 × 170 test examples" in found
    assert ", impossible" in page.words
    assert page.data["entries"][0]["why"].startswith("no number of errors")
    row = tuple("4.13" if value == "4.14" else value for value in row)
    (folder / "verdicts.csv").write_text(csv_text(DATA_HEADER, [row]))
    assert "Impossible" not in words(folder)


def test_claims_that_print_contradicts_and_those_on_times_are_told_apart(folder: Path) -> None:
    rows = ("A,false,o,does not hold,p,holds", "B,false,o,holds,q,does not hold", "C,true,,holds,,")
    header = "claim,timed,ours,holds,printed,holds in print"
    (folder / "claims.csv").write_text("\n".join((header, *rows)))
    found = words(folder)
    assert "Of 2 claims, 1 holds, 1 does not hold." in found
    assert "Of 1 claims on measured times, 1 holds." in found
    assert "The paper's own table contradicts: B." in found
    assert re.search("contradicts B: q.*Claims that do not hold A: o", found)


def test_one_split_cannot_judge_and_says_so_first(tmp_path: Path) -> None:
    rows = {place: counts[:1] for place, counts in ERRORS.items()}
    once = [
        ("table1", *place, "risk", "0.3", *[""] * 4, "not comparable", "one split")
        for place in rows
    ]
    files = {"cells__csv": cells(rows), "errors__csv": errors(rows), "score__csv": None}
    folder = make_folder(tmp_path, verdicts__csv=csv_text(DATA_HEADER, once), **files)
    statements = Page(Results(folder), None).statements
    assert statements[0].startswith("One split cannot judge a printed number")
    assert "quadrepro run small.yaml --repeats 30" in statements[0]
    assert "±" not in words(folder).partition("Figures")[0]


@pytest.mark.parametrize(
    ("outside", "more", "fewer", "text"),
    [
        (3, 0.033, 0.99, "3 of 15 {} are outside, more than chance explains (p = 0.033)."),
        (1, 0.0004, 1.0, "1 of 15 {} is outside, more than chance explains (p < 0.001)."),
        (1, 0.6, 0.8, "14 of 15 {} hold; 1 is outside, which chance explains (p = 0.600)."),
        (0, 1.0, 0.02, "15 of 15 {} hold, more than chance would leave inside (p = 0.020)."),
        (0, 1.0, 0.5, "15 of 15 {} hold."),
    ],
)
def test_a_sentence_tells_whether_chance_explains_what_is_outside(
    outside: int, more: float, fewer: float, text: str
) -> None:
    score = {"printed table": "table2", "judged": 15, "inside": 15 - outside, "outside": outside}
    found = score_sentence({**score, "p more": more, "p fewer": fewer})
    assert found == text.format("printed numbers of Table 2")


def test_a_page_has_the_count_of_the_reading_that_fits_print_best(tmp_path: Path) -> None:
    for name, inside in (("rescale-table1", 8), ("rescale-table1-fit", 23)):
        row = ("table1", 40, inside, 40 - inside, 0, 1.9, 0, 7, 0.0, 1.0, "[]")
        made = run(paper="rescale", tables={})
        make_folder(tmp_path / name, score__csv=csv_text(SCORE_HEADER, [row]), run__json=made)
    assert "(rescale-table1-fit), which contradicts the text, 23 of 40 hold." in words(
        tmp_path / "rescale-table1"
    )
    assert "fits print best" not in words(tmp_path / "rescale-table1-fit")


def test_commands_name_the_folder_of_the_records_where_it_is_not_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_folder(tmp_path / "my build" / "small")
    monkeypatch.chdir(tmp_path)
    # A copy without records, such as on a site, is not where to compute again.
    assert "--out" not in page_html(Results(Path("my build/small")))
    (made.parent / "records").mkdir()
    page = Page(Results(Path("my build/small")), None)
    assert page.command == "quadrepro run small.yaml --out 'my build'"
    assert page.opened[0]["command"].endswith("--recompute --out 'my build'")
    monkeypatch.chdir(made)
    assert Page(Results(Path()), None).command == "quadrepro run small.yaml --out .."


def test_hostile_names_are_text(tmp_path: Path) -> None:
    rows = {(EVIL, EVIL): (1, None)}
    folder = make_folder(
        tmp_path,
        cells__csv=cells(rows).replace("too slow", EVIL.replace('"', "")),
        errors__csv=errors(rows),
        run__json=run(title=EVIL, paper=EVIL, datasets=[{"name": EVIL}]),
        tables__json=manifest(tables={"errors": {"title": EVIL}}),
        notes__md=EVIL,
        errors__md=RISKS.replace("monks", EVIL),
    )
    page = parsed(folder)
    assert len(page.all("script")) == 2
    assert len(page.all("img")) == 1
    assert page.data["entries"][0]["row"] == EVIL
    assert EVIL in page.words


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_leaves_only_its_section_out(tmp_path: Path, name: str) -> None:
    parsed(make_folder(tmp_path, **{name: None}))


def test_a_folder_with_hardly_anything_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text("{}")
    assert "Rows: 0; algorithms: 0; splits: 0; cells: 0" in words(tmp_path)


def test_a_page_is_the_same_wherever_and_whenever_it_is_made(folder: Path) -> None:
    moved = shutil.copytree(folder, folder.parent.with_name("moved") / "small")
    html = page_html(Results(folder))
    assert html == page_html(Results(moved))
    assert str(folder.parent) not in html
    levels = [int(level) for level in re.findall(r"<h([1-6])", html.partition("<dialog")[0])]
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_a_page_allows_its_own_script_alone_and_loads_nothing(folder: Path) -> None:
    html = page_html(Results(folder))
    found = {
        tag: re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL) for tag in ("script", "style")
    }
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    digest = base64.b64encode(hashlib.sha256(found["script"][0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    for [text] in found.values():
        assert not re.search(r"url\(|@import|fetch\(|XMLHttp|innerHTML|eval\(", text)
        assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_too_large_a_text_is_linked_and_too_large_a_table_refused(tmp_path: Path) -> None:
    assert "notes.md is too large" in words(make_folder(tmp_path / "a", notes__md="[" * 400_000))
    rows: dict[Any, Any] = {(f"row {i}", f"column {i}"): (1,) for i in range(400)}
    with pytest.raises(DataError, match="the table of errors is too large for a page"):
        page_html(Results(make_folder(tmp_path / "b", errors__csv=errors(rows))))


def test_a_paper_of_ones_own_is_read_beside_its_config_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(EXAMPLE)
    assert paper_of("./mypaper", None) is None
    assert getattr(paper_of("./mypaper", EXAMPLE), "reference", "") == "./mypaper"
    for name in ("", "no-such-paper", "../quadboost"):
        assert paper_of(name, None) is None


def test_the_index_has_counts_of_papers_and_what_each_experiment_has_found(tmp_path: Path) -> None:
    made = json.loads(run(paper=None)) | {"conclusion": "Best: A. Worse: B. By tests."}
    folders = (
        make_folder(tmp_path / "small"),
        make_folder(tmp_path / "own", run__json=json.dumps(made)),
    )
    page = Parsed(index_html([*map(Results, folders)]))
    page.check()
    found = " ".join(page.words.split())
    assert "1 of 3 printed numbers are inside our intervals, 2 outside; 0.1 would be" in found
    assert "2 claims: 2 not decided." in found
    assert "2 of 3 printed numbers of Table 1 are outside" in found
    assert "Without a paper" in found
    assert "Best: A." in found
    assert {"href": "small/report.html"} in page.all("a")
    Parsed(index_html([])).check()


def test_a_damaged_folder_is_left_out_of_the_index_and_named(folder: Path) -> None:
    make_folder(folder.parent / "broken", cells__csv="dataset\n")
    page, [unlisted] = write_report(folder)
    assert page == folder / "report.html"
    assert "broken/cells.csv: there is no column 'algorithm'" in unlisted
    index, faults = write_all(folder.parent)
    assert [type(fault) for fault in faults] == [DataError]
    assert "small/report.html" in index.read_text()
    assert "broken" not in index.read_text()
    index.write_text("mine")
    [message] = write_report(folder)[1]
    assert "was not written by quadrepro and stays as it is" in message
    assert index.read_text() == "mine"
