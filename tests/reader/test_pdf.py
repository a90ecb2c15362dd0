"""Tables on pages of a PDF, which these tests typeset."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from quadrepro.errors import DataError
from quadrepro.reader import read_table

pytest.importorskip("pypdf")

Words = Sequence[tuple[float, str]]
"""The places of words on a line, in points from the left, and the words."""


def pdf(*pages: Sequence[Words]) -> bytes:
    """Return a PDF with lines of words, each word at its place."""
    content = io.BytesIO()
    with PdfPages(content) as file:
        for lines in pages:
            figure = Figure((8.5, 11))
            for i, line in enumerate(lines):
                for x, word in line:
                    figure.text(x / 612, (720 - 14 * i) / 792, word, size=10)
            file.savefig(figure)
    return content.getvalue()


PROSE = [[(72, "We compare the methods in Table 2.")], [(72, "It shows that ours is the best.")]]
TABLE = [
    [(72, "Table 2: Test accuracy in percent.")],
    [],
    [(72, "Data set"), (200, "AdaBoost"), (280, "our method")],
    [(72, "breast cancer"), (200, "94.9 ± 0.8"), (280, "95.5 ± 0.7")],
    [(72, "kr-vs-kp"), (200, "97.2 ± 1.5"), (280, "98.0 ± 1.2")],
    [(72, "wine"), (200, "91.0 ± 2.5"), (280, "90.1 ± 3.1")],
    [(72, "Average"), (200, "94.4"), (280, "94.5")],
]


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf(PROSE, TABLE))
    return path


def test_a_table_on_a_page_is_read_with_its_deviations(paper: Path) -> None:
    table = read_table(paper, page=2)
    assert table.rows == ("breast cancer", "kr-vs-kp", "wine")
    assert table.methods == ("AdaBoost", "our method")
    assert table.numbers["wine", "our method"].text == "90.1"
    assert table.numbers["wine", "our method"].spread == "3.1"
    assert (table.metric, table.percent) == ("accuracy", True)
    assert table.summaries == {"Average": "mean"}


def test_a_page_is_chosen(paper: Path) -> None:
    with pytest.raises(DataError, match="a PDF of 2 pages: choose one with --page"):
        read_table(paper)
    with pytest.raises(DataError, match="the PDF has 2 pages, and not a page 3"):
        read_table(paper, page=3)
    with pytest.raises(DataError, match="no table of numbers"):
        read_table(paper, page=1)


def test_the_lines_of_a_page_whose_columns_cannot_be_told_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    lines = [
        [(72, "Data set our method theirs")],
        [(72, "wine 90.1 91.0")],
        [(72, "zoo 80.1 81.0")],
    ]
    path.write_bytes(pdf(lines))
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert "put the lines of the table into a text file" in str(caught.value)
    assert "wine 90.1 91.0" in str(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("lualatex") is None, reason="needs LaTeX")
def test_a_page_of_latex_is_read_like_its_source(tmp_path: Path) -> None:
    tabular = r"""\begin{tabular}{lrr}
Dataset & AdaBoost & Ours \\ \hline
breast & 94.85 $\pm$ 0.76 & 95.53 $\pm$ 0.67 \\
wine & 74.64 $\pm$ 1.52 & 73.03 $\pm$ 2.00 \\
zoo & 64.10 $\pm$ 2.58 & 62.04 $\pm$ 3.14 \\
\end{tabular}"""
    source = tmp_path / "t.tex"
    source.write_text(
        rf"\documentclass{{article}}\pagestyle{{empty}}\begin{{document}}{tabular}\end{{document}}"
    )
    run = ["lualatex", "-interaction=batchmode", source.name]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    expected, table = read_table(source), read_table(tmp_path / "t.pdf")
    assert table.rows == expected.rows
    assert [n.text for n in table.numbers.values()] == [n.text for n in expected.numbers.values()]
