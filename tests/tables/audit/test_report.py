from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.errors import ConfigError
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.stats import poisson_binomial_test
from quadrepro.tables.audit.draft import audit_table, draft_paper
from quadrepro.tables.audit.report import audit
from tests.tables.audit.papers import subject

RESULTS = Path(__file__).resolve().parents[3] / "results"


@pytest.mark.parametrize("name", paper_names())
def test_committed_audits_are_those_of_now(name: str) -> None:
    committed = (RESULTS / "audits" / f"{name}.md").read_text(encoding="utf-8")
    assert audit(load_paper(name)).to_markdown() == committed


def test_a_test_among_many_fails_only_if_it_does_so_with_all(tmp_path: Path) -> None:
    # p is about 0.03 for x, and far above for the other rows.
    rows = "".join(f"y{i},10.0,3.0\n" for i in range(9))
    sizes = ", ".join(f"y{i}: [100, 10000]" for i in range(9))
    table = f"d,a_mean,a_sd\nx,10.0,2.1\n{rows}"
    for name, others, fails in (("alone", "", True), ("among", f", {sizes}", False)):
        facts = f"{{unit: percent, of: {{splits: 20}}, n_test: {{x: [100, 10000]{others}}}}}"
        found = audit(subject(tmp_path / name, facts=facts, t=table).paper)
        assert found.findings["deviations"][0].holds is not fails
        assert f"Counted as failures: {int(fails)}" in found.to_markdown()


def test_the_csv_holds_every_finding(tmp_path: Path) -> None:
    found = audit(load_paper("quadboost"))
    found.write(tmp_path)
    lines = list(csv.DictReader(io.StringIO((tmp_path / "audit.csv").read_text("utf-8"))))
    assert len(lines) == sum(map(len, found.findings.values()))
    assert sum(line["verdict"] == "fails" for line in lines) == len(found.failures) == 12
    assert (tmp_path / "audit.md").read_text("utf-8") == found.to_markdown()


@given(st.integers(0, 2**32 - 1))
def test_a_paper_that_prints_what_it_counted_passes(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    names, sizes = ("a", "b", "quadboost"), rng.integers(20, 400, 4)
    rates = rng.uniform(0, 0.5, (4, 3, 1))
    # All algorithms find the same examples hard, more or less.
    hard = [rng.random(n) + rng.normal(0, 0.1, (3, n)) for n in sizes]
    wrong = [scores < rate for scores, rate in zip(hard, rates, strict=True)]
    risks = np.array([of_row.mean(axis=1) for of_row in wrong])
    rows = [f"x{i}," + ",".join(f"{risk:.3f}" for risk in row) for i, row in enumerate(risks)]
    means = "column_mean," + ",".join(f"{mean:.3f}" for mean in risks.mean(axis=0))
    matrix = [
        [
            poisson_binomial_test([w[i] for w in wrong], [w[j] for w in wrong]).probability
            for j in range(3)
        ]
        for i in range(3)
    ]
    lines = [f"{names[i]}," + ",".join(f"{p:.2f}" for p in matrix[i]) for i in range(3)]
    splits = rng.binomial(sizes[0], 0.2, 5) / sizes[0] * 100
    given_sizes = ", ".join(f"x{i}: {n}" for i, n in enumerate(sizes))
    paper = subject(
        tmp_path_factory.mktemp("paper"),
        facts=f"{{unit: fraction, n_test: {{{given_sizes}}}}}",
        t="\n".join([f"d,{','.join(names)}", *rows, means]),
        m="\n".join(["{holds: comparisons, compares: t}", f"d,{','.join(names)}", *lines]),
        e=f"{{unit: percent, of: {{splits: 5}}, n_test: {{x0: {sizes[0]}}}}}\n"
        f"d,a_mean,a_sd\nx0,{splits.mean():.2f},{splits.std(ddof=1):.2f}\n",
    ).paper
    found = audit(paper)
    assert {"counts", "pairs", "sources", "means", "ranges"} <= {*found.findings}
    assert not [(key, f) for key, f in found.failures if f.p_value is None]


TABLE = "data;ours;theirs\nheart;22,62;22,22\npima;25,0;24,2\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "tab 1.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_bare_table_is_audited_with_any_separator_and_decimal_sign(
    table: Path, separator: str
) -> None:
    decimal = "." if separator == "," else ","
    table.write_text(TABLE.replace(",", decimal).replace(";", separator))
    [(check, finding)] = audit_table(table, {"heart": 81}).failures
    assert (check, finding.place) == ("counts", ("tab 1", "heart", "ours"))
    assert finding.printed == "22.62"
    assert audit_table(table, {}).failures == []
    table.write_text("d,a\nx,0.25\n")
    assert "as a fraction" in audit_table(table, {}).notes[0]


def test_a_draft_is_a_paper_that_audits_alike(table: Path, tmp_path: Path) -> None:
    draft_paper(table, tmp_path / "mine", {"heart": 81})
    found = audit(load_paper("./mine", tmp_path))
    assert found.to_markdown() == audit_table(table, {"heart": 81}).to_markdown()
    assert (tmp_path / "mine/printed/tab 1.csv").read_text() == (
        "data,ours,theirs\nheart,22.62,22.22\npima,25.0,24.2\n"
    )


def test_a_mistake_names_the_file_of_the_user(table: Path) -> None:
    with pytest.raises(ConfigError, match=r"tab 1\.csv: unknown row 'hart'; did you mean 'heart'"):
        audit_table(table, {"hart": 81})
    table.write_text("d,a\nx,0.2o\n")
    with pytest.raises(ConfigError) as caught:
        audit_table(table, {})
    assert str(caught.value).startswith(f"{table}:2:3: '0.2o' is not a number")


def test_what_a_bare_table_cannot_say_leads_to_a_draft(table: Path) -> None:
    table.write_text("d,a_mean,a_sd\nx,0.2,0.1\n")
    with pytest.raises(ConfigError) as caught:
        audit_table(table, {})
    assert str(caught.value).startswith(f"{table}: tab 1 prints means")
    assert "--draft makes a folder whose paper.yaml can say it" in str(caught.value)


def test_times_say_nothing_of_the_unit_of_a_bare_table(table: Path) -> None:
    table.write_text("d,a\nx,0.25\nmean_running_time_s,12.5\n")
    assert "as a fraction" in audit_table(table, {}).notes[0]
