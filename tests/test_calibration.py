"""Judgements are made as often as is stated in simulated worlds of which the truth is known.

``python -m tests.test_calibration`` prints all rates, which docs/science.md sums up.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from math import inf, sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator
from tabulate import tabulate

from quadrepro import stats
from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.papers.claims.claim import InPrint
from quadrepro.papers.paper import Paper, load_paper
from quadrepro.papers.printed import Sample
from quadrepro.stats import LEVEL, Repeats
from quadrepro.tables.audit import audit
from quadrepro.tables.judge import PrintedNumber, Verdict, Verdicts, judge
from quadrepro.tables.kinds import readings
from tests.make import write_paper

RESULTS = Path(__file__).parents[1] / "results"

ERRORS = 4
"""Binomial errors by which a rate may leave its band: one of 16,000 would by chance."""

Outcome = tuple[str, bool, float]
"""A bound, whether a judgement is made, and the rate at which it should be."""

Draw = dict[str, Outcome]
"""The outcome of each judgement."""


def at_most(made: bool, rate: float = LEVEL) -> Outcome:
    return "≤", made, rate


def about(made: bool, rate: float = LEVEL) -> Outcome:
    return "", made, rate


def at_least(made: bool, rate: float = stats.COVERAGE) -> Outcome:
    return "≥", made, rate


LOWEST, HIGHEST = 0.035, 0.065
"""Band of the share of numbers outside where printed and our counts are drawn alike."""


def outside(made: bool, few: bool = False) -> Outcome:
    """A number outside, whose rate is in the band; where errors are few, it is not above it."""
    return "few" if few else "band", made, LEVEL


class Rate(NamedTuple):
    """How often a judgement is made in a world."""

    judgement: str
    world: str
    bound: str
    stated: float
    actual: float
    draws: int

    @property
    def is_off(self) -> bool:
        slack = ERRORS * sqrt(self.stated * (1 - self.stated) / self.draws)
        if self.bound in ("band", "few"):
            low = LOWEST if self.bound == "band" else 0.0
            return not low - slack / 2 <= self.actual <= HIGHEST + slack / 2
        low = -inf if self.bound == "≤" else self.stated - slack
        high = inf if self.bound == "≥" else self.stated + slack
        return not low <= self.actual <= high

    @property
    def row(self) -> tuple[str, ...]:
        # Of two draws more, so that the error of a rate of 0 is above 0.
        smooth = (self.actual * self.draws + 1) / (self.draws + 2)
        error, stated = sqrt(smooth * (1 - smooth) / self.draws), f"{self.bound} {self.stated:.3f}"
        if self.bound in ("band", "few"):
            stated = f"{LOWEST} to {HIGHEST}" if self.bound == "band" else f"≤ {HIGHEST}"
        return self.judgement, self.world, stated.strip(), f"{self.actual:.3f}", f"{error:.3f}"


class World(NamedTuple):
    """Something to judge that can be drawn."""

    name: str
    draws: int
    draw: Callable[[Generator], Draw]

    def rates(self) -> list[Rate]:
        rng = np.random.default_rng(crc32(self.name.encode()))
        drawn = [self.draw(rng) for _ in range(self.draws)]
        rates = []
        for judgement, (bound, *_) in drawn[0].items():
            made, stated = zip(*(draw[judgement][1:] for draw in drawn), strict=True)
            means = float(np.nanmean(stated)), float(np.mean(made))
            rates.append(Rate(judgement, self.name, bound, *means, self.draws))
        return rates


def is_outside(ours: FloatArray, printed: PrintedNumber, n_test: int = 0) -> bool:
    return judge(printed, Repeats([*ours], [n_test] * len(ours) * bool(n_test))).word == "outside"


TEN = Sample(splits=10)


def numbers(rng: Generator) -> Draw:
    ours, theirs = rng.normal(30, 3, (2, 10))
    text, sd = f"{theirs.mean():.2f}", float(f"{theirs.std(ddof=1):.2f}")
    with_sd = PrintedNumber(text, TEN, sd, 0.005, f"{sd:.2f}")
    deviation = judge(with_sd, Repeats([*ours])).deviation
    return {
        "number of one split: outside": about(is_outside(ours, PrintedNumber(f"{theirs[0]:.2f}"))),
        "mean: outside": about(is_outside(ours, PrintedNumber(text, TEN))),
        "mean ± deviation: outside": about(is_outside(ours, with_sd)),
        "deviation: outside": about(deviation is not None and deviation.word == "outside"),
    }


def risks(rng: Generator, n: int, risk: float, repeats: int, digits: int = 4) -> Draw:
    """Judge numbers of one split and means of 20 whose errors are binomial, as ours are."""
    ours, theirs = (rng.binomial(n, risk, k) / n for k in (repeats, 20))
    mean, sd = f"{theirs.mean():.{digits}f}", f"{theirs.std(ddof=1):.{digits}f}"
    sample, half = Sample(splits=20), 0.5 * 10**-digits
    few = n * risk <= 5
    with_sd = PrintedNumber(mean, sample, float(sd), half, sd)
    verdict = judge(with_sd, Repeats([*ours], [n] * repeats))
    one = PrintedNumber(f"{theirs[0]:.3f}")
    return {
        "risk of one split: outside": outside(is_outside(ours, one, n), few),
        "mean risk of 20 splits: outside": outside(
            is_outside(ours, PrintedNumber(mean, sample), n), few
        ),
        "mean risk ± deviation: outside": outside(verdict.word == "outside", few),
    }


def uneven(rng: Generator) -> Draw:
    """Judge risks that vary more from split to split than their test sets do."""
    rates = rng.beta(10, 90, (2, 20))
    ours, theirs = rng.binomial(200, rates) / 200
    mean = PrintedNumber(f"{theirs.mean():.4f}", Sample(splits=20))
    return {
        "risk of one split: outside": outside(
            is_outside(ours[:10], PrintedNumber(f"{theirs[0]:.3f}"), 200)
        ),
        "mean risk of 20 splits: outside": outside(is_outside(ours[:10], mean, 200)),
    }


def skewed(rng: Generator, repeats: int) -> Draw:
    """Judge skewed RMSEs, which have no floor."""
    ours, theirs = np.exp(0.5 * rng.normal(size=(2, 50)))
    mean = PrintedNumber(f"{theirs.mean():.4f}", Sample(splits=50))
    return {
        "RMSE of one split: outside": at_most(
            is_outside(ours[:repeats], PrintedNumber(f"{theirs[0]:.4f}")), HIGHEST
        ),
        "mean RMSE of 50 splits: outside": at_most(is_outside(ours[:repeats], mean), 0.1),
    }


def table(
    rng: Generator,
    n: int,
    rows: int = 5,
    columns: int = 4,
    n_printed: int = 1,
    n_test: int = 0,
    risk: float = 0.2,
    sd: float = 0.03,
) -> Draw:
    """Judge rows whose columns share their splits."""
    entries: list[Verdict] = []
    sample = Sample(splits=n_printed)
    for row in range(rows):
        moved = rng.normal(size=(n + n_printed, 1)) + rng.normal(size=(n + n_printed, columns))
        values = risk + sd * moved
        if n_test:
            values = rng.binomial(n_test, np.clip(values, 0, 1)) / n_test
        for column, numbers_of_column in enumerate(values.T):
            printed = PrintedNumber(f"{numbers_of_column[n:].mean():.3f}", sample)
            ours = Repeats([*numbers_of_column[:n]], [n_test] * n * bool(n_test))
            entries.append(judge(printed, ours).at(f"row {row}", f"column {column}", "risk"))
    verdicts = Verdicts("table", tuple(entries))
    misses = verdicts.misses
    worst = max(Counter(v.row for v in verdicts.outside).values(), default=0)
    p_row = stats.chance_of_a_group(worst, list(verdicts.chances.values()))
    return {
        "table: number outside, p ≤ 0.05": at_most(misses.p_value <= LEVEL),
        "table: number outside in its 95% range": at_least(
            misses.low <= misses.outside <= misses.high
        ),
        "table: some number outside after Holm's correction": at_most(
            bool(verdicts.outside_after_holm)
        ),
        "table: number outside in a row, p ≤ 0.05": at_most(p_row <= LEVEL),
    }


def random_splits(rng: Generator, n: int, splits: int, n_test: int) -> BoolArray:
    """Return which examples each split tests."""
    return rng.random((splits, n)).argsort(axis=1) < n_test


def errors(rng: Generator, learners: int, tested: BoolArray) -> FloatArray:
    """Return the shares of errors, by learner and split, of learners of equal risk.

    They predict the nearer class mean of attributes of their own, so that the errors of two are
    correlated by the splits and the labels.
    """
    n = tested.shape[1]
    y = rng.permutation(n) % 2 == 0
    X = rng.normal(size=(learners, n, 4)) + 0.8 * y[:, None]
    trained = [~tested & side for side in (y, ~y)]
    one, zero = (side @ X / side.sum(axis=1)[:, None] for side in trained)
    middle = ((one - zero) * (one + zero)).sum(axis=2, keepdims=True) / 2
    wrong = (((one - zero) @ X.transpose(0, 2, 1) > middle) != y) & tested
    return np.asarray(wrong.sum(axis=2) / tested.sum(axis=1))


def learners(rng: Generator, splits: int, n_test: int, n: int = 100, k: int = 4) -> Draw:
    """Compare equal learners with the best of them, and with a baseline like them."""
    every = errors(rng, k + 1, random_splits(rng, n, splits, n_test))
    scores = {str(i): [*row] for i, row in enumerate(every)}
    share, resolution = n_test / n, 1 / n_test
    rivals = {name: values for name, values in scores.items() if name != str(k)}
    best = min(rivals, key=lambda name: np.mean(rivals[name]))
    pairs = stats.compare_on_splits(rivals, share, resolution=resolution)
    against = stats.compare_on_splits(scores, share, resolution=resolution, control=str(k))
    posterior = stats.bayesian_correlated_t(every[0], every[1], share)
    sure = max(posterior.better, posterior.worse)
    return {
        "corrected t-test: p ≤ 0.05": at_most(pairs["0", "1"].p_value <= LEVEL),
        "some method worse than the best (Holm)": at_most(
            any(pairs[best, name].winner == best for name in rivals if name != best)
        ),
        "the best is better than the baseline (Holm)": at_most(
            against[best, str(k)].winner == best
        ),
        "Bayesian correlated t-test: either better with 0.95": at_most(sure >= 0.95, 0.11),
    }


def constant(rng: Generator) -> Draw:
    """Compare two methods that differ by the same number of examples on each of three splits."""
    gap = int(rng.integers(1, 3)) / 20
    scores = {"a": [0.2, 0.3, 0.25], "b": [0.2 + gap, 0.3 + gap, 0.25 + gap]}
    pairs = stats.compare_on_splits(scores, 0.3, resolution=1 / 20)
    return {"no variance: a method better": at_most(pairs["a", "b"].winner is not None, 0)}


def methods(rng: Generator) -> Draw:
    values = (rng.uniform(0.1, 0.4, (20, 1)) + 0.03 * rng.normal(size=(20, 4))).round(2)
    test = stats.friedman_test(values.tolist())
    signs = stats.sign_test(values[:, 0], values[:, 1]).significant
    pairs = stats.compare_over_datasets({str(i): [*column] for i, column in enumerate(values.T)})
    gap = max(test.mean_ranks) - min(test.mean_ranks)
    return {
        "sign test: p ≤ 0.05": at_most(signs),
        "Wilcoxon's test: p ≤ 0.05": at_most(pairs["0", "1"].p_value <= LEVEL),
        "Wilcoxon's test, Holm: some pair": at_most(any(c.winner for c in pairs.values())),
        "Friedman's test: p ≤ 0.05": at_most(test.p_value <= LEVEL),
        "Iman and Davenport's F: p ≤ 0.05": about(test.f_p_value <= LEVEL),
        "Nemenyi's test: some pair": at_most(gap > stats.critical_difference(4, 20)),
    }


def shifted(rng: Generator) -> Draw:
    a, b = rng.normal(1, 1, 10), np.zeros(10)
    shift = stats.hodges_lehmann(a, b)
    return {
        "shift: interval holds it": at_least(shift.low <= 1 <= shift.high),
        "equivalence: p ≤ 0.05": at_most(stats.equivalence_test(a, b, 1).significant),
    }


def equal(rng: Generator) -> Draw:
    posterior = stats.bayesian_signed_rank(rng.normal(size=10), np.zeros(10))
    sure = max(posterior.better, posterior.worse)
    return {"Bayesian signed-rank test: either better with 0.95": about(sure >= 0.95, 0.13)}


def unequal(rng: Generator) -> Draw:
    effect = rng.normal()
    ranks = stats.bayesian_signed_rank(rng.normal(effect, 1, 10), np.zeros(10))
    right = (ranks.better > ranks.worse) == (effect < 0)
    share, coins = rng.random(), rng.uniform(0, 0.5, 10)
    coins = np.where(rng.random(10) < share, coins, 1 - coins)
    wrong = [rng.random(30) < coin for coin in coins]
    p = stats.poisson_binomial_test(wrong, [~of for of in wrong]).probability
    ends = max(ranks.better, ranks.worse), max(p, 1 - p)
    return {
        "Bayesian signed-rank test: the more probable is better": about(right, ends[0]),
        "Poisson binomial test: the more probable is better": at_least(
            (p > 0.5) == (share > 0.5), ends[1]
        ),
    }


def reading(rng: Generator) -> Draw:
    printed, *ours = (2 * (rng.normal(size=(n, 3)) + rng.normal(size=(n, 1))) for n in (20, 10, 10))
    both = []
    for values in ours:
        splits = readings.OurSplits(values, np.full(3, 0.005), len(printed))
        logs = {
            name: log_probability(values, statistic(printed).round(2), splits.rounding, 20)
            for name, (statistic, log_probability) in readings.QUANTITIES.items()
            if name in ("mean", "sd")
        }
        both.append(readings.RowEvidence([], {}, logs, dict.fromkeys(logs, splits)))
    base, rival = both
    rows = {readings.BASE: {"row": base}, "rival": {"row": rival}}
    factors = {"rival": sum(readings.log_factors(rival.logs, base.logs).values())}
    simulated = readings.simulate(rows, int(rng.integers(2**31)))
    supported = factors["rival"] >= readings.needed_factors(simulated, 1)["rival"]
    return {"readings: another one supported": at_most(supported)}


def paper_of(folder: str, rows: list[list[str]], **facts: object) -> Paper:
    """Return a paper that prints a table."""
    table = "".join(",".join(row) + "\n" for row in rows)
    # JSON is YAML as well.
    text = json.dumps({"title": "Made up", **facts})
    return load_paper(folder, write_paper(Path(folder), text, t=table))


def honest(rng: Generator) -> Draw:
    head = ["row", *(f"{name}{ending}" for ending in ("_mean", "_sd") for name in "abc")]
    rows, sizes, bold = [head], {}, {}
    for row in ("one", "two", "three", "four", "five"):
        n = int(rng.integers(80, 250))
        percent = 100 * errors(rng, 3, random_splits(rng, n, 20, round(n / 10)))
        moments = (percent.mean(axis=1), percent.std(axis=1, ddof=1))
        texts = [f"{x:.2f}" for line in moments for x in line]
        sizes[row], lowest = (round(n / 10), n), min(map(float, texts[:3]))
        bold[row] = [name for name, x in zip("abc", texts[:3], strict=True) if float(x) == lowest]
        rows.append([row, *texts])
    facts = {"unit": "percent", "of": {"splits": 20}, "n_test": sizes, "bold": bold}
    with tempfile.TemporaryDirectory() as folder:
        findings = audit(paper_of(folder, rows, printed={"t": facts})).findings
    wrong = {key for key, checked in findings.items() if any(f.holds is False for f in checked)}
    return {
        "audit: counts, ranges or bold fail": about(bool(wrong & {"counts", "ranges", "bold"}), 0),
        "audit: deviations fail (Holm)": at_most("deviations" in wrong),
    }


CLAIMS = (
    {"kind": "lower", "text": "better", "of": "a", "than": "b", "by": "sign-test"},
    {"kind": "not-different", "text": "alike", "of": "a", "than": "b"},
    {"kind": "equivalent", "text": "equivalent", "of": "a", "than": "c", "margin": 2},
)


def claims(rng: Generator) -> Draw:
    every = rng.uniform(0.1, 0.3, (20, 1)) + 0.015 * rng.normal(size=(20, 3)) + [0, 0, 0.02]
    rows = [[f"data {i}", *(f"{risk:.4f}" for risk in row)] for i, row in enumerate(every)]
    facts = {"printed": {"t": {"unit": "fraction"}}, "claims": {"t": {"claims": CLAIMS}}}
    names = dict(zip("abc", "abc", strict=True))
    with tempfile.TemporaryDirectory() as folder:
        paper = paper_of(folder, [["row", *"abc"], *rows], names=names, **facts)
        printed = paper.printed("t").as_errors()
        evidence = InPrint(printed.rows, names, (printed,))
        words = {c.text: c.judged_on(evidence)[1] for c in paper.groups["t"].claims}
    return {
        "claim of lower by the sign test: supported": at_most(words["better"] == "supported"),
        "claim of not-different: refuted": at_most(words["alike"] == "refuted"),
        "claim of equivalent: supported": at_most(words["equivalent"] == "supported"),
    }


REPEATS = (3, 10, 30)
RISKS = (
    *((50, 0.005, 1200), (50, 0.1, 600), (200, 0.02, 600)),
    *((200, 0.3, 600), (1000, 0.005, 1200), (1000, 0.05, 1200)),
)
"""Test examples, risk, and a number of draws."""

WORLDS = (
    World("10 of our splits, 10 printed, normal", 3000, numbers),
    *(
        World(
            f"{repeats} of our splits, risk {risk} on {n} examples",
            draws,
            partial(risks, n=n, risk=risk, repeats=repeats),
        )
        for repeats in REPEATS
        for n, risk, draws in RISKS
    ),
    World("10 of our splits, uneven risks on 200 examples", 2000, uneven),
    World("10 of our splits, skewed RMSEs", 2000, partial(skewed, repeats=10)),
    World("30 of our splits, skewed RMSEs", 2000, partial(skewed, repeats=30)),
    World("20 numbers, 10 of our splits", 200, partial(table, n=10)),
    World("20 risks on 100 examples, 3 of our splits", 120, partial(table, n=3, n_test=100)),
    World("20 means of 10 splits, 30 of our splits", 300, partial(table, n=30, n_printed=10)),
    World(
        "60 risks of 0.02 on 200 examples, 30 of our splits",
        200,
        partial(table, n=30, rows=10, columns=6, n_test=200, risk=0.02, sd=0.005),
    ),
    World("4 equal learners, 30 random tenths", 1500, partial(learners, splits=30, n_test=10)),
    World("4 equal learners, 10 random halves", 1500, partial(learners, splits=10, n_test=50)),
    World(
        "8 equal learners, 3 random thirds of 60",
        1000,
        partial(learners, splits=3, n_test=18, n=60, k=8),
    ),
    World("differences of the same examples on 3 splits", 50, constant),
    World("4 equal methods, 20 data sets, 2 digits", 1500, methods),
    World("2 methods, 1 sd apart, 10 data sets", 3000, shifted),
    World("2 equal methods, 10 data sets", 400, equal),
    World("2 methods, random effect, 10 data sets", 400, unequal),
    World("another reading like the config's, 3 columns, 10 splits", 300, reading),
    World("honest table, 5 data sets, 3 learners, 20 splits", 300, honest),
    World("20 data sets, a and b equal, c off by the margin", 400, claims),
)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_every_rate_is_in_its_band(world: World) -> None:
    assert [rate for rate in world.rates() if rate.is_off] == []


def tables_off(name: str, digits: int) -> tuple[int, int]:
    """Return in how many tables some number is outside after Holm's correction, and of how many.

    Each committed repeat in turn is the printed table, and the others are ours.
    """
    cells = pd.read_csv(RESULTS / name / "cells.csv")
    cells = cells[cells["algorithm"] != "baseline"].sort_values("repeat")
    groups = [*cells.groupby(["dataset", "algorithm"], sort=False)]
    n, n_off = cells["repeat"].nunique(), 0
    for repeat in range(n):
        entries = []
        for (row, column), group in groups:
            values, kept = group["value"].to_numpy(), np.arange(n) != repeat
            sizes = group["n_test"].to_numpy()[kept] if group["errors"].notna().all() else []
            printed = PrintedNumber(f"{values[repeat]:.{digits}f}")
            ours = Repeats([*values[kept]], [*map(int, sizes)])
            entries.append(judge(printed, ours).at(row, column, "risk"))
        n_off += bool(Verdicts("table", tuple(entries)).outside_after_holm)
    return n_off, n


@pytest.mark.slow
@pytest.mark.parametrize(("name", "digits"), [("table1-distribution", 3), ("rescale-table1", 4)])
def test_our_repeats_in_turn_as_the_printed_one_are_seldom_off(name: str, digits: int) -> None:
    n_off, n = tables_off(name, digits)
    assert n_off <= LEVEL * n + 2 * sqrt(LEVEL * (1 - LEVEL) * n)


if __name__ == "__main__":
    header = ("judgement", "world", "stated", "actual", "error")
    rows = [rate.row for world in WORLDS for rate in world.rates()]
    print(tabulate(rows, header, "pipe", disable_numparse=True))
