"""How rates of simulated worlds are measured and shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.random import Generator

from calibration import page as pages
from calibration.__main__ import command
from calibration.worlds import (
    NEVER,
    Judgement,
    Outcome,
    Rate,
    Said,
    Stated,
    World,
    about,
    as_said,
    at_least,
    at_most,
    measure,
)

COIN = Judgement("head", about(0.3), "a coin with 0.9")


def coin(rng: Generator, dishonest: bool) -> Outcome:
    return bool(rng.random() < (0.9 if dishonest else 0.3))


def rate(judgement: Judgement, actual: float, error: float = 0.001, stated: float = 0.0) -> Rate:
    return Rate(judgement, "setting", judgement.stated.value or stated, actual, error, None)


def test_a_rate_its_error_and_its_power_are_those_of_the_draws() -> None:
    [found] = measure(World("a coin", (COIN,), coin, 4000))
    assert found.actual == pytest.approx(0.3, abs=4 * found.error)
    assert found.error == pytest.approx(np.sqrt(0.3 * 0.7 / 4000), rel=0.05)
    assert found.power == pytest.approx(0.9, abs=0.04)
    assert found.stated == 0.3


def test_a_world_gives_the_same_rates_in_every_run_and_others_under_another_name() -> None:
    world = World("a coin", (COIN,), coin, 400)
    assert measure(world) == measure(world)
    assert measure(world)[0].actual != measure(replace(world, setting="another"))[0].actual


def test_the_quick_version_has_fewer_draws_and_no_power() -> None:
    drawn: list[bool] = []

    def draw(rng: Generator, dishonest: bool) -> Outcome:
        drawn.append(dishonest)
        return False

    [found] = measure(World("a coin", (COIN,), draw, 600), quick=True)
    assert drawn == [False] * 20
    assert found.power is None


def test_each_judgement_of_a_draw_has_its_rate_and_draws_without_one_do_not_count() -> None:
    def draw(rng: Generator, dishonest: bool) -> tuple[Outcome, ...]:
        head = rng.random() < 0.5
        return True, 0.25, True if head else None

    three = (replace(COIN, name="a"), replace(COIN, name="b"), replace(COIN, name="c"))
    assert [found.actual for found in measure(World("three", three, draw, 100))] == [1, 0.25, 1]


def test_what_is_stated_in_the_draws_is_averaged_over_those_that_state_it() -> None:
    def draw(rng: Generator, dishonest: bool) -> Outcome:
        return Said(True, 0.2 if rng.random() < 0.5 else None)

    [found] = measure(World("said", (Judgement("said", as_said()),), draw, 100))
    assert found.stated == pytest.approx(0.2)
    assert found.off == "above"


def test_a_rate_that_is_never_seen_has_an_error() -> None:
    def draw(rng: Generator, dishonest: bool) -> Outcome:
        return False

    [found] = measure(World("never", (Judgement("never", about(0.0)),), draw, 98))
    assert found.error == pytest.approx(np.sqrt(0.01 * 0.99 / 98))


@pytest.mark.parametrize(
    ("stated", "actual", "off"),
    [
        (about(0.05), 0.05, ""),
        (about(0.05), 0.066, ""),
        (about(0.05), 0.068, "above"),
        (about(0.05), 0.032, "below"),
        (at_most(0.05), 0.0, ""),
        (at_most(0.05), 0.068, "above"),
        (at_least(0.95), 1.0, ""),
        (at_least(0.95), 0.932, "below"),
        (NEVER, 0.0, ""),
        (NEVER, 0.0005, "above"),
    ],
)
def test_a_rate_is_off_beyond_its_band_and_two_errors(
    stated: Stated, actual: float, off: str
) -> None:
    assert rate(Judgement("judgement", stated), actual).off == off


def test_a_rate_that_is_known_to_be_off_leaves_the_band_of_what_is_known() -> None:
    known = Judgement("judgement", at_most(0.05), true_rate=(0.2, 0.3))
    assert rate(known, 0.25).off == "above"
    assert [rate(known, actual).leaves(3) for actual in (0.05, 0.25, 0.35)] == [True, False, True]


def test_the_page_has_the_settings_of_a_judgement_below_each_other() -> None:
    other = Judgement("tail", at_most(0.7), "", "a remark")
    rates = [rate(COIN, 0.3), rate(other, 0.75), replace(rate(COIN, 0.31), power=0.9)]
    lines = pages.page({"Coins": rates}).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    assert cells[2:] == [
        ["head", "setting", "0.3", "0.300 ± 0.001", "", ""],
        ["head", "setting", "0.3", "0.310 ± 0.001", "0.90 (a coin with 0.9)", ""],
        ["tail", "setting", "≤ 0.7", "0.750 ± 0.001", "", "**above what is stated**; a remark"],
    ]
    assert "## Coins" in lines


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = pages.GROUPS["Readings of a protocol"][:1]
    monkeypatch.setattr("calibration.__main__.GROUPS", {"Readings of a protocol": readings})
    result = CliRunner().invoke(
        command, ["--quick", "--jobs", "1", "--out", str(tmp_path / "a.md")]
    )
    assert result.exit_code == 0, result.output
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert text.startswith("# Calibration\n")
    assert text.count("| some reading supported |") == 1
