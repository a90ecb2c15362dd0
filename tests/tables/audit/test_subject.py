from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.base.resources import configs_folder
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.errors import ConfigError
from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit import audit
from quadrepro.tables.audit.subject import (
    NOT_SAID,
    NUMBERS,
    VERDICTS,
    Finding,
    PrintedPlace,
    Size,
    Subject,
    show,
)
from tests.tables.audit.papers import CONFIG, findings, subject, verdicts

RISKS = "dataset,quadboost\nmonks,0.231\nwine,0.090\n"
FACTS = "{unit: fraction, config: ../small.yaml}"


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


def test_a_size_is_given_or_that_of_the_first_row_of_a_config(tmp_path: Path) -> None:
    more = "monks, {name: monks, as: more, protocol: {split: {train: 0.75}}}"
    facts = FACTS.replace("}", ", n_test: {wine: [60, 178], zoo: 7}}")
    config = CONFIG.replace("monks", more)
    audited = subject(tmp_path, facts=facts, config=config, t=f"{RISKS}zoo,0.1\ncar,0.1\n")
    sizes = [audited.size(audited.tables[0], row) for row in ("wine", "monks", "zoo", "car")]
    assert sizes == [Size(60, 178), Size(216, 432), Size(7, 7), NOT_SAID]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (
            "{name: monks, view: {where: {has_tie: ['1']}}}",
            "the card does not give the number of rows",
        ),
        (
            "{name: monks, protocol: {split: {groups: body_shape}}}",
            "the rows decide which of them are tested",
        ),
    ],
)
def test_rows_that_only_data_can_count_have_no_size(tmp_path: Path, entry: str, why: str) -> None:
    audited = subject(tmp_path, facts=FACTS, config=CONFIG.replace("monks", entry), t=RISKS)
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
def test_a_mistake_is_refused_with_its_place(tmp_path: Path, facts: str, message: str) -> None:
    unit = "" if "holds" in facts else ", unit: fraction"
    audited = subject(tmp_path, facts=f"{facts}{unit}}}", t=RISKS)
    with pytest.raises(ConfigError) as caught:
        audit(audited.paper)
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
def test_a_share_that_is_not_whole_is_rounded_up_and_down(
    tmp_path: Path, split: str, size: Size
) -> None:
    config = CONFIG.replace("monks, wine", f"{{name: wine, protocol: {{split: {split}}}}}")
    config += "repeats: 10\n" * ("outer" in split)
    audited = subject(tmp_path, facts=FACTS, config=config, t=RISKS)
    assert audited.size(audited.tables[0], "wine") == size


def test_other_metrics_than_errors_do_not_count_examples(tmp_path: Path) -> None:
    facts = "{unit: fraction, metric: auc, of: {splits: 2}, n_test: {wine: [89, 178]}}"
    audited = subject(tmp_path, facts=facts, t="dataset,a_mean,a_sd\nwine,0.9999,0.0001\n")
    assert verdicts("ranges", audited)
    assert not verdicts("counts", audited) | verdicts("deviations", audited)


def test_numbers_that_algorithms_predict_are_not_counted(tmp_path: Path) -> None:
    facts = "{metric: rmse, of: {splits: 2}, n_test: {wine: [89, 178]}}"
    audited = subject(tmp_path, facts=facts, t="dataset,a_mean,a_sd\nwine,0.5,0.1\n")
    [finding] = findings("counts", audited)
    assert (finding.holds, finding.why) == (None, NUMBERS)


def test_a_config_is_looked_up_next_to_the_paper_whatever_its_ending(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text(CONFIG)
    audited = subject(tmp_path, facts="{unit: fraction, config: ../mine.yml}", t=RISKS)
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


@pytest.mark.parametrize(("unit", "text"), [("percent", "8.33"), ("fraction", "0.0833")])
def test_numbers_are_shown_in_the_unit_of_their_table(tmp_path: Path, unit: str, text: str) -> None:
    audited = subject(tmp_path, facts=f"{{unit: {unit}}}", t=RISKS)
    assert show(audited.tables[0], 1 / 12, ".3g") == text
