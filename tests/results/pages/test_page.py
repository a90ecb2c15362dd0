from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import shlex
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from quadrepro.papers.paper import load_paper
from quadrepro.results.folder import FAILS, HOLDS, OPEN, Environment, Folder, read_folder
from quadrepro.results.pages.index import page_html
from quadrepro.results.pages.page import (
    MOST,
    Page,
    _smaller_svg,
    claims_sentence,
    facts_of,
    finding,
    make_caterpillars,
    make_figures,
    score_sentence,
)
from quadrepro.tables.table import Table, TableEntry, csv_text
from quadrepro.tables.verdicts import SCORE_HEADER, Verdict
from tests.results.pages.made import ERRORS, RISKS, SVG, cells, make_folder, manifest, run
from tests.results.pages.parsed import Parsed

ROOT = Path(__file__).resolve().parents[3]
EVIL = '<script>alert("1")</script> & </script> \'"><img src=x onerror=alert(1)>'
QUIET = ("verdicts__csv", "score__csv", "claims__csv", "notes__md", "risks__md", "curves__svg")


def parsed(path: Path) -> Parsed:
    page = Parsed(page_html(read_folder(path)))
    page.check()
    return page


def test_a_page_shows_all_that_the_folder_holds(folder: Folder) -> None:
    page = Parsed(page_html(folder, load_paper("quadboost")))
    page.check()
    words = " ".join(page.words.split())
    for text in (
        "Efficient Learning of Ensembles with QuadBoost",
        "2 data sets, 2 algorithms, 3 random splits: 12 cells; seed 7.",
        "2 outside; 0.1 would be by chance, 0 to 1 in 95% of tables.",
        "2 of 3 printed numbers of Table 1 are outside, more than chance explains (p = 0.007).",
        "Still outside after Holm's correction (0.05): monks, AdaBoost.",
        "0 of 2 claims hold, 2 are not decided.",
        "1 printed number cannot be compared.",
        "0.440 ± 0.040",
        "0.520.320.24 to 0.400.001yes",
        "0.52 ▲, outside, above our interval",
        "3 printed numbers: 1 inside our intervals, 1 outside below, 1 outside above.",
        "The printed risk of wine is far too low.",
        "? not decided",
        "Ours are means.",
        "quadrepro 0.1.0, numpy 2.4.6",
        "quadrepro run small.yaml",
        "sha256:aa",
        "note = {Experiment small}",
    ):
        assert text in words, text
    sections = "results printed outside claims figures tables notes provenance"
    assert {*sections.split()} <= {*page.ids}
    assert page.all("img")[0]["src"].startswith("data:image/svg+xml")
    links = [a["href"] for a in page.all("a")]
    assert {"#column-1", "#column-2", "#table-risks", "../index.html", "risks.csv"} <= set(links)


def test_every_entry_of_the_table_has_its_data(folder: Folder) -> None:
    page = Parsed(page_html(folder))
    found = {int(td["data-cell"]): td for td in page.all("td") if "data-cell" in td}
    assert [*found] == [0, 1, 2, 3]
    for i, (place, errors) in enumerate(ERRORS.items()):
        cell = page.data["cells"][i]
        assert cell["errors"] == [*errors]
        assert (cell["row"], cell["column"].lower()) == place
        assert float(found[i]["data-value"]) == pytest.approx(sum(errors) / 300)
    assert found[1]["class"] == "above r1"
    assert found[3]["class"] == "r1"
    assert page.data["files"]["risks.csv"].startswith("dataset,")


def test_the_command_of_an_entry_survives_a_shell(tmp_path: Path) -> None:
    rows = {("it's a $(set)", "quadboost"): (1,)}
    page = parsed(make_folder(tmp_path, cells__csv=cells(rows)))
    command = shlex.split(page.data["cells"][0]["command"])
    assert command[:4] == ["quadrepro", "explain", "small.yaml", "it's a $(set)"]
    assert command[4:] == ["quadboost", "--recompute"]


@pytest.mark.parametrize(
    ("protocol", "splits"),
    [
        ({}, "3 random splits"),
        ({"split": {"train": 0.9}}, "3 random splits"),
        ({"split": {"outer": 3}}, "3 folds, each tested once"),
        ({"split": {"leave_out": "rows"}}, "3 splits"),
        ({"split": {"time": "year"}}, "3 splits"),
        ({"split": {"of a later": "version"}}, "3 splits"),
        ({"split": 3}, "3 splits"),
        ("quadboost", "3 random splits"),
    ],
)
def test_the_splits_are_called_what_they_are(tmp_path: Path, protocol: object, splits: str) -> None:
    made = make_folder(tmp_path, run__json=run(protocol=protocol))
    assert f"2 algorithms, {splits}: 12 cells" in parsed(made).words


@pytest.mark.parametrize(
    ("place", "asked", "option"),
    [
        ("results/small", "results/small", ""),
        ("build/small", "build/small", " --out build"),
        ("build/small", ".", " --out .."),
        ("my build/small", "my build/small", " --out 'my build'"),
    ],
)
def test_commands_name_the_folder_of_the_records_where_it_is_not_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, asked: str, option: str
) -> None:
    made = make_folder(tmp_path / place)
    monkeypatch.chdir(made if asked == "." else tmp_path)
    # A copy without records, such as on a site, is not where to compute again.
    assert "--out" not in page_html(read_folder(Path(asked)))
    (made.parent / "records").mkdir()
    page = Page(read_folder(Path(asked)), None)
    assert page.command == f"quadrepro run small.yaml{option}"
    entry = f"quadrepro explain small.yaml wine adaboost --recompute{option}"
    assert page.entry_command(("wine", "adaboost")) == entry


def test_a_config_that_ships_is_named_without_its_ending() -> None:
    words = parsed(ROOT / "results" / "quickstart").words
    assert "quadrepro run quickstart" in words
    assert "quickstart.yaml" not in words


def test_hostile_names_are_text(tmp_path: Path) -> None:
    rows = {(EVIL, EVIL): (1, None)}
    tables = {"risks": {"key": "risks", "title": EVIL, "files": ["risks.md"]}}
    made = make_folder(
        tmp_path,
        cells__csv=cells(rows).replace("too slow", EVIL.replace('"', "")),
        run__json=run(title=EVIL, paper=EVIL, datasets=[{"name": EVIL}]),
        tables__json=manifest(tables=tables),
        notes__md=EVIL,
        risks__md=RISKS.replace("monks", EVIL),
    )
    page = parsed(made)
    assert len(page.all("script")) == 2
    assert len(page.all("img")) == 1
    assert page.data["cells"][0]["row"] == EVIL
    assert EVIL in page.words


@pytest.mark.parametrize("name", ["cells__csv", "run__json", *QUIET])
def test_a_file_that_is_missing_leaves_only_its_section_out(tmp_path: Path, name: str) -> None:
    parsed(make_folder(tmp_path, **{name: None}))


def test_a_folder_with_hardly_anything_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text(manifest(tables={}, figures={}))
    page = parsed(tmp_path)
    assert "0 rows, 0 algorithms" in " ".join(page.words.split())
    assert not page.all("img")


def test_one_split_has_neither_deviation_nor_verdict(tmp_path: Path) -> None:
    rows = {place: errors[:1] for place, errors in ERRORS.items()}
    quiet = dict.fromkeys(QUIET[:2])
    page = parsed(make_folder(tmp_path, cells__csv=cells(rows), **quiet))
    assert "1 random split:" in page.words
    assert "±" not in page.words
    assert "printed" not in page.ids
    assert "radio" not in [field["type"] for field in page.all("input")]
    assert "0.30" in page.words


def test_cells_without_a_result_are_counted_and_named(tmp_path: Path) -> None:
    rows = {("monks", "quadboost"): (3, None), ("monks", "adaboost"): (None, None)}
    page = parsed(make_folder(tmp_path, cells__csv=cells(rows)))
    assert "4 cells, 3 of them without a result" in page.words
    assert "(1 of 2 splits)" in page.words
    assert page.data["cells"][0]["failed"] == ["1: failed, too slow"]


def test_a_row_may_lack_an_algorithm(tmp_path: Path) -> None:
    rows = {("monks", "quadboost"): (3,), ("wine", "adaboost"): (4,)}
    page = parsed(make_folder(tmp_path, cells__csv=cells(rows)))
    assert [int(td["data-cell"]) for td in page.all("td") if "data-cell" in td] == [0, 1]


def test_the_finding_comes_first_then_the_table_then_figures(tmp_path: Path) -> None:
    tables = {"risks": {"key": "risks", "title": "Small: curves", "files": ["risks.md"]}}
    html = page_html(read_folder(make_folder(tmp_path, tables__json=manifest(tables=tables))))
    marks = ('class="statement"', 'id="results"', 'id="figures"', 'id="tables"')
    places = [html.index(mark) for mark in marks]
    assert places == sorted(places)


def test_all_tables_but_the_main_one_are_folded(tmp_path: Path) -> None:
    tables = {"comparisons": {"key": "", "title": "Small: comparisons", "files": ["risks.md"]}}
    page = parsed(make_folder(tmp_path, tables__json=manifest(tables=tables)))
    assert {"id": "table-comparisons"} in page.all("details")


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
    tmp_path: Path, outside: int, more: float, fewer: float, text: str
) -> None:
    row = ("table2", 15, 15 - outside, outside, 0, 0.6, 0, 4, more, fewer, "[]")
    made = make_folder(tmp_path, score__csv=csv_text(SCORE_HEADER, (row,)))
    found = score_sentence(read_folder(made).scores[0])
    assert found == text.format("printed numbers of Table 2")


def test_claims_are_counted_in_words() -> None:
    fates = Counter({HOLDS: 5, FAILS: 2, OPEN: 1})
    assert claims_sentence(fates) == "5 of 8 claims hold, 2 do not, 1 is not decided."
    assert claims_sentence(Counter({HOLDS: 1})) == "1 of 1 claim holds."


def test_a_finding_is_the_conclusion_or_the_counts_or_the_lowest(tmp_path: Path) -> None:
    best = "Best by error: A (0.1)."
    concluded = json.dumps(json.loads(run()) | {"conclusion": f"{best} Worse: B. By tests."})
    assert finding(read_folder(make_folder(tmp_path / "a", run__json=concluded))) == best
    judged = finding(read_folder(make_folder(tmp_path / "b")))
    assert judged.startswith("2 of 3 printed numbers of Table 1 are outside")
    assert judged.endswith("0 of 2 claims hold, 2 are not decided.")
    quiet = read_folder(make_folder(tmp_path / "c", score__csv=None, claims__csv=None))
    assert finding(quiet) == "AdaBoost has the lowest mean in 2 of 2 rows."


def test_the_number_farthest_outside_comes_first(folder: Folder) -> None:
    places = [(v.row, v.column) for v in Page(folder, None).outside]
    assert places == [("monks", "adaboost"), ("wine", "quadboost")]


def test_many_numbers_that_are_off_are_counted_and_not_named(folder: Folder) -> None:
    path = folder.path / "score.csv"
    numbers, one = path.read_text(), '[""monks"", ""adaboost""]'
    assert one in numbers
    path.write_text(numbers.replace(one, ", ".join([one] * 5)))
    words = " ".join(parsed(folder.path).words.split())
    assert "5 of them remain outside after Holm's correction (0.05)." in words


def test_a_large_table_is_linked_and_not_copied(tmp_path: Path) -> None:
    page = parsed(make_folder(tmp_path, risks__csv="x," * 50_000))
    assert "risks.csv" not in page.data["files"]
    assert {"href": "risks.csv"} in page.all("a")
    assert [b["data-file"] for b in page.all("button") if "data-file" in b] == []


def test_a_page_has_the_count_of_the_reading_that_fits_print_best_if_it_is_beside_it(
    tmp_path: Path,
) -> None:
    text, fit = (tmp_path / name for name in ("rescale-table1", "rescale-table1-fit"))
    for path, inside in ((text, 8), (fit, 23)):
        score = ",".join(SCORE_HEADER) + f"\ntable1,40,{inside},{40 - inside},0,1.9,0,7,0,1,[]\n"
        make_folder(path, score__csv=score)
    paper = load_paper("rescale")
    html = page_html(read_folder(text), paper)
    assert (
        '<a href="../rescale-table1-fit/report.html">the reading that fits print best</a>' in html
    )
    assert "23 of 40 hold" in html
    assert "fits print best" not in page_html(read_folder(fit), paper)
    (fit / "tables.json").unlink()
    assert "fits print best" not in page_html(read_folder(text), paper)


@pytest.mark.parametrize("name", ["quickstart", "cbboost-figure3", "rescale-readings"])
def test_committed_results_have_a_page_of_moderate_size(name: str) -> None:
    html = page_html(read_folder(ROOT / "results" / name), None)
    Parsed(html).check()
    assert len(html.encode()) < 1_000_000


def test_a_page_is_the_same_whenever_it_is_made() -> None:
    first, second = (page_html(read_folder(ROOT / "results" / "quickstart"), None) for _ in "ab")
    assert first == second


def test_a_page_names_no_place_of_the_machine(folder: Folder) -> None:
    assert str(folder.path.parent) not in page_html(folder)


def test_every_heading_is_at_most_one_level_below_the_one_before(folder: Folder) -> None:
    html = page_html(folder)
    levels = [int(level) for level in re.findall(r"<h([1-6])", html.partition("<dialog")[0])]
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_a_table_shows_names_as_they_are_though_its_markdown_escapes_them(tmp_path: Path) -> None:
    name = "<b>a|b</b>\x1b"
    text = Table(
        "T", ("", name), ((name, (TableEntry(EVIL),)),), (f"{EVIL} **bold**",)
    ).to_markdown()
    page = parsed(make_folder(tmp_path, risks__md=text))
    assert r"<b>a|b</b>\x1b" in page.words
    assert page.words.count(EVIL) == 2
    assert "**bold**" not in page.words


def test_large_markdown_is_left_to_its_file(tmp_path: Path) -> None:
    row = "| a | b |\n"
    text = "## T\n\n" + row + "|---|---|\n" + row * 40_000
    words = parsed(make_folder(tmp_path, risks__md=text, notes__md="[" * 400_000)).words
    assert "This table is too large to be shown here." in words
    assert "notes.md is too large to be shown here." in words


def test_a_claim_names_the_columns_that_the_paper_declares(folder: Folder) -> None:
    claim, odd = folder.claims
    page = Page(folder, load_paper("quadboost"))
    assert page.mentioned(claim) == {"column-1": "QuadBoost", "column-2": "AdaBoost"}
    assert page.mentioned(odd) == {}


def test_without_a_paper_claims_stand_alone(folder: Folder) -> None:
    page = Page(folder, None)
    assert not any(page.mentioned(claim) for claim in folder.claims)


def test_facts_are_those_that_are_known() -> None:
    environment = Environment(
        cells=3,
        first="2026-11-22T06:39:34.080Z",
        last="2026-11-22T07:00:00.000Z",
        versions={"quadrepro": "0.1.0", "numpy": "2"},
        git={"commit": "abc", "dirty": True},
        processor={"machine": "x86_64", "simd": ["X86_V3"], "blas": []},
        compiled=False,
    )
    assert facts_of(environment) == {
        "Cells": "3",
        "Computed": "2026-11-22 06:39 UTC to 2026-11-22 07:00 UTC",
        "Commit": "abc, with changes that were not committed",
        "Versions": "quadrepro 0.1.0, numpy 2",
        "Processor": "x86_64, X86_V3",
        "Loops": "not compiled",
    }
    assert facts_of(Environment()) == {}


def test_a_page_allows_its_own_script_alone(folder: Folder) -> None:
    html = page_html(folder)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_style_and_script_load_nothing(folder: Folder) -> None:
    html = page_html(folder)
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert not re.search(r"url\(|@import|fetch\(|XMLHttp|innerHTML|eval\(", text)
        assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg"}


def decoded(source: str) -> bytes:
    return base64.b64decode(source.partition("base64,")[2])


def png(width: int = 30) -> bytes:
    noise = np.random.default_rng(0).integers(0, 255, (20, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    return file.getvalue()


def test_an_svg_is_an_image_with_shorter_paths(folder: Folder) -> None:
    (figure,) = make_figures(folder)
    assert figure.source.startswith("data:image/svg+xml;base64,")
    assert decoded(figure.source).decode() == SVG.replace("M 1.2345 2", "M 1.2 2")


def test_the_alternative_text_of_a_figure_is_its_title(folder: Folder) -> None:
    assert 'alt="Small: curves"' in page_html(folder)


def test_numbers_outside_of_paths_keep_their_digits(tmp_path: Path) -> None:
    svg = SVG.replace("<path", '<metadata>\n1.25</metadata><g transform="scale(0.0125)"/><path')
    (figure,) = make_figures(read_folder(make_folder(tmp_path, curves__svg=svg)))
    assert b"scale(0.0125)" in decoded(figure.source)
    assert b"metadata" not in decoded(figure.source)


def test_figures_beyond_the_limit_are_left_to_their_files(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quadrepro.results.pages.page.LARGEST", 100)
    (figure,) = make_figures(folder)
    assert figure.source == ""
    assert figure.files == ("curves.svg",)


@pytest.mark.parametrize("text", ["<metadata>", ' d="', ' d="1.2345', '<metadata> d="" '])
def test_an_svg_that_repeats_an_opening_is_read_in_linear_time(text: str) -> None:
    # A regular expression that looks for the end of each would take minutes.
    svg = text * (600_000 // len(text))
    assert len(_smaller_svg(svg)) <= len(svg)


def test_only_so_many_figures_are_shown(tmp_path: Path) -> None:
    listed = {f"f{i}": {"key": "", "files": [f"f{i}.svg"]} for i in range(MOST + 1)}
    made = make_folder(tmp_path, tables__json=manifest(figures=listed))
    for name in listed:
        (made / f"{name}.svg").write_text(SVG)
    *shown, last = make_figures(read_folder(made))
    assert all(figure.source for figure in shown)
    assert last.source == ""
    assert last.files


def verdict(printed: float, p: float | None = 0.5, low: float = -1, high: float = 1) -> Verdict:
    return Verdict("row", "column", "risk", f"{printed}", 0.0, low, high, p)


def test_dots_rise_from_the_lowest_position_to_the_highest() -> None:
    found = [("table1", verdict(x, p)) for x, p in ((0.5, 0.3), (-2, 0.01), (0, 1), (1.5, 0.02))]
    (plot,) = make_caterpillars(found)
    xs, ys = [dot.x for dot in plot.dots], [dot.y for dot in plot.dots]
    assert xs == sorted(xs)
    assert ys == sorted(ys, reverse=True)
    assert [dot.mark for dot in plot.dots] == ["below", "inside", "inside", "above"]
    assert plot.band == (plot.ticks[4][0], plot.ticks[2][0])
    assert "4 printed numbers: 2 inside our intervals, 1 outside below, 1 outside above" in (
        plot.summary
    )


def test_the_expected_line_has_a_position_of_1_at_the_coverage() -> None:
    (plot,) = make_caterpillars([("table1", verdict(0.0))] * 39)
    points = [tuple(map(float, point.split(","))) for point in plot.expected.split()]
    # The quantile 0.975 is that between the last two of 40 numbers: (39 - 0.5) / 39 = 0.987.
    assert points[-1][1] < plot.band[0] < points[-2][1]
    assert abs(points[0][1] + points[-1][1] - 2 * points[19][1]) < 0.3


def test_a_number_far_off_is_drawn_at_the_edge() -> None:
    (plot,) = make_caterpillars([("t", verdict(1e9, 0.0)), ("t", verdict(5, 0.0, 1, 1))])
    assert {dot.y for dot in plot.dots} == {plot.ticks[-1][0]}
    assert "far off" in plot.dots[0].name


def test_each_printed_table_has_a_plot_and_numbers_without_a_verdict_have_none() -> None:
    found = [("table2", verdict(0)), ("table1", verdict(1)), ("table3", verdict(1, None))]
    assert [plot.printed for plot in make_caterpillars(found)] == ["table2", "table1"]
