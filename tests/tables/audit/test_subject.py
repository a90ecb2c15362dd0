from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.base.resources import configs_folder
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.errors import ConfigError
from quadrepro.tables.audit.report import audit
from quadrepro.tables.audit.subject import NOT_SAID, NUMBERS, Size
from tests.tables.audit.papers import CONFIG, shipped, subject

RISKS = "dataset,quadboost\nmonks,0.231\nwine,0.090\n"


@pytest.mark.slow
def test_sizes_are_those_of_the_plan_with_data(canonical_folder: Path) -> None:
    for paper, table, config in (
        ("quadboost", "table1", "table1"),
        ("ebboost", "table1", "ebboost-table1"),
        ("rescale", "table2", "rescale-table2"),
        ("rescale", "table3", "rescale-table3"),
    ):
        found = shipped(paper)
        printed = found.paper.printed(table)
        experiment = load_experiment(configs_folder() / f"{config}.yaml", repeats=1)
        plan = make_plan(experiment, canonical_folder)
        assert {*plan.sources} == {*printed.rows}
        for row, source in plan.sources.items():
            size = found.size(printed, row)
            assert size == NUMBERS if isinstance(size, str) else size.n_test == source.sizes[2]


def test_a_fresh_sample_shares_no_rows() -> None:
    found = shipped("rescale")
    assert found.size(found.paper.printed("table2"), "orange 0") == Size(4000, 0)


def test_a_size_that_is_given_takes_the_place_of_the_configs(tmp_path: Path) -> None:
    facts = "{unit: fraction, config: ../small.yaml, n_test: {wine: [60, 178]}}"
    found = subject(tmp_path, facts=facts, t=RISKS)
    assert found.size(found.tables[0], "wine") == Size(60, 178)
    assert found.size(found.tables[0], "monks") == Size(216, 432)


def test_the_first_row_of_a_config_that_is_set_beside_a_printed_one_counts(tmp_path: Path) -> None:
    config = CONFIG.replace("wine", "{name: monks, as: more, protocol: {split: {train: 0.75}}}")
    found = subject(
        tmp_path, facts="{unit: fraction, config: ../small.yaml}", config=config, t=RISKS
    )
    assert found.size(found.tables[0], "monks") == Size(216, 432)


def test_without_a_config_or_a_card_that_counts_no_size_is_known(tmp_path: Path) -> None:
    found = subject(tmp_path, facts="{unit: fraction, n_test: {wine: 60}}", t=RISKS)
    assert found.size(found.tables[0], "monks") == NOT_SAID
    assert found.size(found.tables[0], "wine") == Size(60, 60)


def test_rows_that_only_data_can_count_have_no_size(tmp_path: Path) -> None:
    config = CONFIG.replace("monks", "{name: monks, view: {where: {has_tie: ['1']}}}")
    found = subject(
        tmp_path, facts="{unit: fraction, config: ../small.yaml}", config=config, t=RISKS
    )
    size = found.size(found.tables[0], "monks")
    assert isinstance(size, str)
    assert "the card does not tell" in size


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ("{n_test: {monk: 9}", "paper.yaml:4:16: unknown row 'monk'; did you mean 'monks'?"),
        (
            "{bold: {monk: [quadboost]}",
            "paper.yaml:4:14: unknown row 'monk'; did you mean",
        ),
        ("{bold: {wine: [quadbost]}", "paper.yaml:4:21: unknown column 'quadbost'; did you mean"),
        ("{n_test: {monks: [9, 8]}", "9 test examples cannot be taken from 8 rows"),
        ("{config: tabel1", "paper.yaml:4:7: unknown config 'tabel1'; did you mean 'table1'"),
    ],
)
def test_a_mistake_is_refused_with_its_place(tmp_path: Path, facts: str, message: str) -> None:
    found = subject(tmp_path, facts=f"{facts}, unit: fraction}}", t=RISKS)
    with pytest.raises(ConfigError) as caught:
        audit(found.paper)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("split", "size"),
    [
        ("{train: half}", Size(89, 178)),
        ("{train: 0.7}", Size(53, 178, (54,))),
        ("{train: 0.7, at_most: 100}", Size(78, 178)),
        ("{outer: 10}", Size(18, 178, (17,))),
    ],
)
def test_a_share_that_is_not_whole_is_rounded_up_and_down(
    tmp_path: Path, split: str, size: Size
) -> None:
    config = CONFIG.replace("[monks, wine]", f"[{{name: wine, protocol: {{split: {split}}}}}]")
    if "outer" in split:
        config = config.replace("protocol:\n", "repeats: 10\nprotocol:\n", 1)
    found = subject(
        tmp_path, facts="{unit: fraction, config: ../small.yaml}", config=config, t=RISKS
    )
    assert found.size(found.tables[0], "wine") == size


def test_other_metrics_than_errors_are_neither_counted_nor_lowest(tmp_path: Path) -> None:
    found = subject(tmp_path, facts="{unit: fraction, metric: auc}", t=RISKS)
    assert not found.holding("errors")
