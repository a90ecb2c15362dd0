from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.stats import poisson_binomial_test
from quadrepro.tables.audit.report import HEADER, audit
from tests.tables.audit.papers import subject

RESULTS = Path(__file__).resolve().parents[3] / "results"


@pytest.mark.parametrize("name", paper_names())
def test_committed_audits_are_those_of_now(name: str) -> None:
    committed = (RESULTS / "audits" / f"{name}.md").read_text(encoding="utf-8")
    assert audit(load_paper(name)).to_markdown() == committed


@pytest.mark.parametrize("name", ["lecture", "cbboost"])
def test_a_paper_without_numbers_has_nothing_to_check(name: str) -> None:
    found = audit(load_paper(name))
    assert not found.findings
    assert "there is nothing to check" in found.to_markdown()
    assert found.to_csv() == f"{','.join(HEADER)}\n"


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
@settings(max_examples=30)
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
