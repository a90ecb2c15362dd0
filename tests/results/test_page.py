from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import quadrepro
from quadrepro.errors import DataError
from quadrepro.papers.paper import load_paper
from quadrepro.results.page import (
    Page,
    PageEntry,
    audit_of,
    index_html,
    page_html,
    write_all,
    write_report,
)
from quadrepro.results.results import ERRORS_HEADER, Results
from quadrepro.results.run import MANIFEST
from quadrepro.results.scoreboard import write_scoreboard
from quadrepro.stats import p_text, rounded_p
from quadrepro.tables.audit import audit
from quadrepro.tables.judge import VERDICTS_HEADER, Verdict
from quadrepro.tables.render import csv_text, printed_text
from tests.make import config, write_paper
from tests.results.made import (
    ERRORS,
    Rows,
    cells,
    claims,
    errors,
    every_file,
    make_folder,
    make_own_folder,
    manifest,
    run,
    score,
)
from tests.results.parsed import Parsed

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "my-paper"
FILES = [name.replace(".", "__") for name in every_file() if name != MANIFEST]

ONE_SET: Rows = {
    ("wine", "a"): (10, 12, 14, 16),
    ("wine", "b"): (30, 31),
    ("wine", "c"): (11, 12, 13, 14, 15, 16),
}
"""An own comparison on one data set; a cell takes half a second, and one more with each split."""

SEVERAL: Rows = {
    (row, column): (n + i, n + i + 2)
    for i, row in enumerate(("monks", "wine", "titanic"))
    for column, n in (("a", 10), ("b", 20), ("c", 15 - 10 * (row == "titanic")))
}
"""An own comparison on several data sets."""

WINNERS = {("a", "b"): "a", ("a", "c"): "", ("b", "c"): "c"}

P_VALUE = re.compile(r"\bp\s*[=<≤]")


def page_of(path: Path) -> Parsed:
    return Parsed(page_html(Results(path)))


def lines_of(path: Path) -> list[str]:
    return Page(Results(path), None).lines


def entries(path: Path) -> dict[tuple[str, str], PageEntry]:
    return Page(Results(path), None).entries


def details_in(html: str, link: str) -> str:
    """Return the words of the window that opens for an entry."""
    template = html.partition(f'<template id="{link}">')[2]
    return Parsed(template.partition("</template>")[0]).words


def details_of(path: Path, link: str) -> str:
    return details_in(page_html(Results(path)), link)


@pytest.fixture(scope="module")
def percent_run(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of a paper that prints errors in percent, which no test may change."""
    folder = tmp_path_factory.mktemp("percent")
    printed = "{unit: percent, of: {splits: 4}, n_test: {classes: 40}}"
    header = "data,boosting_mean,boosting_sd,epsilon-boosting_mean,epsilon-boosting_sd"
    rows = ("classes,17.50,3.00,49.00,2.00", "numbers,41.20,5.10,90.00,0.10")
    table = "\n".join([header, *rows, ""])
    claim = "{kind: wins-or-ties, text: C, of: boosting, than: epsilon-boosting, at_least: 2}"
    group = f"claims: {{g: {{printed: [t], claims: [{claim}]}}}}"
    write_paper(folder / "paper", f"title: P\nprinted: {{t: {printed}}}\n{group}\n", t=table)
    content = config(
        paper="./paper",
        protocol={"view": "default", "sample": {"train": 40, "test": 40}, "folds": 0},
        datasets=[{"name": "m1", "as": "numbers"}, {"name": "orange", "as": "classes"}],
        algorithms=[
            {"name": n, "grid": {"n_rounds": [5]}} for n in ("boosting", "epsilon-boosting")
        ],
        tables={"errors": "t", "claims": "g"},
    )
    (folder / "percent.yaml").write_text(json.dumps(content))
    results = quadrepro.reproduce(
        folder / "percent.yaml", jobs=1, repeats=5, out=folder / "out", progress=False
    )
    results.report()
    return results


def test_a_page_shows_all_that_the_folder_holds(folder: Path) -> None:
    page = page_of(folder)
    for text in (
        "Efficient Learning of Ensembles with QuadBoost",
        "Rows: 2; algorithms: 2; splits: 3; cells: 12",
        "0.440 ± 0.040",
        "the printed number below",
        "printed 0.52 ▲, outside, above our interval",
        "printed 0.43 ± 0.09 †, its deviation outside",
        "monks, AdaBoost risk 0.52 0.3200 0.2400 to 0.4000 0.001",
        "monks, QuadBoost deviation of risk 0.09 0.04000 0.02000 to 0.08000 0.020",
        *("The printed risk of wine is far too low.", "Nothing.", "Ours are means."),
        *("✓ supported", "? undecided"),
        *("quadrepro 0.1.0, numpy 2.4.6", "quadrepro run small.yaml --repeats 3", "sha256:aa"),
    ):
        assert text in page.words, text
    numbers, judgements = lines_of(folder)
    assert numbers.startswith(
        "1 of 3 printed numbers of Table 1 are inside our intervals, where 3 "
    )
    assert numbers.endswith("Outside after Holm's correction: monks, AdaBoost.")
    assert judgements == "Claims: undecided 2."
    assert page.all("img")[0]["src"].startswith("data:image/svg+xml;base64,")
    assert {"../index.html", "errors.csv", "curves.svg"} <= {a["href"] for a in page.all("a")}


def test_the_first_screen_is_a_picture_and_few_lines_without_p_values(tmp_path: Path) -> None:
    sentence = "Best by risk: a. Worse: b (p = 0.010). By tests (p ≤ 0.05)."
    for i, rows in enumerate((ONE_SET, SEVERAL, ERRORS)):
        if rows is ERRORS:
            folder = make_folder(tmp_path / str(i), run__json=run(conclusion=sentence))
        else:
            text = run(conclusion=sentence, paper=None)
            folder = make_own_folder(tmp_path / str(i), rows, WINNERS, run__json=text)
            assert lines_of(folder) == ["Best: a.", "Not significantly different: c.", "Worse: b."]
        page = page_of(folder)
        assert len(page.all("figure", "strips")) == 1
        statements = page.all("p", "statement")
        assert 1 <= len(statements) <= 4
        assert all(len(p.words) < 300 for p in statements)
        top = page.elements[: page.elements.index(page.all("nav")[0])]
        with_p = [e for e in top if e.tag == "p" and P_VALUE.search(e.text)]
        assert [e.words for e in with_p] == [sentence]
        assert with_p[0].inside("details")


def test_what_is_beyond_four_lines_is_left_to_the_page_below(tmp_path: Path) -> None:
    scores = [f"table{i},9,5,4,0,0.4,0,1,0.014,0.007,0.999,[],0,0" for i in range(1, 6)]
    text = "\n".join([score().splitlines()[0], *scores, ""])
    lines = lines_of(make_folder(tmp_path, score__csv=text))
    starts = [f"5 of 9 printed numbers of Table {i}" for i in (1, 2, 3, 4)]
    assert [line.partition(" are")[0] for line in lines] == starts


def test_a_printed_number_is_in_the_band_of_its_row_exactly_if_it_is_inside(folder: Path) -> None:
    page = Page(Results(folder), None)
    assert [name for name, _ in page.picture] == ["monks", "wine"]
    places = [dot for _, dots in page.picture for dot in dots]
    assert [word for _, word, _ in places] == ["inside", "outside", "outside"]
    for place, word, _ in places:
        assert 0 <= place <= 100
        assert (25 <= place <= 75) == (word == "inside")
    # monks, QuadBoost is a quarter of the interval's width below its middle.
    assert places[0][0] == pytest.approx(50 - 25 / 4)
    assert places[0][2] == "QuadBoost: printed 0.43 ± 0.09, 0.440"
    drawn = [i["class"] for i in page_of(folder).all("i") if i.inside("span", "band")]
    assert drawn == [word for _, word, _ in places]


def test_the_picture_of_one_data_set_has_a_dot_per_split(tmp_path: Path) -> None:
    page = Page(Results(make_own_folder(tmp_path, ONE_SET, WINNERS)), None)
    assert page.scale == ["0.1000", "risk of each split", "0.3100"]
    assert [name for name, _ in page.picture] == ["a", "b", "c"]
    for (_, dots), counts in zip(page.picture, ONE_SET.values(), strict=True):
        places = [place for place, _, _ in dots]
        expected = [100 * (n - 10) / (31 - 10) for n in counts if n is not None]
        assert places == pytest.approx(expected)
    assert page.picture[1][1][1][2] == "split 1: 0.3100"


def test_the_picture_of_several_data_sets_has_the_ranks_of_each_method(tmp_path: Path) -> None:
    page = Page(Results(make_own_folder(tmp_path, SEVERAL, WINNERS)), None)
    assert page.scale == ["1", "rank of each data set", "3"]
    sums = pd.Series({place: counts[0] for place, counts in SEVERAL.items()})
    ranks = sums.unstack(sort=False).rank(axis=1)
    for name, dots in page.picture:
        places = [place for place, _, _ in dots]
        assert places == pytest.approx([50 * (rank - 1) for rank in ranks[name]])
        titles = [title for *_, title in dots]
        assert titles == [f"{row}: rank {rank:g}" for row, rank in ranks[name].items()]


def test_times_are_set_against_errors_on_one_data_set(folder: Path, tmp_path: Path) -> None:
    points = Page(Results(make_own_folder(tmp_path / "one", ONE_SET, WINNERS)), None).times
    places = {name: place for name, *place in points}
    # Mean seconds are 2, 1 and 3: from left to right by logarithm; the highest error is on top.
    assert places["a"][:2] == pytest.approx([5 + 90 * math.log(2) / math.log(3), 95])
    assert places["b"][:2] == pytest.approx([5, 5])
    assert places["c"][:2] == pytest.approx([95, 95 - 90 * 0.5 / 17.5])
    # The titles of points of nearly the same error are below each other.
    lines = sorted(top + below for _, top, below in places.values())
    assert min(low - high for high, low in pairwise(lines)) >= 8 - 1e-9
    several = make_own_folder(tmp_path / "several", SEVERAL, WINNERS)
    for other in (folder, several):
        assert Page(Results(other), None).times == []


def test_every_entry_of_the_table_has_its_splits_and_its_command(folder: Path) -> None:
    html = page_html(Results(folder))
    fields = [td for td in Parsed(html).all("td") if "data-entry" in td.attributes]
    cells_of_table = {td["data-entry"]: td for td in fields}
    assert [td["class"] for td in cells_of_table.values()] == ["middle", "above", "below", ""]
    for place, counts in ERRORS.items():
        link, text = "/".join(place), details_in(html, "/".join(place))
        assert float(cells_of_table[link]["data-value"]) == pytest.approx(sum(counts) / 300)
        for i, n in enumerate(counts):
            assert f"{i} {n / 100:.4f} {n} of 100 n_rounds {5 + i % 2}" in text
        command = shlex.join(["quadrepro", "explain", "small.yaml", *place, "--recompute"])
        assert command in text
        assert f"{place[0]}, " in text
    text = details_in(html, "monks/adaboost")
    assert "Ours 0.320 ± 0.035, risk over 3 splits Printed 0.52: outside, above our int" in text
    assert "Interval 0.2400 to 0.4000, where the printed number lies" in text
    assert "drawn like ours; p = 0.001 Time 1.5 s a split, measured Data sha256:aa" in text
    spread = "Deviation outside: our interval 0.02000 to 0.08000; p = 0.020"
    assert spread in details_in(html, "monks/quadboost")
    assert "Printed 0.28: no result Time" in details_in(html, "wine/adaboost")
    # A page is the same wherever it is made.
    moved = shutil.copytree(folder, folder.parent.with_name("moved") / "small")
    assert html == page_html(Results(moved))
    assert str(folder.parent) not in html


def test_a_place_is_a_part_of_the_interval() -> None:
    ends = {"0.5": "middle", "0.75": "middle", "0.76": "high", "0.24": "low"}
    for printed, place in (ends | {"1.01": "above", "-0.01": "below", "": ""}).items():
        p = {"above": 0.04, "below": 0.04, "": None}.get(place, 0.5)
        verdict = Verdict(printed or "0.5", 0.5, 0.0, 1.0, p)
        assert PageEntry(0.5, 0.1, "risk", printed, 1, verdict, "", percent=False).place == place


def test_a_mean_has_the_digits_of_its_quantity() -> None:
    for mean, quantity, printed, text in (
        *((0.1235, "risk", "", "0.123"), (0.45, "RMSE", "", "0.4500"), (450, "RMSE", "", "450.0")),
        *((0, "RMSE", "", "0.0000"), (-0.25, "MCC", "", "−0.2500"), (math.inf, "RMSE", "", "∞")),
        *((0.5, "AUC", "0.47123", "0.50000"), (0.12346, "risk in percent", "", "12.35")),
        *((0.5, "AUC in percent", "", "50.00"), (math.nan, "risk in percent", "", "–")),
    ):
        name, _, percent = quantity.partition(" in ")
        entry = PageEntry(mean, math.nan, name, printed, 1, None, "", bool(percent))
        assert entry.texts == [text]


def test_the_best_of_a_row_has_rank_1_and_the_baseline_none(tmp_path: Path) -> None:
    rows = {("a", "x"): (20, 20), ("a", "y"): (30, 30), ("a", "baseline"): (10, 10)}
    rows |= {("b", "x"): (20, 20), ("b", "y"): (20, 20), ("b", "baseline"): (40, None)}
    folder = make_folder(tmp_path / "1", cells__csv=cells(rows), errors__csv=errors(rows))
    assert [entry.rank for entry in entries(folder).values()] == [1, 2, 0, 1, 1, 0]
    assert "No result split 1: failed too slow" in details_of(folder, "b/baseline")
    # An RMSE that is asked for as a metric counts once.
    lines = "".join(f"wine,{name},RMSE,3,{mean},0.1,,,\n" for name, mean in (("a", 2), ("b", 1)))
    header = errors().splitlines()[0] + "\n"
    folder = make_folder(tmp_path / "2", errors__csv=header + lines * 2)
    assert [entry.rank for entry in entries(folder).values()] == [2, 1]


def test_the_headline_of_the_config_leads_the_main_table(tmp_path: Path) -> None:
    rows = errors() + "monks,quadboost,AUC,3,0.7,0.1,,,\nmonks,adaboost,AUC,3,0.9,0.1,,,\n"
    header, *lines = cells().splitlines()
    aucs = "\n".join([f"{header},auc", *(f"{line},0.8" for line in lines)]) + "\n"
    text = run(headline="auc")
    folder = make_folder(tmp_path, errors__csv=rows, cells__csv=aucs, run__json=text)
    assert {place: (e.mean, e.rank) for place, e in entries(folder).items()} == {
        ("monks", "quadboost"): (0.7, 2),
        ("monks", "adaboost"): (0.9, 1),
    }
    assert "0 0.8000 40 of 100" in details_of(folder, "monks/quadboost")
    assert "Test AUC" in page_of(folder).words


@pytest.mark.parametrize("printed", ["0.0414", "0.0413"])
def test_numbers_that_arithmetic_refutes_are_named_as_printed(tmp_path: Path, printed: str) -> None:
    place = ("breast", "rlp-boost")
    judged = ("table1", *place, "risk", printed, 0.04, 0.03, 0.05, 0.9, "inside", "")
    names = [{"name": "wdbc", "as": "breast", "printed": "wisconsin"}]
    folder = make_folder(
        tmp_path,
        tables__json=manifest(percent=["table1"]),
        verdicts__csv=csv_text(VERDICTS_HEADER, [judged]),
        errors__csv=csv_text(ERRORS_HEADER, [(*place, "risk", 2, 0.045, 0.007, printed, "", "in")]),
        cells__csv=cells({place: (4, 5)}),
        run__json=run(paper="ebboost", datasets=names),
    )
    is_impossible = printed == "0.0414"
    html = page_html(Results(folder))
    words, details = Parsed(html).words, details_in(html, "breast/rlp-boost")
    assert ("Impossible as printed: breast, rlp-boost (4.14)." in words) == is_impossible
    text = ": impossible on 20 × 171 or 20 × 170 test examples: no such number of errors"
    assert [text in words, text in details] == [is_impossible] * 2
    assert f"printed {printed_text(printed, percent=True)}" in words
    assert "0 4.000 4 of 100" in details


def test_claims_that_print_contradicts_and_those_on_times_are_told_apart(folder: Path) -> None:
    contradicted = ("A,false,o,refuted,p,supported", "B,false,o,supported,q,refuted")
    others = ("C,true,,agrees,,", "D,false,o,disagrees,p,disagrees")
    (folder / "claims.csv").write_text(claims(*contradicted, *others))
    assert lines_of(folder)[-1] == "Claims: supported 1, disagrees 1, refuted 1."
    page = page_of(folder)
    items = [li.words for li in page.all("li") if li.inside("section") and ": " in li.words]
    assert items == ["B: q", "A: o", "D: o"]
    assert "C (measured time)" in page.words
    judgements = [[p["class"] for p in page.all("p", word)] for word in ("supported", "agrees")]
    assert judgements == [["supported"] * 2, ["agrees"]]


def test_one_split_cannot_judge_and_says_so_first(tmp_path: Path) -> None:
    rows = {place: counts[:1] for place, counts in ERRORS.items()}
    once = [("table1", *at, "risk", "0.3", *[""] * 4, "not comparable", "one split") for at in rows]
    files = {"cells__csv": cells(rows), "errors__csv": errors(rows), "score__csv": None}
    folder = make_folder(tmp_path, verdicts__csv=csv_text(VERDICTS_HEADER, once), **files)
    command = "quadrepro run small.yaml --repeats 30"
    assert lines_of(folder)[0] == f"One split cannot judge a printed number; more can: {command}"
    assert not any("cannot judge" in text for text in lines_of(make_folder(tmp_path / "several")))
    assert "±" not in page_of(folder).words.partition("Figures")[0]


def test_commands_name_the_folder_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(Path("my build/small"))
    # A copy without records, such as on a site, is not where to compute again.
    assert "--out" not in page_html(Results(folder))
    (folder.parent / "records").mkdir()
    command = Page(Results(folder), None).command
    text = command("run", "--repeats", "3")
    assert text == "quadrepro run small.yaml --repeats 3 --out 'my build'"
    text = command("explain", "a b", "c", "--recompute")
    assert text == "quadrepro explain small.yaml 'a b' c --recompute --out 'my build'"
    monkeypatch.chdir(folder)
    assert Page(Results(Path()), None).command("run").endswith("small.yaml --out ..")


def test_a_file_that_is_missing_leaves_only_its_section_out(tmp_path: Path) -> None:
    for name in FILES:
        page_of(make_folder(tmp_path / name, **{name: None}))
    hardly = make_folder(tmp_path / "hardly", tables__json="{}", **dict.fromkeys(FILES))
    assert "Rows: 0; algorithms: 0; splits: 0; cells: 0" in page_of(hardly).words


def test_a_page_allows_its_own_script_alone_and_loads_nothing(folder: Path) -> None:
    html = page_html(Results(folder))
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    [script] = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_too_large_a_text_is_linked_and_too_large_a_table_refused(tmp_path: Path) -> None:
    large = make_folder(tmp_path / "a", notes__md="[" * 400_000)
    assert "notes.md is too large" in page_of(large).words
    rows: Rows = {(f"row {i}", f"column {i}"): (1,) for i in range(400)}
    with pytest.raises(DataError, match="the table of errors is too large for a page"):
        page_html(Results(make_folder(tmp_path / "b", errors__csv=errors(rows))))


def test_an_own_paper_is_read_next_to_its_config(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    for name, start in (("./mypaper", None), ("", EXAMPLE), ("no-such", EXAMPLE), ("../x", None)):
        assert audit_of(name, start) is None
    (folder / "run.json").write_text(run(paper="./mypaper"))
    assert "A paper of our own" in page_html(Results(folder), EXAMPLE)
    assert "Paper: ./mypaper" in page_html(Results(folder))


def test_the_index_has_the_counts_and_conclusion_of_each_experiment(tmp_path: Path) -> None:
    sentence = "Best by risk: A (0.5). Worse: B. By tests."
    judged = claims("A,false,,supported,,", "B,false,,1 of 2,,", "C,true,,refuted,,")
    own = {"run__json": run(conclusion=sentence, paper=None), "claims__csv": None}
    folders = [make_folder(tmp_path / "small", report__html="", claims__csv=judged)]
    folders.append(make_folder(tmp_path / "own", **own))
    page = Parsed(index_html([*map(Results, folders)]))
    for text in (
        "1 of 3 printed numbers are inside our intervals, 2 outside; 0.1 would be by chance. "
        "Claims: supported 1, undecided 1. Claims on measured times: refuted 1.",
        "Small small 12 0 1 2 0.1 1 of 2",
        "Without a paper",
        "Small small Best by risk: A (0.5). 12 0 1 2 0.1 –",
    ):
        assert text in page.words
    assert [a["href"] for a in page.all("a")] == ["#main", "small/report.html"]
    Parsed(index_html([]))


def test_a_damaged_folder_is_left_out_of_the_index_and_named(folder: Path) -> None:
    make_folder(folder.parent / "broken", cells__csv="dataset\n")
    page, [fault_of_index] = write_report(folder)
    assert page == folder / "report.html"
    assert "broken/cells.csv: the column 'algorithm' is missing" in str(fault_of_index)
    index, faults = write_all(folder.parent)
    assert {type(fault) for fault in faults} == {DataError}
    assert "small/report.html" in index.read_text()
    assert "broken" not in index.read_text()
    index.write_text("mine")
    for [*_, fault] in (write_report(folder)[1], write_all(folder.parent)[1]):
        assert "was not written by quadrepro and stays as it is" in str(fault)
    assert index.read_text() == "mine"


def test_an_impossible_accuracy_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = "{unit: fraction, metric: accuracy, n_test: {monks: 216}}"
    text = f"title: Small\nnames: {{quadboost: QuadBoost}}\nprinted: {{table1: {facts}}}\n"
    write_paper(tmp_path / "paper", text, table1="d,quadboost\nmonks,0.901\n")
    result = audit(load_paper("./paper", tmp_path))
    monkeypatch.setattr("quadrepro.results.page.audit_of", lambda *_: result)
    row = ("monks", "quadboost", "risk")
    judged = ("table1", *row, "0.099", 0.1, 0.0, 0.2, 0.9, "inside", "")
    folder = make_folder(tmp_path, verdicts__csv=csv_text(VERDICTS_HEADER, [judged]))
    [(verdict, _, why)] = Page(Results(folder), None).impossible
    assert verdict.printed == "0.099"
    assert why.startswith("impossible on 216 test examples: no such number of correct answers")


def test_a_table_in_percent_is_shown_in_percent_and_kept_in_fractions(percent_run: Results) -> None:
    frame = percent_run.errors.set_index(["dataset", "algorithm"]).sort_index()
    risks = percent_run.cells.groupby(["dataset", "algorithm"])["value"].mean()
    assert {place: frame["mean"][place] for place in risks.index} == pytest.approx(risks.to_dict())
    verdicts = percent_run.verdicts.set_index(["dataset", "algorithm", "quantity"])["printed"]
    assert verdicts["classes", "boosting", "risk"] == "0.1750"
    assert verdicts["classes", "boosting", "deviation of risk"] == "0.0300"
    words = details_of(percent_run.folder, "classes/boosting")
    mean, sd = (100 * frame.loc[("classes", "boosting"), name] for name in ("mean", "sd"))
    shown_as = f"{mean:.2f} ± {sd:.2f}"
    assert f"Ours {shown_as}, risk in percent over 5 splits Printed 17.50 ± 3.00" in words
    assert f"{shown_as} (17.50" in (percent_run.folder / "errors.md").read_text().replace("**", "")
    rows = [line for line in _outside_in_markdown(percent_run) if line[1].startswith("risk")]
    assert rows[0][:3] == ["classes, epsilon-boosting", "risk in percent", "49.00"]

    # An RMSE keeps its unit.
    mean = frame.loc[("numbers", "boosting"), "mean"]
    assert frame.loc[("numbers", "boosting"), "printed"] == "41.20"
    words = details_of(percent_run.folder, "numbers/boosting")
    ours, _, unit = words.partition("Ours ")[2].partition(" ± ")
    assert float(ours) == pytest.approx(mean, rel=1e-3)
    assert unit.split(", ")[1].startswith("RMSE over 5 splits")
    assert "Printed 41.20 ± 5.10" in words
    rows = [line for line in _outside_in_markdown(percent_run) if line[0].startswith("numbers")]
    assert {line[1] for line in rows} <= {"RMSE", "deviation of RMSE"}
    assert rows[0][2] == "41.20"


def _outside_in_markdown(results: Results) -> list[list[str]]:
    """Return the rows of the table of printed numbers outside in ``verdicts.md``."""
    lines = (results.folder / "verdicts.md").read_text().splitlines()
    return [[c.strip() for c in line.strip("| ").split(" | ")] for line in lines if "|" in line][2:]


def test_every_p_value_is_the_same_wherever_it_is_shown(percent_run: Results) -> None:
    [score_of_table] = percent_run.scores.to_dict("records")
    p = p_text(score_of_table["p"])
    sentence = percent_run.run.conclusion
    assert p in sentence
    assert f"in 95% of tables ({p})" in (percent_run.folder / "verdicts.md").read_text()
    assert sentence in (percent_run.folder / "errors.md").read_text()
    page = Parsed((percent_run.folder / "report.html").read_text())
    assert sentence in [p.words for p in page.all("p") if p.inside("details")]
    readme = write_scoreboard(percent_run.folder.parent).read_text()
    [line] = [line for line in readme.splitlines() if line.startswith("| t ")]
    assert rounded_p(score_of_table["p"]) in [field.strip() for field in line.split("|")]
    n_inside, n_outside = score_of_table["inside"], score_of_table["outside"]
    assert f"{n_inside} of {n_inside + n_outside}" in line
    rows = _outside_in_markdown(percent_run)
    outside = percent_run.verdicts.query("verdict == 'outside'")
    assert sorted(row[-1] for row in rows) == sorted(map(rounded_p, outside["p"]))
    assert len(rows) > 1
    for row in rows:
        assert " ".join(row) in page.words


NAMES = ("<b>x</b>", "**x**", "[a](http://b)", "_x_ | `y`", "<img src=x>")


def test_names_of_rows_columns_and_titles_stay_text(tmp_path: Path) -> None:
    datasets = [{"name": "monks", "as": name} for name in NAMES]
    ada = {"name": "adaboost", "label": NAMES[1], "grid": {"n_rounds": 5}}
    algorithms, title = [ada, {**ada, "name": "quadboost", "label": NAMES[2]}], " ".join(NAMES)
    content = config(title=title, notes=[title], datasets=datasets, algorithms=algorithms)
    results = quadrepro.reproduce(content, jobs=1, repeats=3, out=tmp_path, progress=False)
    page = Parsed(results.report().read_text())
    index = Parsed((tmp_path / "index.html").read_text())
    assert page.all("h1")[0].words == title
    assert title in index.words
    for part in (page, index):
        assert not any("//b" in a["href"] for a in part.all("a"))
        assert not part.all("i") or {i["class"] for i in part.all("i")} <= {"split"}
        assert all("aria-hidden" in b.attributes for b in part.all("b"))
    # The main table, and the table of errors with every quantity.
    heads = [(th.attributes.get("scope"), th.words) for th in page.all("th")]
    assert {("col", NAMES[1]), ("col", NAMES[2]), *(("row", name) for name in NAMES)} <= {*heads}
    assert {*NAMES} <= {td.words for td in page.all("td")}
    assert page.words.count(title) > 1
    statements = [p.words for p in page.all("p", "statement")]
    assert statements[0] in (f"Best: {name}." for name in NAMES[1:3])
