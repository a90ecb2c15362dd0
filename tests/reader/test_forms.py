"""A table reads the same in every form, and hostile files end in one line."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import quadrepro
from quadrepro.errors import DataError, QuadreproError
from quadrepro.reader import PrintedTable, read_table
from quadrepro.tables.audit import audit
from quadrepro.tables.audit.subject import table_paper
from tests.reader.forms import FORMS, workbook, write

ROWS = [
    ["Data set", "ours, v2", "a_b", "50% trees", "SVM (RBF)", "my method"],
    ["breast cancer", "0.967", "0.933", "0.950", "0.917", "0.900"],
    ["kr-vs-kp", "0.972", "0.944", "0.972", "0.889", "0.861"],
    ["wine_red", "0.952", "0.905", "0.857", "0.952", "0.810"],
    ["m1, noisy", "0.875", "0.900", "0.850", "0.825", "0.800"],
    ["a (old)", "0.760", "0.720", "0.740", "0.700", "-"],
    ["99% zoo", "0.667", "0.583", "0.625", "0.542", "0.500"],
]
SIZES = dict(zip([row[0] for row in ROWS[1:]], (30, 36, 21, 40, 50, 24), strict=True))


def read(folder: Path, ending: str, text: str, **choices: object) -> PrintedTable:
    """Return the table in a text."""
    path = folder / f"t.{ending}"
    path.write_text(text)
    return read_table(path, **choices)


def outcome(path: Path, folder: Path) -> dict[str, bytes | list[tuple[str, ...]]]:
    """Return the files of a ranking and the findings of an audit."""
    ranked = quadrepro.rank(path, metric="accuracy", missing="rows")
    ranked.write(folder)
    found = audit(table_paper(read_table(path, metric="accuracy"), n_test=SIZES))
    return {
        **{file.name: file.read_bytes() for file in folder.iterdir()},
        "sentence": ranked.sentence.encode(),
        "audit": [finding.texts for _, finding in found.every],
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes | list[tuple[str, ...]]]:
    folder = tmp_path_factory.mktemp("csv")
    return outcome(write(folder, "commas", ROWS), folder / "out")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_ranking_and_the_same_findings(
    form: str, tmp_path: Path, expected: dict[str, bytes | list[tuple[str, ...]]]
) -> None:
    path = write(tmp_path, form, ROWS)
    if form == "pandas without index":  # single blanks between names that have blanks
        with pytest.raises(DataError, match="line 3 has 6 fields"):
            read_table(path)
    else:
        assert outcome(path, tmp_path / "out") == expected


@pytest.mark.parametrize("form", FORMS)
def test_a_table_of_methods_in_rows_reads_the_same_in_every_form(form: str, tmp_path: Path) -> None:
    turned = [["Method", *ROWS[0][1:]], *ROWS[1:]]
    turned = [[*row] for row in zip(*turned, strict=True)]
    table = read_table(write(tmp_path, form, turned))
    assert table.methods == tuple(ROWS[0][1:])
    assert table.rows == tuple(row[0] for row in ROWS[1:])


def test_names_with_blanks_between_single_blanks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        read(tmp_path, "txt", "Data set my method\nbreast cancer 0.9 0.8\nwine 0.7 0.6\n")
    # Those of data sets alone can be told from the numbers.
    table = read(tmp_path, "txt", "Dataset ours theirs\nbreast cancer 0.9 0.8\nwine red 0.7 0.6\n")
    assert table.rows == ("breast cancer", "wine red")


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("tex", r"a & \best{0.9} & 0.8 \\" + "\n" + r"b & 0.7 & 0.6 \\"),
        ("md", "| d | a |\n|--|--|\n| x | 0.1 | 0.2 |\n"),
        ("csv", "d,a,b\nx,0.1\ny,0.2,0.3\n"),
        ("json", '{"d": [{"a": [0.1, 0.2]}]}'),
        ("json", '{"d": '),
        ("html", "<table><tr><td><table></table></td></tr></table>"),
        ("html", "<!DOCTYPE html>\n<html>\nd,a\nx,.9\n"),
        ("txt", "It is good.\n"),
        ("txt", "  d     a    b\n1 x   0.9  0.8\n# ℹ 2 more rows\n"),
        ("txt", "┌───┬─────┐\n│ d ┆ a   │\n╞═══╪═════╡\n│ x ┆ 0.9 │\n│ … ┆ …   │\n└───┴─────┘\n"),
    ],
)
def test_what_is_not_a_table_is_refused(tmp_path: Path, ending: str, text: str) -> None:
    with pytest.raises(DataError, match=str(tmp_path / f"t.{ending}")):
        read(tmp_path, ending, text)


LATEX = r"""
\newcommand{\ours}{\textsc{QuadBoost}}
\newcommand{\best}[1]{\textbf{#1}}
\begin{table}\caption{Test accuracy (\%) over ten splits}
\begin{tabular}{@{}llcc@{}}
\toprule
& & \multicolumn{2}{c}{Accuracy} \\ \cmidrule(lr){3-4}
Type & Dataset & \ours{} & \makecell{Ada\\Boost} \\
\midrule
\multirow{2}{*}{UCI} & red\_one & \best{83.7} $\pm$ 1.2 & $84.2_{\pm 0.9}$\textsuperscript{*} \\
 & blue & $\mathbf{95.1\pm1.0}$ & 93.1 $\pm$ 1.1 \\ % \hline
\multicolumn{4}{c}{Large} \\
Other & \cellcolor{gray!6}{green} & 79.0 (2.0) & -- \\
\hline
\multicolumn{2}{l}{Average} & 85.9 & 88.7 \\
\bottomrule
\end{tabular}\end{table}
"""


def test_latex_is_read_as_it_is_published(tmp_path: Path) -> None:
    table = read(tmp_path, "tex", LATEX)
    assert table.rows == ("red_one", "blue", "green")
    assert table.methods == ("QuadBoost", "Ada Boost")
    first = table.numbers["red_one", "QuadBoost"]
    assert (first.text, first.spread, first.bold) == ("83.7", "1.2", True)
    assert [table.numbers[row, "Ada Boost"].text for row in table.rows] == ["84.2", "93.1", ""]
    assert (table.metric, table.percent, table.spread) == ("accuracy", True, "sd")
    assert table.summaries == {"Average": "mean"}


def test_a_name_over_several_rows_ends_where_it_says(tmp_path: Path) -> None:
    rows = r"\multirow{2}{*}{x} & 1 & .9 \\ & 2 & .8 \\ \multirow{2}{*}{y} & 1 & .7 \\ & 2 & .6 \\"
    start = r"\begin{tabular}{lrr} Data & Fold & a \\ "
    table = read(tmp_path, "tex", rf"{start}{rows}\end{{tabular}}")
    assert table.scores["a"].tolist() == pytest.approx([0.85, 0.65])
    with pytest.raises(DataError, match="the row has no name"):
        read(tmp_path, "tex", rf"{start}{rows} & 1 & .5 \\ \end{{tabular}}")


def test_a_place_of_a_grid_may_have_several_lines(tmp_path: Path) -> None:
    rule, thick = "+--------+-----+", "+========+=====+"
    lines = ["| Data   | our |", "| set    | way |", thick, "| breast | 0.9 |", "| cancer |     |"]
    table = read(tmp_path, "rst", "\n".join([rule, *lines, rule, "| wine   | 0.8 |", rule]))
    assert (table.rows, table.methods) == (("breast cancer", "wine"), ("our way",))


def test_a_ruled_table_may_have_a_caption_and_the_types_of_its_columns(tmp_path: Path) -> None:
    polars = ["shape: (1, 3)", "┌───┬─────┬─────┐", "│ d ┆ a   ┆ b   │", "│ - ┆ --- ┆ --- │"]
    polars += ["│str┆ f64 ┆ f64 │", "╞═══╪═════╪═════╡", "│ x ┆ 0.9 ┆ 0.8 │"]
    org = ["#+CAPTION: AUC", "| d | a  | b  |", "|---+----+----|", "| x | .9 | .8 |"]
    for lines, metric in ((polars, ""), (org, "auc")):
        table = read(tmp_path, "txt", "\n".join(lines))
        assert (table.rows, table.methods, table.metric) == (("x",), ("a", "b"), metric)


WEKA = """Tester:     weka.experiment.PairedCorrectedTTester -G 4,5,6
Analysing:  Percent_correct

Dataset                   (1) rules.ZeroR | (2) rules.OneR (3) trees.J48
------------------------------------------------------------------------
iris                     (100)   33.33( 0.00) |   92.53(5.47) v     94.73(5.30) v
breast cancer            (100)   70.30( 1.37) |   66.91(6.11) *     74.28(6.05)
------------------------------------------------------------------------
                             (v/ /*) |   (1/0/1)      (1/1/0)

Key:
(1) rules.ZeroR '' 48055541465867954
(2) rules.OneR '-B 6' -3459427003147861443
(3) trees.J48 '-C 0.25' -217733168393644444
"""


def test_wekas_experimenter_is_read_with_its_key(tmp_path: Path) -> None:
    table = read(tmp_path, "txt", WEKA)
    assert table.rows == ("iris", "breast cancer")
    assert table.methods == ("rules.ZeroR", "rules.OneR '-B 6'", "trees.J48 '-C 0.25'")
    assert [n.text for n in table.numbers.values()] == [
        *("33.33", "92.53", "94.73", "70.30", "66.91", "74.28")
    ]
    assert (table.metric, table.spread) == ("accuracy", "sd")


def test_several_tables_are_named_and_chosen(tmp_path: Path) -> None:
    path = tmp_path / "t.md"
    one, two = "| d | a | b |\n|--|--|--|\n| x | 1.5 | 2.5 |\n", "| d | c |\n|--|--|\n| y | 3.5 |\n"
    path.write_text(f"{one}\nText.\n\n{two}")
    with pytest.raises(DataError, match=r"--table: 1 on line 1 \(d, a, b\); 2 on line 7 \(d, c\)"):
        read_table(path)
    assert read_table(path, table=2).methods == ("c",)
    with pytest.raises(DataError, match="unknown table 3: the file has 2"):
        read_table(path, table=3)
    # A table without numbers does not count.
    path.write_text(f"{one}\nText.\n\n| option | meaning |\n|--|--|\n| fast | faster |\n")
    assert read_table(path).methods == ("a", "b")


def test_signs_are_read_in_quoted_markdown_with_tags(tmp_path: Path) -> None:
    rows = "> | x | <b>0.9</b> | 0.8<sup>*</sup> |\n> | y | $0.7 \\pm 0.1$ | 0.6 |\n"
    table = read(tmp_path, "md", f"> | d | a<br>b | c |\n> |--|--|--|\n{rows}")
    assert (table.methods, table.left_out) == (("a b", "c"), ("signs *",))
    assert table.numbers["x", "a b"].bold
    assert table.numbers["y", "a b"].spread == "0.1"


def test_the_title_of_a_markdown_table_is_the_paragraph_or_heading_above_it(tmp_path: Path) -> None:
    rows = "| d | a | b |\n|--|--|--|\n| x | 0.9 | 0.8 |\n"
    text = f"## Accuracy\n\n{rows}\n{rows}\nThe error of all\n\n{rows}"
    metrics = [read(tmp_path, "md", text, table=i).metric for i in (1, 2, 3)]
    assert metrics == ["accuracy", "accuracy", "error"]


def test_rows_of_markdown_after_the_end_of_their_table_are_not_lost(tmp_path: Path) -> None:
    rows = "| d | a | b |\n|--|--|--|\n| x | 0.9 | 0.8 |\n"
    for between in ("\n", "<!-- later -->\n", "\n<!-- later -->\n"):
        n = 4 + between.count("\n")
        with pytest.raises(DataError, match=f"line {n}: a row after its table"):
            read(tmp_path, "md", f"{rows}{between}| y | 0.7 | 0.6 |\n")
    indented = "".join(f"    {line}\n" for line in rows.splitlines())
    assert read(tmp_path, "md", f'=== "Tab"\n\n{indented}').rows == ("x",)
    assert read(tmp_path, "md", f"{rows}| *more* | | |\n| y | 0.7 | 0.6 |\n").rows == ("x", "y")
    assert read(tmp_path, "md", f"{rows}| y | 0.7 | 0.6 ||\n").rows == ("x", "y")
    # Another table follows.
    assert read(tmp_path, "md", f"{rows}\n{rows}", table=1).rows == ("x",)


def test_latex_that_is_not_printed_is_left_out(tmp_path: Path) -> None:
    start = r"\begin{tabular}{l r@{$\,\pm\,$}l *{1}{r@{$\pm$}l}} d"
    start += r" & \multicolumn{2}{c}{a} & \multicolumn{2}{c}{b} \\ x & .9 & .1 & .8 & .8 \cr"
    rest = r"\iffalse y & .7 & .1 & .6 & .1 \\ \fi \begin{comment} z & .5 & .1 & .4 & .1 \\"
    text = f"{start}\n{rest}\n\\end{{comment}} u & .3 & .1 & .2 & -- \\\\ \\end{{tabular}}"
    table = read(tmp_path, "tex", text)
    assert (table.rows, table.methods) == (("x", "u"), ("a", "b"))
    assert [(n.text, n.spread) for n in table.numbers.values()] == [
        *(("0.9", "0.1"), ("0.8", "0.8"), ("0.3", "0.1"), ("0.2", ""))
    ]


def test_a_caption_belongs_to_the_environment_of_its_table(tmp_path: Path) -> None:
    table = r"\begin{table}%s\begin{tabular}{lc} d & a \\ x & .9 \\ \end{tabular}%s\end{table} "
    text = table % ("", r"\caption{AUC}") + table % ("", r"\caption{Error}")
    text += table % (r"\caption{Accuracy}", "")
    metrics = [read(tmp_path, "tex", text, table=i).metric for i in (1, 2, 3)]
    assert metrics == ["auc", "error", "accuracy"]


def test_json_may_have_one_list_of_records_among_other_facts(tmp_path: Path) -> None:
    records = '[{"dataset": "x", "a": 0.9, "b": 0.8}]'
    table = read(tmp_path, "json", f'{{"metric": "accuracy", "results": {records}, "n": 1}}')
    assert (table.rows, table.methods, table.metric) == (("x",), ("a", "b"), "accuracy")


def test_excel_with_a_title_row_keeps_its_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(
        workbook(
            [["Accuracy of all", "", ""], ["", "", ""], ["set", "a", "b"], ["x", "0.9", "0.8"]]
        )
    )
    table = read_table(path)
    assert (table.rows, table.methods, table.metric) == (("x",), ("a", "b"), "accuracy")


def bomb() -> bytes:
    """Return a workbook that unpacks to more than is read."""
    return workbook([["d", "a"], ["x" * 10**8, "0.5"]])


HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a million columns": ("t.csv", lambda: b"d" + b",a" * 10**6 + b"\nx" + b",1" * 10**6),
    "many columns": ("t.csv", lambda: b"d" + b",a" * 400_000 + b"\nx" + b",1.5" * 400_000),
    "nested braces": (
        "t.tex",
        lambda: rb"\begin{tabular}{ll}" + b"{" * 10**5 + rb"a & 1 \\ b & 2 \\",
    ),
    "nested tags": ("t.html", lambda: b"<table><tr><td>" * 10**4),
    "nested JSON": ("t.json", lambda: b'[{"a":' * 10**5),
    "a long number": ("t.csv", lambda: b"d,a\nx," + b"1" * 10**5 + b"\ny,2\n"),
    "blanks": ("t.csv", lambda: b"d,a\nx,0.5" + b" " * 10**5 + b"y\nz,1\n"),
    "dashes": ("t.md", lambda: b"-|" * 10**5 + b"\n1|2"),
    "spans": ("t.html", lambda: b"<table><tr><td colspan=1000000000 rowspan=99999999>1</table>"),
    "macros": (
        "t.tex",
        lambda: b"".join(rb"\newcommand{\a%s}{x}" % (b"b" * i) for i in range(300)) * 5,
    ),
    "zeros": ("t.csv", lambda: bytes(10**6)),
    "a bomb in Excel": ("t.xlsx", bomb),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_ends_in_one_line(kind: str, tmp_path: Path) -> None:
    name, content = HOSTILE[kind]
    path = tmp_path / name
    path.write_bytes(content())
    start = time.process_time()
    with pytest.raises(QuadreproError) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert time.process_time() - start < 30  # far from what a bomb takes


def test_numbers_keep_their_digits_in_json(tmp_path: Path) -> None:
    table = read(tmp_path, "json", '{"a": {"x": 0.50, "y": 0.25}}')
    assert table.numbers["x", "a"].text == "0.50"


def test_rows_on_one_line_keep_their_sizes_and_lines(tmp_path: Path) -> None:
    rows = "\\toprule\nSet & \\# test & a \\\\ \\midrule\nx & 10 & .9 \\\\ y & 20 & .8 \\\\"
    end = "\\midrule\nMean & & .85 \\\\\n\\end{tabular}"
    table = read(tmp_path, "tex", f"\\begin{{tabular}}{{lrr}}\n{rows} {end}")
    assert table.sizes == {"# test": {"x": 10, "y": 20}}
    assert table.lines == {"x": 4, "y": 4, "Mean": 5}
