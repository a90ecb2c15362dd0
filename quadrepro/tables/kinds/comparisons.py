"""Every pair of algorithms, compared: the paper's matrix of probabilities, and stars by tests.

Errors of classes are compared example by example, by the Poisson binomial test, and mean errors by
the sign test. RMSEs and the values of a metric are compared by their means over data sets. On the
splits of a single data set, the corrected resampled t-test compares either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from math import nan
from statistics import fmean

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import NOTHING, Printed
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    N_DRAWS,
    N_TABLES,
    SEED,
    bayesian_signed_rank,
    chance_of_a_star,
    holm,
    p_text,
    poisson_binomial_test,
    sign_test,
)
from quadrepro.tables.kinds.base import Context, Kind, Made, headline
from quadrepro.tables.notes import own_rows_note
from quadrepro.tables.ranked import Splits, compare_splits, splits_of
from quadrepro.tables.table import MISSING, Table, Value, entry, mean_text, moments
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits

Names = tuple[str, str]

SIGN_TEST = "two-tailed sign test, ties ignored"

TESTS = ("wins", "losses", "ties", "p", "p Holm", "verdict")


@dataclass(frozen=True)
class Pair:
    """Two algorithms: that of the row against that of the column."""

    text: str = MISSING
    p_value: float | None = None
    """Of the test that gives stars."""
    numbers: tuple[Value, ...] = ()
    """For the CSV."""

    @property
    def mark(self) -> str:
        """The star."""
        return "*" if self.p_value is not None and self.p_value <= LEVEL else ""


@dataclass(frozen=True)
class Matrix:
    """All pairs of algorithms, in both orders."""

    order: Sequence[str]
    pairs: Mapping[Names, Pair]
    header: tuple[str, ...]
    """Names of the numbers of a pair, without those of the tests."""
    how: str
    """How pairs are compared, in a sentence."""
    test: str
    """What gives stars; empty if nothing does."""
    printed: Printed = NOTHING
    verdicts: Verdicts | None = None
    chances: Mapping[Names, list[float]] = field(default_factory=dict)
    """Probabilities by split, where examples are compared."""

    @cached_property
    def adjusted(self) -> dict[Names, float]:
        """The p-values of all tests that could be made, adjusted by Holm's method."""
        found = ((names, self.pairs.get(names)) for names in combinations(self.order, 2))
        tested = {a_b: of.p_value for a_b, of in found if of and of.p_value is not None}
        return dict(zip(tested, holm(tested.values()), strict=True))

    def table(self, title: str, titles: Mapping[str, str], notes: Sequence[str]) -> Table:
        """Return the table; below the diagonal are the same comparisons, the other way round."""
        words = self.verdicts.words if self.verdicts else {}
        rows, data = [], []
        for i, a in enumerate(self.order):
            texts = []
            for j, b in enumerate(self.order):
                upper = (a, b) if i <= j else (b, a)
                pair, word = self.pairs.get((a, b), Pair()), words.get(upper, "")
                printed, outside = self.printed.text(a, b), word == "outside"
                texts.append(entry(pair.text, printed, mark=pair.mark, outside=outside))
                if pair.numbers:
                    data.append((a, b, *pair.numbers, self.adjusted.get(upper), word))
            rows.append((titles[a], tuple(texts)))
        header = ("", *(titles[name] for name in self.order))
        data_header = ("algorithm", "against", *self.header, *TESTS)
        return Table(title, header, tuple(rows), tuple(notes), data_header, tuple(data))

    def stars(self, titles: Mapping[str, str], outcomes: Outcomes) -> str:
        """Return what stars mean, how many chance gives, and which survive the adjustment."""
        adjusted, text = self.adjusted, f"\\* {self.test}: p ≤ {LEVEL:g}."
        if len(adjusted) < 2:
            return text
        starred = {names: p for names, p in adjusted.items() if self.pairs[names].mark}
        listed = "; ".join(
            f"{titles[a]} and {titles[b]}, {p_text(p)}" for (a, b), p in starred.items()
        )
        survive = sum(p <= LEVEL for p in starred.values())
        held = f"{survive} of {len(starred)} starred pairs survive: {listed}"
        return (
            f"{text}{self._by_chance(outcomes)} Adjusted for {len(adjusted)} pairs by Holm's "
            f"method, {held if starred else 'no pair is significant'}."
        )

    def _by_chance(self, outcomes: Outcomes) -> str:
        """Return how often equal algorithms would have a star, where examples are compared."""
        if not self.chances:
            return ""
        losses = outcomes.mean_losses()
        compared = [losses[c] for c in outcomes.compared if c in losses]
        chance = chance_of_a_star([*zip(*compared, strict=True)])
        return (
            f" If all algorithms were alike, {100 * chance:.0f}% of such tables would have a star "
            f"({N_TABLES:,} tables, drawn with seed {SEED}, in which the "
            "risks of each data set are exchanged between the algorithms)."
        )


def probabilities(outcomes: Outcomes, a: str, b: str) -> list[float]:
    """Return the probability that A is better than B by the examples each misses, per split."""
    return [
        poisson_binomial_test(
            *([outcomes.records[row, c, r].wrong for row in outcomes.rows] for c in (a, b))
        ).probability
        for r in range(outcomes.repeats)
    ]


def _of_examples(context: Context[str], outcomes: Outcomes) -> Matrix:
    """Compare example by example, and mean errors by the sign test.

    The columns of the printed matrix come first, in their order, and then the others in the order
    of the config.
    """
    printed = context.printed(context.option)
    order = [c for c in printed.columns if c in context.titles]
    order += [c for c in context.compared if c not in order]
    # On a single data set a test of signs says nothing.
    several = len(outcomes.rows) > 1 or bool(context.config.paper)
    losses, pairs, chances = outcomes.mean_losses(), {}, {}
    for a, b in product(order, repeat=2):
        whole = losses.keys() >= {a, b}
        found = chances[a, b] = probabilities(outcomes, a, b) if whole else []
        mean, sd = moments(found)
        counts = astuple(sign_test(losses[a], losses[b])) if whole and several else (None,) * 4
        numbers = mean, sd, printed.text(a, b), *counts
        pairs[a, b] = Pair(mean_text(mean, sd, 2), counts[-1], numbers)
    how = (
        "Probability that the row's algorithm is better than the column's (Poisson binomial test)"
        + (", in parentheses the printed one." if printed.cells else ".")
    )
    return Matrix(
        order,
        pairs,
        ("probability", "probability sd", "printed"),
        how,
        SIGN_TEST if several else "",
        printed,
        _verdicts(printed, chances) if printed.cells else None,
        chances,
    )


def _verdicts(printed: Printed, chances: Mapping[Names, list[float]]) -> Verdicts:
    """Return where each printed probability of the upper triangle lies among our splits."""
    found = []
    for a, b in combinations(printed.columns, 2):
        if (a, b) in chances and printed.text(a, b):
            ours = chances[a, b]
            verdict = Verdict(a, b, "probability", printed.text(a, b))
            found.append((of_further_splits(verdict, ours), ours))
    return Verdicts.of(printed.name, found, what=f"{printed.words}.", together=True)


def _of_means(outcomes: Outcomes) -> Matrix:
    """Compare mean values over data sets: by a posterior where they have one unit."""
    losses, n_rows, pairs = outcomes.mean_losses(), len(outcomes.rows), {}
    alike = len({outcomes.metric or outcomes.regression(row) for row in outcomes.rows}) == 1
    for a, b in combinations([c for c in outcomes.compared if c in losses], 2):
        test = sign_test(losses[a], losses[b])
        better = bayesian_signed_rank(losses[a], losses[b]).better if alike else nan
        difference = outcomes.sign * fmean(x - y for x, y in zip(losses[a], losses[b], strict=True))
        turned = replace(test, wins=test.losses, losses=test.wins)
        for names, p, apart, of in (
            ((a, b), better, difference, test),
            ((b, a), 1 - better, 0.0 - difference, turned),
        ):
            text = f"{p:.2f}" if alike else f"{of.wins}–{of.losses}"
            numbers = (p, apart) if alike else (None, None)
            pairs[names] = Pair(text, of.p_value, (*numbers, *astuple(of)))
    how = (
        "Probability that the row's algorithm is better than the column's, by the Bayesian "
        f"signed-rank test of mean {outcomes.label} over {n_rows} data sets ({N_DRAWS:,} draws "
        f"with seed {SEED})."
        if alike
        else f"On how many of {n_rows} data sets the row's algorithm is better than the column's, "
        f"and on how many it is worse, by mean {outcomes.label}."
    )
    header = ("probability", "mean difference")
    return Matrix(outcomes.compared, pairs, header, how, SIGN_TEST if pairs else "")


def _on_splits(outcomes: Outcomes, splits: Splits) -> Matrix:
    """Compare the values on the splits of a single data set."""
    sign = outcomes.sign
    pairs = {}
    for (a, b), of in compare_splits(splits).items():
        test = replace(sign_test(splits.risks[a], splits.risks[b]), p_value=of.p_value)
        low, high = sorted((sign * of.low, sign * of.high))
        numbers = (of.better, sign * of.mean_difference, low, high, *astuple(test))
        pairs[a, b] = Pair(f"{of.better:.2f}", of.p_value, numbers)
    how = (
        "Probability that the row's algorithm is better than the column's, by the Bayesian "
        f"correlated t-test of {outcomes.label} on {outcomes.repeats} splits."
    )
    header = ("probability", "mean difference", "low", "high")
    return Matrix(outcomes.compared, pairs, header, how, "corrected resampled t-test")


def compare(context: Context[str], outcomes: Outcomes) -> Matrix | None:
    """Return the comparison of all pairs that fits the config, or None if nothing is compared."""
    if min(len(context.compared), len(outcomes.compared)) < 2 or not outcomes.rows:
        return None
    splits = splits_of(outcomes) if len(outcomes.rows) == 1 else None
    if outcomes.counts_errors and (context.config.paper or splits is None):
        return _of_examples(context, outcomes)
    if len(outcomes.rows) > 1:
        return _of_means(outcomes)
    return _on_splits(outcomes, splits) if splits else None


def _make(context: Context[str], outcomes: Outcomes) -> Made | None:
    """Make the matrix."""
    tested, titles = headline(context, outcomes).tested(), context.titles
    found = compare(context, tested)
    if found is None:
        return None
    notes = [found.how]
    if found.test:
        notes.append(found.stars(titles, tested))
    notes += filter(None, [own_rows_note(context.config)])
    if found.chances and tested.repeats > 1:
        notes.append(
            f"Mean ± standard deviation of the probability over {tested.repeats} splits"
            + ("; the sign test compares mean risks." if found.test else ".")
        )
    if found.verdicts and found.verdicts.judged:
        notes.append(
            "† marks a printed probability outside the interval in which that of one further "
            f"split falls with probability {COVERAGE:g} (Student's t)."
        )
    title = f"{context.config.title}: pairwise comparisons{tested.by_metric}"
    return Made(found.table(title, titles, notes), verdicts=found.verdicts)


COMPARISONS = Kind(
    "comparisons",
    str,
    "Tests of every pair of columns; the name of a printed table to compare with. Written unasked.",
    _make,
    lambda context: context.check_printed(context.option, "comparisons"),
)
