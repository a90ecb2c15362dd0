"""Judgements are made as often as is stated in simulated worlds of which the truth is known.

``python -m tests.test_calibration`` prints all rates, which docs/comparing.md sums up.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from math import inf, nan, sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pytest
from numpy.random import Generator
from tabulate import tabulate

from quadrepro import stats
from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.papers.paper import load_paper
from quadrepro.stats import LEVEL
from quadrepro.tables.audit.report import audit
from quadrepro.tables.audit.subject import Finding
from quadrepro.tables.kinds import readings
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits, of_two_means
from tests.make import write_paper

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
        low = -inf if self.bound == "≤" else self.stated - slack
        high = inf if self.bound == "≥" else self.stated + slack
        return not low <= self.actual <= high

    @property
    def row(self) -> tuple[str, ...]:
        # Of two draws more, so that the error of a rate of 0 is above 0.
        smooth = (self.actual * self.draws + 1) / (self.draws + 2)
        error, stated = sqrt(smooth * (1 - smooth) / self.draws), f"{self.bound} {self.stated:.3f}"
        return self.judgement, self.world, stated.strip(), f"{self.actual:.3f}", f"{error:.3f}"


class World(NamedTuple):
    """Something to judge that can be drawn."""

    name: str
    draws: int
    draw: Callable[[Generator], Draw]

    def rates(self) -> list[Rate]:
        rng = np.random.default_rng(crc32(self.name.encode()))
        drawn = [self.draw(rng) for _ in range(self.draws)]
        found = []
        for judgement, (bound, *_) in drawn[0].items():
            made, stated = zip(*(of[judgement][1:] for of in drawn), strict=True)
            rates = float(np.nanmean(stated)), float(np.mean(made))
            found.append(Rate(judgement, self.name, bound, *rates, self.draws))
        return found


def outside(ours: FloatArray, text: str, **options: int) -> bool:
    entry = Verdict("row", "column", "risk", text, **options)
    return of_further_splits(entry, list(ours)).word == "outside"


def numbers(rng: Generator) -> Draw:
    ours, theirs = rng.normal(30, 3, (2, 10))
    text, sd = f"{theirs.mean():.2f}", float(f"{theirs.std(ddof=1):.2f}")
    printed = stats.Moments(float(text), sd, 10)
    welch = of_two_means(Verdict("row", "column", "error", text), list(ours), printed)
    return {
        "number of one split: outside": about(outside(ours, f"{theirs[0]:.2f}")),
        "mean: outside": about(outside(ours, text, further=10)),
        "mean ± deviation: outside": about(welch.word == "outside"),
    }


def risk(rng: Generator) -> Draw:
    *ours, theirs = rng.binomial(50, 0.1, 4) / 50
    found = outside(np.array(ours), f"{theirs:.2f}", n_test=50)
    return {"number of one split: outside": at_most(found)}


def table(rng: Generator, n: int, further: int = 1, n_test: int | None = None) -> Draw:
    """Judge 5 rows and 4 columns, which share their splits."""
    found = []
    for row in range(5):
        moved = rng.normal(size=(n + further, 1)) + rng.normal(size=(n + further, 4))
        values = 0.2 + 0.03 * moved
        if n_test is not None:
            values = rng.binomial(n_test, np.clip(values, 0, 1)) / n_test
        for column, of in enumerate(values.T):
            ours, text = list(of[:n]), f"{of[n:].mean():.3f}"
            place = (f"row {row}", f"column {column}")
            entry = Verdict(*place, "risk", text, n_test=n_test, further=further)
            found.append((of_further_splits(entry, ours), ours))
    verdicts = Verdicts.of("table", found)
    misses = verdicts.misses
    rows, columns = (
        max(Counter(getattr(entry, place) for entry in verdicts.outside).values(), default=0)
        for place in ("row", "column")
    )
    p_row = stats.chance_of_a_group(rows, list(verdicts.chances.values()))
    p_column = stats.chance_of_a_group(columns, [stats.independent_misses(5)] * 4)
    return {
        "table: number outside, p ≤ 0.05": at_most(misses.p_more <= LEVEL),
        "table: number outside in its 95% range": at_least(
            misses.low <= misses.outside <= misses.high
        ),
        "table: some number off (Holm)": at_most(bool(verdicts.surely_off)),
        "table: number outside in a row, p ≤ 0.05": at_most(p_row <= LEVEL),
        "table: number outside in a column, p ≤ 0.05": at_most(p_column <= LEVEL),
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
    trained = [~tested & of for of in (y, ~y)]
    one, zero = (of @ X / of.sum(axis=1)[:, None] for of in trained)
    middle = ((one - zero) * (one + zero)).sum(axis=2, keepdims=True) / 2
    wrong = (((one - zero) @ X.transpose(0, 2, 1) > middle) != y) & tested
    return np.asarray(wrong.sum(axis=2) / tested.sum(axis=1))


def learners(rng: Generator, splits: int, n_test: int) -> Draw:
    risks = errors(rng, 4, random_splits(rng, 100, splits, n_test))
    best, pairs, share = risks.mean(axis=1).argmin(), list(combinations(range(4), 2)), n_test / 100
    found = [stats.corrected_t_test(risks[a], risks[b], share).p_value for a, b in pairs]
    worse = [p <= LEVEL for p, pair in zip(stats.holm(found), pairs, strict=True) if best in pair]
    posterior = stats.bayesian_correlated_t(risks[0], risks[1], share)
    sure = max(posterior.better, posterior.worse)
    return {
        "corrected t-test: p ≤ 0.05": at_most(found[0] <= LEVEL),
        "corrected t-test, Holm: some learner worse than the best": at_most(any(worse)),
        "Bayesian correlated t-test: either better with 0.95": at_most(sure >= 0.95, 0.1),
    }


def methods(rng: Generator) -> Draw:
    risks = (rng.uniform(0.1, 0.4, (20, 1)) + 0.03 * rng.normal(size=(20, 4))).round(2)
    test, pairs = stats.friedman_test(risks.tolist()), list(combinations(risks.T, 2))
    signs = [stats.sign_test(a, b).significant for a, b in pairs]
    signed = [stats.wilcoxon_test(a, b).p_value for a, b in pairs]
    gap = max(test.mean_ranks) - min(test.mean_ranks)
    # It depends on the ties alone, and takes long.
    star = stats.chance_of_a_star(risks.tolist()) if rng.random() < 0.05 else nan
    return {
        "sign test: p ≤ 0.05": at_most(signs[0]),
        "sign test: some pair starred": about(any(signs), star),
        "Wilcoxon's test: p ≤ 0.05": at_most(signed[0] <= LEVEL),
        "Wilcoxon's test, Holm: some pair": at_most(min(stats.holm(signed)) <= LEVEL),
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
        of = readings.OurSplits(values, np.full(3, 0.005), len(printed))
        logs = {
            name: of_print.log_probability(
                values, of_print.statistic(printed).round(2), of.rounding, 20
            )
            for name, of_print in readings.QUANTITIES.items()
            if name in ("mean", "sd")
        }
        both.append(readings.RowEvidence(logs=logs, splits=dict.fromkeys(logs, of)))
    base, rival = both
    found = {readings.BASE: {"row": base}, "rival": {"row": rival}}
    factors = {"rival": sum(readings.log_factors(rival, base).values())}
    simulated = readings.simulate(found, int(rng.integers(2**31)))
    supported = factors["rival"] >= readings.needed_factors(simulated, 1)["rival"]
    return {"readings: another one supported": at_most(supported)}


def audited(rows: list[list[str]], **paper: object) -> dict[str, tuple[Finding, ...]]:
    """Return what the audit of a printed table finds."""
    with tempfile.TemporaryDirectory() as name:
        table = "".join(",".join(row) + "\n" for row in rows)
        # JSON is YAML as well.
        folder = write_paper(Path(name), json.dumps({"title": "Made up", **paper}), t=table)
        return audit(load_paper(name, folder)).findings


def honest(rng: Generator) -> Draw:
    head = ["row", *(f"{name}{ending}" for ending in ("_mean", "_sd") for name in "abc")]
    rows, sizes, bold = [head], {}, {}
    for row in ("one", "two", "three", "four", "five"):
        n = int(rng.integers(80, 250))
        percent = 100 * errors(rng, 3, random_splits(rng, n, 20, round(n / 10)))
        moments = (percent.mean(axis=1), percent.std(axis=1, ddof=1))
        texts = [f"{x:.2f}" for of in moments for x in of]
        sizes[row], lowest = (round(n / 10), n), min(map(float, texts[:3]))
        bold[row] = [name for name, x in zip("abc", texts[:3], strict=True) if float(x) == lowest]
        rows.append([row, *texts])
    facts = {"unit": "percent", "of": {"splits": 20}, "n_test": sizes, "bold": bold}
    found = audited(rows, printed={"t": facts})
    wrong = {key for key, of in found.items() if any(finding.holds is False for finding in of)}
    return {
        "audit: counts, ranges or bold fail": about(bool(wrong & {"counts", "ranges", "bold"}), 0),
        "audit: deviations fail (Holm)": at_most("deviations" in wrong),
    }


CLAIMS = (
    {"kind": "lower", "text": "better", "of": "a", "than": "b", "by": "sign-test"},
    {"kind": "not-told-apart", "text": "alike", "of": "a", "than": "b"},
    {"kind": "equivalent", "text": "equivalent", "of": "a", "than": "c", "margin": 2},
)


def claims(rng: Generator) -> Draw:
    risks = rng.uniform(0.1, 0.3, (20, 1)) + 0.015 * rng.normal(size=(20, 3)) + [0, 0, 0.02]
    rows = [[f"data {i}", *(f"{risk:.4f}" for risk in of)] for i, of in enumerate(risks)]
    facts = {"printed": {"t": {"unit": "fraction"}}, "claims": {"t": {"claims": CLAIMS}}}
    found = audited([["row", *"abc"], *rows], names=dict(zip("abc", "abc", strict=True)), **facts)
    holds = {finding.printed: finding.holds for finding in found["claims"]}
    return {
        "claim of lower by the sign test holds": at_most(holds["better"] is True, LEVEL / 2),
        "claim of not-told-apart refuted": at_most(holds["alike"] is False),
        "claim of equivalent holds": at_most(holds["equivalent"] is True),
    }


WORLDS = (
    World("10 of our splits, 10 printed, normal", 5000, numbers),
    World("3 of our splits, 1 printed, risks on 50 examples", 5000, risk),
    World("20 numbers, 10 of our splits", 2000, partial(table, n=10)),
    World("20 risks on 100 examples, 3 of our splits", 600, partial(table, n=3, n_test=100)),
    World("20 means of 10 splits, 30 of our splits", 500, partial(table, n=30, further=10)),
    World("4 equal learners, 30 random tenths", 3000, partial(learners, splits=30, n_test=10)),
    World("4 equal learners, 10 random halves", 3000, partial(learners, splits=10, n_test=50)),
    World("4 equal methods, 20 data sets, 2 digits", 2500, methods),
    World("2 methods, 1 sd apart, 10 data sets", 5000, shifted),
    World("2 equal methods, 10 data sets", 800, equal),
    World("2 methods, random effect, 10 data sets", 800, unequal),
    World("another reading like the config's, 3 columns, 10 splits", 300, reading),
    World("honest table, 5 data sets, 3 learners, 20 splits", 400, honest),
    World("20 data sets, a and b equal, c off by the margin", 600, claims),
)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_every_rate_is_in_its_band(world: World) -> None:
    assert [rate for rate in world.rates() if rate.is_off] == []


if __name__ == "__main__":
    header = ("judgement", "world", "stated", "actual", "error")
    found = [rate.row for world in WORLDS for rate in world.rates()]
    print(tabulate(found, header, "pipe", disable_numparse=True))
