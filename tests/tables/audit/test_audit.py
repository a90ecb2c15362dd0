from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.base.files import configs_folder
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.errors import ConfigError, DataError
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.papers.printed import Sample
from quadrepro.reader import read_table
from quadrepro.stats import poisson_binomial_test
from quadrepro.tables.audit import CHECKS, FAILED, Audit, audit
from quadrepro.tables.audit.subject import (
    NOT_SAID,
    NUMBERS,
    VERDICTS,
    Finding,
    PrintedPlace,
    Size,
    Subject,
    read_sizes,
    table_paper,
    write_draft,
)
from tests.tables.audit.papers import CONFIG, audit_of, findings, subject

RESULTS = Path(__file__).resolve().parents[3] / "results"


@pytest.mark.parametrize("name", paper_names())
def test_committed_audits_are_up_to_date(name: str) -> None:
    committed = (RESULTS / "audits" / f"{name}.md").read_text(encoding="utf-8")
    assert audit(load_paper(name)).to_markdown() == committed


def test_a_test_among_others_fails_only_if_it_does_so_with_all() -> None:
    # p is about 0.03 for x, and far above for the other rows.
    rows = "".join(f"y{i},10.0,3.0\n" for i in range(9))
    sizes = ", ".join(f"y{i}: [100, 10000]" for i in range(9))
    table = f"d,a_mean,a_sd\nx,10.0,2.1\n{rows}"
    for others, fails in (("", True), (f", {sizes}", False)):
        facts = f"{{unit: percent, of: {{splits: 20}}, n_test: {{x: [100, 10000]{others}}}}}"
        result = audit_of(facts=facts, t=table)
        assert result.findings["deviations"][0].holds is not fails
        n_tests = 10 if others else 1
        assert f"1 of {n_tests} statistical tests have p ≤ 0.05" in result.notes[-1]
        assert f"Counted as suspicious: {int(fails)}" in result.notes[-1]
        assert result.failures == []


def test_the_csv_holds_every_finding(tmp_path: Path) -> None:
    result = audit(load_paper("quadboost"))
    result.write(tmp_path)
    lines = list(csv.DictReader(io.StringIO((tmp_path / "audit.csv").read_text("utf-8"))))
    assert len(lines) == sum(map(len, result.findings.values()))
    assert sum(line["verdict"] == "fails" for line in lines) == len(result.failures) == 12
    assert (tmp_path / "audit.md").read_text("utf-8") == result.to_markdown()


@given(st.integers(0, 2**32 - 1))
def test_a_paper_of_true_counts_passes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names, sizes = ("a", "b", "quadboost"), rng.integers(20, 400, 4)
    rates = rng.uniform(0, 0.5, (4, 3, 1))
    # The same examples are hard for all algorithms, more or less.
    hard = [rng.random(n) + rng.normal(0, 0.1, (3, n)) for n in sizes]
    wrong = [scores < rate for scores, rate in zip(hard, rates, strict=True)]
    risks = np.array([row.mean(axis=1) for row in wrong])
    rows = [f"x{i}," + ",".join(f"{risk:.3f}" for risk in row) for i, row in enumerate(risks)]
    means = "column_mean," + ",".join(f"{mean:.3f}" for mean in risks.mean(axis=0))
    by_name = [*zip(*wrong, strict=True)]
    matrix = [[poisson_binomial_test(a, b).probability for b in by_name] for a in by_name]
    lines = [",".join([n, *(f"{p:.2f}" for p in ps)]) for n, ps in zip(names, matrix, strict=True)]
    splits = rng.binomial(sizes[0], 0.2, 5) / sizes[0] * 100
    n_test = ", ".join(f"x{i}: {n}" for i, n in enumerate(sizes))
    result = audit_of(
        facts=f"{{unit: fraction, n_test: {{{n_test}}}}}",
        t="\n".join([f"d,{','.join(names)}", *rows, means]),
        m="\n".join(["{holds: comparisons, compares: t}", f"d,{','.join(names)}", *lines]),
        e=f"{{unit: percent, of: {{splits: 5}}, n_test: {{x0: {sizes[0]}}}}}\n"
        f"d,a_mean,a_sd\nx0,{splits.mean():.2f},{splits.std(ddof=1):.2f}\n",
    )
    assert {"counts", "pairs", "sources", "summaries", "ranges"} <= {*result.findings}
    assert result.failures == []


PERCENT = """{unit: percent, metric: METRIC, of: {splits: 4}, n_test: {x: [25, 100], \
y: [50, 200]}, bold: {x: [a], y: [a]}}"""

GROUP = """claims:
  t:
    claims:
      - {kind: wins-or-ties, text: two, of: a, than: b, at_least: 2}
      - {kind: lower, text: points, of: a, than: b, points: 0.5}
      - {kind: competitive, text: near, of: a, than: b, at_least: 1}
"""

ROWS = "d,a_mean,a_sd,b_mean,b_sd"
IN_PERCENT = f"{ROWS}\nx,17.0,1.0,18.3,9.0\ny,20.5,99,19.5,0.1\ncolumn_mean,18.8,,18.0,\n"
IN_FRACTIONS = (
    f"{ROWS}\nx,0.170,0.010,0.183,0.090\ny,0.205,0.99,0.195,0.001\ncolumn_mean,0.188,,0.180,\n"
)
ACCURACIES = f"{ROWS}\nx,83.0,1.0,81.7,9.0\ny,79.5,99,80.5,0.1\ncolumn_mean,81.2,,82.0,\n"


def outcome(result: Audit) -> dict[str, list[tuple[object, ...]]]:
    """Return place, verdict and p-value of every finding, by check."""
    return {
        check: [(f.place, f.verdict, f.p_value and round(f.p_value, 12)) for f in every]
        for check, every in result.findings.items()
    }


def audit_in(table: str, unit: str = "percent", metric: str = "error") -> Audit:
    """Return the audit of a table with a group of claims."""
    facts = PERCENT.replace("METRIC", metric).replace("percent", unit)
    return audit_of(claims=GROUP, facts=facts, t=table)


def test_percent_and_fractions_give_the_same_findings() -> None:
    percent = audit_in(IN_PERCENT)
    fraction = audit_in(IN_FRACTIONS, "fraction")
    assert outcome(percent) == outcome(fraction)
    verdicts = {f.verdict for _, f in percent.every}
    assert {"holds", "fails", "suspicious"} <= verdicts
    # Printed numbers are shown as in the paper, and numbers in reasons in its unit.
    for result, shown in ((percent, ("18.0", "18.9")), (fraction, ("0.180", "0.189"))):
        [mean] = [f for check, f in result.failures if check == "summaries"]
        assert (mean.printed, mean.why) == (shown[0], f"the mean is {shown[1]}")
    claims = [[f.why for f in result.findings["claims"]] for result in (percent, fraction)]
    assert claims[0] == claims[1]


def test_accuracies_give_the_same_findings_as_the_errors_that_they_leave() -> None:
    accuracies = audit_in(ACCURACIES, metric="accuracy")
    assert outcome(audit_in(IN_PERCENT)) == outcome(accuracies)


def test_the_table_of_checks_counts_each_verdict() -> None:
    result = audit_in(IN_PERCENT)
    checks, failures = result.tables
    assert checks.header == ("check", "question", "checked", *VERDICTS)
    for check, (question, *entries) in checks.rows:
        verdicts = [f.verdict for f in result.findings[check]]
        numbers = [verdicts.count(word) for word in VERDICTS]
        assert question.value == CHECKS[check].__doc__
        assert [entry.value for entry in entries] == [str(sum(numbers[:3])), *map(str, numbers)]
    assert failures.header == FAILED
    assert len(failures.rows) == sum(f.holds is False for _, f in result.every)
    words = {entries[2].value for _, entries in failures.rows}
    assert words == {"fails", "suspicious"}


def test_a_paper_without_tables_has_no_findings() -> None:
    result = audit(load_paper("lecture"))
    [table] = result.tables
    assert (table.rows, result.findings) == ((), {})
    assert table.notes[0].startswith("The paper has no printed tables")


TABLE = "data;ours;theirs\nheart;22,62;22,22\npima;25,0;24,2\n"


def audit_table(
    text: str = TABLE, n_test: dict[str, int] | str = "", ending: str = "csv", **facts: Any
) -> Audit:
    """Return the audit of a table in a file."""
    stated = {key: facts.pop(key) for key in ("unit", "sample") if key in facts}
    path = Path(f"tab 1.{ending}")
    path.write_text(text)
    return audit(table_paper(read_table(path, **facts), n_test=n_test, **stated))


ONE = Sample(splits=1)


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_bare_table_has_any_separator_and_decimal_sign(separator: str) -> None:
    decimal = "." if separator == "," else ","
    text = TABLE.replace(",", decimal).replace(";", separator)
    [(check, finding)] = audit_table(text, {"heart": 81}, sample=ONE).failures
    assert (check, finding.place) == ("counts", ("tab 1", "heart", "ours"))
    assert finding.printed == "22.62"
    assert audit_table(text).failures == []
    assert "as a fraction" in audit_table("d,a\nx,0.25\n").notes[0]


def test_a_number_that_may_be_a_mean_is_not_accused_before_that_is_stated() -> None:
    [finding] = audit_table(TABLE, {"heart": 81}).findings["counts"][:1]
    assert finding.verdict == "suspicious"
    assert finding.reason.endswith("it is a mean over folds or splits, which --of can state")
    # 22.62% is a mean over 50 splits of 81 examples.
    assert audit_table(TABLE, {"heart": 81}, sample=Sample(splits=50)).failures == []


def test_a_draft_is_a_paper_that_audits_alike() -> None:
    expected = audit_table(TABLE, {"heart": 81}, sample=ONE, metric="error")
    write_draft(expected.paper, Path("mine"))
    result = audit(load_paper("./mine", Path()))
    shown = result.to_markdown().replace("Read as CSV", "Read as semicolons")
    assert shown == expected.to_markdown().replace("theirs), error.", "theirs).")
    assert Path("mine/printed/tab 1.csv").read_text() == (
        "dataset,ours,theirs\nheart,22.62,22.22\npima,25.0,24.2\n"
    )


def test_a_mistake_names_the_file_of_the_user() -> None:
    with pytest.raises(ConfigError, match=r"tab 1\.csv: unknown row 'hart'; did you mean 'heart'"):
        audit_table(TABLE, {"hart": 81})
    with pytest.raises(ConfigError, match="no column of sizes is called 'n'"):
        audit_table(TABLE, "n")
    with pytest.raises(ConfigError, match=r"unknown metric 'accurracy'.*--metric"):
        audit_table(metric="accurracy")
    with pytest.raises(ConfigError, match="no checks of mape: state --metric rmse"):
        audit_table(metric="MAPE")
    with pytest.raises(DataError) as caught:
        audit_table("d,a\nx,0.2o\ny,0.1\n")
    assert str(caught.value).startswith("tab 1.csv:2: column 'a': '0.2o' is not a number")


def test_numbers_above_100_are_shares_of_nothing() -> None:
    text = "d,a,b\nx,159.0,120.5\n"
    with pytest.raises(ConfigError, match=r"numbers above 100 are not shares.*--metric rmse"):
        audit_table(text)
    assert audit_table(text, metric="rmse").failures == []


def test_deviations_wait_until_the_repetitions_are_stated() -> None:
    [finding] = audit_table("d,a,n\nx,20.0 ± 0.1,100\n", "n").findings["deviations"]
    assert finding.why == "the number of splits is not stated: give --of"


def test_summary_rows_do_not_decide_the_unit_of_a_bare_table() -> None:
    text = "d,a,b\nx,0.25,0.5\nmean_running_time_s,12.5,3\nAvg. rank,1.00,2.00\n"
    assert "as a fraction" in audit_table(text).notes[0]


def test_sizes_come_from_a_column_or_from_a_file() -> None:
    text = "d,n,ours\nheart,81,22.62\npima,384,25.0\n"
    Path("sizes.csv").write_text("row,n\nheart,81\npima,384\n")
    sizes = read_sizes(Path("sizes.csv"))
    assert sizes == {"heart": 81, "pima": 384}
    for n_test in ("n", sizes):
        [(_, finding)] = audit_table(text, n_test, sample=ONE).failures
        assert finding.place.row == "heart"
    # A column that is called so needs no option.
    assert len(audit_table(text.replace("n", "# test", 1), sample=ONE).failures) == 1


def test_folds_are_checked_one_by_one() -> None:
    text = "d,fold,ours\nheart,1,0.25\nheart,2,0.26\npima,1,0.5\npima,2,0.5\n"
    [(_, finding)] = audit_table(text, {"heart": 20, "pima": 10}, sample=ONE).failures
    assert finding.place.row == "heart, 2"


SUMMED = """Data set,ours,theirs,third
red,0.967,0.933,0.90
blue,0.972,0.944,0.95
green,0.952,0.905,0.905
Average,0.964,0.927,0.918
Avg. rank,1.00,2.50,2.50
Wins,3,0,0
W/T/L,-,3/0/0,2/1/0
"""


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        ("", "", None),
        ("0.964,", "0.969,", "ours"),
        ("1.00,2.50", "1.00,2.00", "theirs"),
        ("3,0,0\n", "3,0,1\n", "third"),
        ("2/1/0", "2/1/1", ""),
    ],
)
def test_summaries_follow_from_numbers(old: str, new: str, column: str | None) -> None:
    text = SUMMED.replace(old, new) if old else SUMMED
    result = audit_table(text, metric="accuracy")
    failed = [finding.place.column for _, finding in result.failures]
    assert failed == ([] if column is None else [column])
    unknown = [f.why for f in audit_table(text).findings["summaries"] if f.holds is None]
    assert {*unknown} == {"the metric is not stated: give --metric"}


def test_the_best_in_bold_is_checked_as_published() -> None:
    text = "| d | a | b |\n|--|--|--|\n| x | **0.9** | 0.8 |\n| y | **0.6** | 0.7 |\n"
    for metric, rows in (("auc", ["y"]), ("error", ["x"])):
        result = audit_table(text, ending="md", metric=metric)
        assert [finding.place.row for _, finding in result.failures] == rows


@pytest.mark.parametrize(("other", "verdicts"), [("0.5", ["suspicious"]), ("**0.5**", ["fails"])])
def test_a_method_in_bold_throughout_may_be_the_authors_own(
    other: str, verdicts: list[str]
) -> None:
    rows = f"| x | 0.7 | **0.9** |\n| y | {other} | **0.6** |\n| z | 0.9 | **0.8** |\n"
    result = audit_table(f"| d | a | ours |\n|--|--|--|\n{rows}", ending="md", metric="auc")
    marked = [f.verdict for f in result.findings["bold"]]
    assert [verdict for verdict in marked if verdict != "holds"] == verdicts


RISKS = "dataset,quadboost\nmonks,0.231\nwine,0.090\n"
WITH_CONFIG = "{unit: fraction, config: ../small.yaml}"


@pytest.mark.slow
@pytest.mark.parametrize("config", ["table1", "ebboost-table1", "rescale-table2", "rescale-table3"])
def test_sizes_are_those_of_the_plan_with_data(canonical_folder: Path, config: str) -> None:
    experiment = load_experiment(configs_folder() / f"{config}.yaml", repeats=1)
    assert experiment.paper is not None
    audited = Subject(experiment.paper)
    printed = audited.paper.printed(experiment.config.tables["errors"])
    plan = make_plan(experiment, canonical_folder)
    assert {*plan.sources} == {*printed.rows}
    for row, source in plan.sources.items():
        size = audited.size(printed, row)
        assert size == NUMBERS if isinstance(size, str) else size.n_test == source.sizes[2]


def test_a_fresh_sample_shares_no_rows() -> None:
    audited = Subject(load_paper("rescale"))
    assert audited.size(audited.paper.printed("table2"), "orange 0") == Size(4000, 0)


def test_a_size_is_given_or_that_of_the_first_row_of_a_config() -> None:
    more = "monks, {name: monks, as: more, protocol: {split: {train: 0.75}}}"
    facts = WITH_CONFIG.replace("}", ", n_test: {wine: [60, 178], zoo: 7}}")
    config = CONFIG.replace("monks", more)
    audited = subject(facts=facts, config=config, t=f"{RISKS}zoo,0.1\ncar,0.1\n")
    sizes = [audited.size(audited.tables[0], row) for row in ("wine", "monks", "zoo", "car")]
    assert sizes == [Size(60, 178), Size(216, 432), Size(7, 7), NOT_SAID]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("view: {where: {has_tie: ['1']}}", "the card does not give the number of rows"),
        ("protocol: {split: {groups: body_shape}}", "the rows decide which of them are tested"),
    ],
)
def test_rows_that_only_data_can_count_have_no_size(entry: str, why: str) -> None:
    config = CONFIG.replace("monks", f"{{name: monks, {entry}}}")
    audited = subject(facts=WITH_CONFIG, config=config, t=RISKS)
    assert str(audited.size(audited.tables[0], "monks")).startswith(why)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ("{n_test: {monk: 9}", "paper.yaml:4:16: unknown row 'monk'; did you mean 'monks'?"),
        ("{bold: {monk: [quadboost]}", "paper.yaml:4:14: unknown row 'monk'; did you mean"),
        ("{bold: {wine: [quadbost]}", "paper.yaml:4:21: unknown column 'quadbost'; did you mean"),
        ("{n_test: {monks: [9, 8]}", "9 test examples cannot be taken from 8 rows"),
        ("{config: tabel1", "paper.yaml:4:7: unknown config 'tabel1'; did you mean 'table1'"),
        ("{compares: u, holds: comparisons", "4:7: unknown printed table of errors 'u'"),
    ],
)
def test_a_mistake_is_refused_with_its_place(facts: str, message: str) -> None:
    unit = "" if "holds" in facts else ", unit: fraction"
    with pytest.raises(ConfigError) as caught:
        audit_of(facts=f"{facts}{unit}}}", t=RISKS)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("split", "size"),
    [
        ("{train: half}", Size(89, 178)),
        ("{train: 0.7}", Size(53, 178, (54,))),
        ("{train: 0.7, at_most: 100}", Size(78, 178)),
        ("{train: 100}", Size(78, 178)),
        ("{outer: 10}", Size(18, 178, (17,))),
    ],
)
def test_a_broken_share_is_rounded_up_and_down(split: str, size: Size) -> None:
    config = CONFIG.replace("monks, wine", f"{{name: wine, protocol: {{split: {split}}}}}")
    config += "repeats: 10\n" * ("outer" in split)
    audited = subject(facts=WITH_CONFIG, config=config, t=RISKS)
    assert audited.size(audited.tables[0], "wine") == size


def test_other_metrics_than_errors_do_not_count_examples() -> None:
    facts = "{unit: fraction, metric: auc, of: {splits: 2}, n_test: {wine: [89, 178]}}"
    result = audit_of(facts=facts, t="dataset,a_mean,a_sd\nwine,0.9999,0.0001\n")
    assert [*result.findings] == ["ranges"]
    rmses = facts.replace("unit: fraction, metric: auc", "metric: rmse")
    [finding] = findings("counts", facts=rmses, t="dataset,a_mean,a_sd\nwine,0.5,0.1\n")
    assert (finding.holds, finding.why) == (None, NUMBERS)


def test_a_config_is_looked_up_next_to_the_paper_whatever_its_ending() -> None:
    audited = subject(facts="{unit: fraction, config: ../mine.yml}", t=RISKS)
    (audited.paper.source.path.parents[1] / "mine.yml").write_text(CONFIG)
    assert isinstance(audited.size(audited.tables[0], "monks"), Size)


def test_a_finding_has_one_of_four_verdicts() -> None:
    place = PrintedPlace("t", "x", "a")
    cases = [(True, ""), (False, ""), (False, "folds differ"), (None, "folds differ")]
    every = [Finding(place, "0.1", holds, "why", unless=unless) for holds, unless in cases]
    assert tuple(finding.verdict for finding in every) == VERDICTS
    reasons = [finding.reason for finding in every]
    assert reasons == ["why", "why", "why; suspicious unless folds differ", "why"]
    assert every[1].texts == ("t, x, a", "0.1", "fails", "why")
    assert Finding(PrintedPlace("t"), "a claim", True, "why").texts[0] == "t"
