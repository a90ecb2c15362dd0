"""Every pair of algorithms, compared in two units.

Errors of classes are compared example by example, by the Poisson binomial test and the sign test.
RMSEs and the values of a metric are compared as numbers: over data sets by their means, or on the
splits of a single data set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

from quadrepro.engine.outcomes import Mean, Outcomes
from quadrepro.papers.printed import NOTHING, Printed
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    N_DRAWS,
    N_TABLES,
    SEED,
    SignTest,
    bayesian_signed_rank,
    chance_of_a_star,
    fault_of_size,
    holm,
    p_text,
    poisson_binomial_test,
    sign_test,
)
from quadrepro.tables.kinds.base import Context, TableKind
from quadrepro.tables.kinds.ranking import splits_of
from quadrepro.tables.notes import own_rows_note
from quadrepro.tables.ranked import Splits, compare_splits
from quadrepro.tables.table import MISSING, Table, TableEntry, Value, VerdictWord
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits

Names = tuple[str, str]

ERRORS_HEADER = (
    *("algorithm", "against", "probability", "probability sd", "printed"),
    *("wins", "losses", "ties", "sign test p", "sign test p Holm", "verdict"),
)

_NUMBERS = ("algorithm", "against", "probability", "mean difference")
_TESTS = ("wins", "losses", "ties", "p", "p Holm")

VALUES_HEADER = (*_NUMBERS, *_TESTS)

SPLITS_HEADER = (*_NUMBERS, "low", "high", *_TESTS)


@dataclass(frozen=True)
class Pair:
    """Two algorithms as the table shows them."""

    text: str = MISSING
    p_value: float | None = None  # of the test that gives stars
    numbers: tuple[Value, ...] = ()  # for the CSV


@dataclass(frozen=True)
class Matrix:
    """All pairs of algorithms."""

    order: Sequence[str]  # of the algorithms
    pairs: Mapping[Names, Pair]
    header: tuple[str, ...]
    how: str  # what pairs are compared by
    test: str = ""  # what gives stars
    printed: Printed = NOTHING
    words: Mapping[Names, VerdictWord] = field(default_factory=dict)  # verdicts on what is printed

    @property
    def adjusted(self) -> dict[Names, float]:
        """The p-values of all tests that could be made, adjusted by Holm's method."""
        tested = {
            names: p_value
            for names in combinations(self.order, 2)
            if (p_value := self.pairs.get(names, Pair()).p_value) is not None
        }
        return dict(zip(tested, holm(tested.values()), strict=True))

    def rows(self, titles: Mapping[str, str]) -> tuple[tuple[str, tuple[TableEntry, ...]], ...]:
        """Return the rows of the table; below the diagonal they repeat those above."""
        return tuple(
            (titles[a], tuple(self._entry(a, b, grey=j < i) for j, b in enumerate(self.order)))
            for i, a in enumerate(self.order)
        )

    def _entry(self, a: str, b: str, *, grey: bool) -> TableEntry:
        pair, verdict = self.pairs.get((a, b), Pair()), self._word(a, b)
        mark = "*" if pair.p_value is not None and pair.p_value <= LEVEL else ""
        return TableEntry(pair.text, self.printed.text(a, b), mark=mark, grey=grey, verdict=verdict)

    def _word(self, a: str, b: str) -> VerdictWord:
        return self.words.get((a, b), self.words.get((b, a), ""))

    def data_rows(self) -> tuple[tuple[Value, ...], ...]:
        """Return the lines of the CSV."""
        adjusted, judged = self.adjusted, "verdict" in self.header
        return tuple(
            (
                *(a, b, *pair.numbers),
                adjusted.get((a, b), adjusted.get((b, a))),
                *([self._word(a, b)] if judged else []),
            )
            for a in self.order
            for b in self.order
            if (pair := self.pairs.get((a, b), Pair())).numbers
        )

    def note_on_stars(self, titles: Mapping[str, str], outcomes: Outcomes) -> str:
        """Return what stars mean, how many chance gives, and which survive the adjustment."""
        adjusted, text = self.adjusted, f"\\* {self.test}: p ≤ {LEVEL:g}."
        if len(adjusted) < 2:
            return text
        if self.header == ERRORS_HEADER:
            text += _stars_by_chance(outcomes, [c for c in titles if any(c in p for p in adjusted)])
        starred = [names for names in adjusted if (self.pairs[names].p_value or 0.0) <= LEVEL]
        listed = "; ".join(
            f"{titles[a]} and {titles[b]}, {p_text(adjusted[a, b])}" for a, b in starred
        )
        survive = sum(adjusted[names] <= LEVEL for names in starred)
        held = f"{survive} of {len(starred)} starred pairs survive: {listed}"
        return (
            f"{text} Adjusted for {len(adjusted)} pairs by Holm's method, "
            f"{held if starred else 'no pair is significant'}."
        )


def _stars_by_chance(outcomes: Outcomes, compared: Sequence[str]) -> str:
    means = [[outcomes.mean(row, c) for c in compared] for row in outcomes.rows]
    chance = chance_of_a_star([[m for m in of_row if m is not None] for of_row in means])
    return (
        f" If all algorithms were alike, {100 * chance:.0f}% of such tables would have a star "
        f"({N_TABLES:,} tables, drawn with seed {SEED}, in which the "
        "risks of each data set are exchanged between the algorithms)."
    )


def probabilities(outcomes: Outcomes, a: str, b: str) -> list[float]:
    """Return the probability that A is better than B."""
    if not outcomes.counts_errors:
        return []
    rows = outcomes.rows
    if not rows or not all(outcomes.complete(row, c) for row in rows for c in (a, b)):
        return []
    return [
        poisson_binomial_test(
            [outcomes.records[row, a, r].wrong for row in outcomes.rows],
            [outcomes.records[row, b, r].wrong for row in outcomes.rows],
        ).probability
        for r in range(outcomes.repeats)
    ]


def signs(outcomes: Outcomes, a: str, b: str) -> SignTest | None:
    """Return the sign test of the mean risks, or None if a cell of either is missing."""
    pairs = _mean_losses(outcomes, a, b)
    return sign_test(*zip(*pairs, strict=True)) if pairs else None


def _mean_losses(outcomes: Outcomes, a: str, b: str) -> list[tuple[Mean, Mean]]:
    """Return the mean losses of two columns in every row, or none if one is missing."""
    means = [(outcomes.mean_loss(row, a), outcomes.mean_loss(row, b)) for row in outcomes.rows]
    known = [(mine, theirs) for mine, theirs in means if mine is not None and theirs is not None]
    return known if len(known) == len(means) else []


def matrix_of_errors(context: Context[Any], outcomes: Outcomes) -> Matrix:
    """Return the tests of examples and of mean risks.

    The columns of the printed matrix come first, in their order, and then the others in the order
    of the config.
    """
    printed = context.printed(context.option)
    order = [c for c in printed.columns if c in context.titles]
    order += [c for c in context.compared if c not in order]
    # On a single data set a test of signs says nothing.
    several = len(outcomes.rows) > 1 or bool(context.config.paper)
    every = [(a, b) for a in order for b in order]
    chances = {names: probabilities(outcomes, *names) for names in every}
    pairs = {}
    for names, found in chances.items():
        text = f"{fmean(found):.2f}" if found else MISSING
        text += f" ± {stdev(found):.2f}" if len(found) > 1 else ""
        mean = fmean(found) if found else None
        sd = stdev(found) if len(found) > 1 else None
        test = signs(outcomes, *names) if several else None
        counts = (None,) * 4 if test is None else astuple(test)
        pairs[names] = Pair(text, counts[-1], (mean, sd, printed.text(*names), *counts))
    how = (
        "Probability that the row's algorithm is better than the column's (Poisson binomial test)"
        + (", in parentheses the printed one." if printed.cells else ".")
    )
    words = {(v.row, v.column): v.word for v in _placed(printed, chances).judged}
    test_of_risks = "two-tailed sign test, ties ignored" if several else ""
    return Matrix(order, pairs, ERRORS_HEADER, how, test_of_risks, printed, words)


def _placed(printed: Printed, chances: Mapping[Names, list[float]]) -> Verdicts:
    """Return the verdicts on the printed upper triangle, given our probabilities of each pair."""
    found = []
    for a, b in combinations(printed.columns, 2):
        if (a, b) in chances and printed.text(a, b):
            entry = Verdict(a, b, "probability", printed.text(a, b))
            ours = chances[a, b]
            found.append((of_further_splits(entry, ours), ours))
    return Verdicts.of(printed.name, found, what=f"{printed.words}.", together=True)


@dataclass(frozen=True)
class Comparison:
    """Two algorithms compared as numbers."""

    probability: float | None  # that the first is better; None without a common unit
    difference: float | None  # first less second
    test: SignTest  # over data sets, or splits with the p-value of the corrected t-test
    interval: tuple[float, ...] = ()  # of the difference for all pairs together, on splits

    def turned(self) -> Comparison:
        """Return the same with the second algorithm first."""
        return Comparison(
            None if self.probability is None else 1 - self.probability,
            None if self.difference is None else 0.0 - self.difference,
            replace(self.test, wins=self.test.losses, losses=self.test.wins),
            tuple(0.0 - end for end in reversed(self.interval)),
        )

    @property
    def pair(self) -> Pair:
        """As the table shows it: the probability, or wins and losses."""
        text = f"{self.test.wins}–{self.test.losses}"
        if self.probability is not None:
            text = f"{self.probability:.2f}"
        numbers = (self.probability, self.difference, *self.interval, *astuple(self.test))
        return Pair(text, self.test.p_value, numbers)


def has_values_to_compare(context: Context[Any]) -> bool:
    """Return whether there are several data sets, or several splits of a single one."""
    n_rows = len(context.config.own_rows)
    return n_rows > 1 or (n_rows == 1 and context.config.repeats > 1)


def compare_values(context: Context[Any], outcomes: Outcomes) -> dict[Names, Comparison]:
    """Return the comparison of every pair of columns, in both orders.

    Pairs of which a cell has no value are left out, and so are all pairs if a single data set has
    one split, or splits that test all examples.
    """
    found: dict[Names, Comparison | None]
    if len(outcomes.rows) == 1:
        splits = splits_of(outcomes)
        found = dict(_on_splits(splits[0], outcomes.sign)) if splits else {}
    else:
        pairs = list(combinations(outcomes.compared, 2))
        # A probability takes a millisecond per data set.
        few = not fault_of_size(len(outcomes.compared), len(outcomes.rows))
        units = {outcomes.regression(row) for row in outcomes.rows}
        alike = few and (outcomes.metric is not None or len(units) == 1)
        found = {pair: _over_rows(outcomes, *pair, alike) for pair in pairs}
    known = {pair: of for pair, of in found.items() if of is not None}
    return known | {(b, a): of.turned() for (a, b), of in known.items()}


def _over_rows(outcomes: Outcomes, a: str, b: str, alike: bool) -> Comparison | None:
    pairs = _mean_losses(outcomes, a, b)
    if not pairs:
        return None
    mine, theirs = zip(*pairs, strict=True)
    test = sign_test(mine, theirs)
    if not alike:
        return Comparison(None, None, test)
    difference = fmean(float(x) - float(y) for x, y in pairs)
    probability = bayesian_signed_rank(mine, theirs).better
    return Comparison(probability, outcomes.sign * difference, test)


def _on_splits(splits: Splits, sign: float) -> Iterator[tuple[Names, Comparison]]:
    found = compare_splits(splits, rope=0.0)
    for a, b in combinations(splits.risks, 2):
        pair = found[a, b]
        test = replace(sign_test(splits.risks[a], splits.risks[b]), p_value=pair.p_value)
        ends = tuple(sorted((sign * pair.low, sign * pair.high)))
        yield (a, b), Comparison(pair.posterior.better, sign * pair.mean_difference, test, ends)


def matrix_of_values(context: Context[Any], outcomes: Outcomes) -> Matrix:
    """Return the tests of numbers."""
    found = compare_values(context, outcomes)
    better = "Probability that the row's algorithm is better than the column's, by the Bayesian"
    test, over = "two-tailed sign test, ties ignored", f"{len(outcomes.rows)} data sets"
    header = SPLITS_HEADER if len(outcomes.rows) == 1 else VALUES_HEADER
    if not found:
        how = "No pair of algorithms has values to compare."
    elif len(outcomes.rows) == 1:
        test = "corrected resampled t-test"
        how = f"{better} correlated t-test of {outcomes.label} on {outcomes.repeats} splits."
    elif any(of.probability is None for of in found.values()):
        how = (
            f"On how many of {over} the row's algorithm is better than the column's, and on how "
            f"many it is worse, by mean {outcomes.label}."
        )
    else:
        how = (
            f"{better} signed-rank test of mean {outcomes.label} over {over} "
            f"({N_DRAWS:,} draws with seed {SEED})."
        )
    pairs = {names: of.pair for names, of in found.items()}
    return Matrix(context.compared, pairs, header, how, test if found else "")


class ComparisonsKind(TableKind[str]):
    """The matrix of pairwise tests."""

    key, option = "comparisons", str
    sums_up = True
    meaning = "Tests of every pair of columns, beside a printed table: its name. Always written."

    def check(self, context: Context[str]) -> None:
        """Refuse a printed table that does not hold comparisons."""
        context.check_printed("comparisons")

    def written(self, context: Context[str]) -> bool:
        """Return whether there are several columns, and values to compare."""
        tasks = {*context.experiment.tasks.values()}
        values = tasks != {"regression"} or has_values_to_compare(context)
        return len(context.compared) > 1 and values and bool(context.config.own_rows)

    def table(self, context: Context[Any], outcomes: Outcomes) -> Table:
        """Return the table of errors or, where numbers are predicted, of values."""
        left_out, outcomes, titles = outcomes.left_out(), outcomes.tested(), context.titles
        of_errors = outcomes.counts_errors
        if not context.config.paper and len(outcomes.rows) == 1 and splits_of(outcomes):
            of_errors = False
        found = (matrix_of_errors if of_errors else matrix_of_values)(context, outcomes)
        notes = [found.how]
        if found.pairs:
            notes[0] += " The lower triangle, in italics or grey, repeats the upper."
        if found.test:
            notes.append(found.note_on_stars(titles, outcomes))
        notes += filter(None, (left_out, own_rows_note(context.config)))
        if of_errors and outcomes.repeats > 1:
            notes.append(
                f"Mean ± standard deviation of the probability over {outcomes.repeats} splits"
                + ("; the sign test compares mean risks." if found.test else ".")
            )
        if found.words:
            notes.append(
                "† marks a printed probability outside the interval in which that of one further "
                f"split falls with probability {COVERAGE:g} (Student's t)."
            )
        return Table(
            f"{context.config.title}: pairwise comparisons{outcomes.by_metric}",
            ("", *(titles[c] for c in found.order)),
            found.rows(titles),
            tuple(notes),
            found.header,
            found.data_rows(),
        )

    def verdicts(self, context: Context[str], outcomes: Outcomes) -> Verdicts:
        """Return where each printed probability of the upper triangle lies among our splits."""
        printed, outcomes = context.printed(context.option), outcomes.tested()
        known = [c for c in printed.columns if c in context.titles]
        pairs = (pair for pair in combinations(known, 2) if printed.text(*pair))
        return _placed(printed, {(a, b): probabilities(outcomes, a, b) for a, b in pairs})


COMPARISONS = ComparisonsKind()
