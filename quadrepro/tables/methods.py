"""Methods ranked by scores: tables of methods and pairs, a sentence, and a diagram of mean ranks.

The critical-difference diagram of Demšar (2006) joins by Nemenyi's test; this one joins methods
that the deciding test does not separate, and its bar of the critical difference is an option.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, inf, isinf, isnan
from pathlib import Path

from quadrepro import stats
from quadrepro.base.text import few
from quadrepro.stats import Comparison, Ranking, critical_difference, p_text
from quadrepro.tables.figure import COLOURS, new_figure
from quadrepro.tables.render import MISSING, CsvField, Entry, Table, decimals, number_text

MOST_PAIRS = 30
"""Maximum number of pairs in the table to read; the CSV has all."""

LONGEST = 400
"""Maximum number of characters of the closing sentence."""

CROWDED = ((5, LONGEST), (4, LONGEST), (3, LONGEST), (2, LONGEST), (1, LONGEST), (1, 28), (1, 14))
"""Number of names in a list, and of characters of a name, from the fullest sentence on."""

MOST_DIGITS = 12
"""Maximum number of decimals of a difference."""

HUGE = 1e12
"""Ratios from this on are of errors of 0, and shown as infinite."""

COUNTS = "wins–ties–losses"
"""Title of the column of rows on which a method is better, equal and worse."""

PAIRS_HEADER = (
    *("method", "against", "mean rank", "mean rank against", "difference", "low", "high"),
    *("wins", "ties", "losses", "p", "p adjusted", "winner", "immaterial"),
)


AXIS = 4.2
"""Length of the axis of ranks in inches."""

LETTER_OF_NAME = 0.075
"""Width of a letter of a name in inches, with some margin."""

LINE, BAR, TOP, MARGIN = 0.24, 0.13, 0.75, 0.15
"""Inches from name to name, from bar to bar, above the axis, and at the edges."""

TICKS = 12
"""Maximum number of labelled ranks."""


@dataclass(frozen=True)
class Scale:
    """How scores and their differences are shown."""

    quantity: str = "score"
    """Name of the scores."""
    greater_is_better: bool = False
    """Whether the highest score is the best."""
    percent: bool = False
    """Whether scores are shares, whose differences are in percentage points."""
    ratio: bool = False
    """Whether ratios of scores are compared, so that a mean over data sets has no meaning."""
    rows: str = "data sets"
    """Name of the rows, in the plural."""

    def score(self, value: float) -> str:
        """Return a score for reading."""
        return number_text(value, 3 if self.percent else decimals([value]))

    @property
    def contrast(self) -> str:
        """Title of the column that compares two methods."""
        return "ratio" if self.ratio else "difference"

    @property
    def points(self) -> str:
        """The unit of differences, with a blank in front of it."""
        return " percentage points" * (self.percent and not self.ratio)

    def texts(self, *differences: float, separates: bool = False) -> list[str]:
        """Return differences with the same number of decimals.

        If the test separates the methods, only "no difference" itself is rounded to it.
        """
        if self.percent and not self.ratio:
            # The interval of a test can go beyond what shares allow.
            percents = [100 * min(max(x, -1.0), 1.0) for x in differences]
            digits = _digits(percents, 0.0, 1) if separates else 1
            return [number_text(x, digits) for x in percents]
        digits = decimals(differences, 3)
        if separates:
            digits = _digits(differences, 1.0 if self.ratio else 0.0, digits)
        too_large = HUGE if self.ratio else inf
        return [number_text(x, digits) if abs(x) < too_large else "∞" for x in differences]

    def with_interval(self, c: Comparison) -> str:
        """Return the difference of a comparison with its interval."""
        if isinf(c.low) or isinf(c.high):
            return f"{self.texts(c.difference)[0]} [{MISSING}]"
        difference, low, high = self.texts(c.difference, c.low, c.high, separates=c.separates)
        # An end at "no difference" is left out of the interval of a significant one.
        same = 1.0 if self.ratio else 0.0
        left = "(" if c.separates and c.low == same else "["
        right = ")" if c.separates and c.high == same else "]"
        return f"{difference} {left}{low}, {high}{right}"


def _digits(values: Sequence[float], same: float, digits: int) -> int:
    """Return the least number of decimals, from `digits` on, that keep values apart from `same`."""
    different = [x for x in values if stats.order(x, same)]
    while digits < MOST_DIGITS and any(round(x, digits) == same for x in different):
        digits += 1
    return digits


def methods_table(title: str, ranking: Ranking, titles: Mapping[str, str], scale: Scale) -> Table:
    """Return the table with one row per method, the best mean rank first."""
    rows, data = [], []
    digits = 3 if scale.percent else decimals(m.mean_score for m in ranking.methods)
    for method in ranking.methods:
        c = ranking.pairs.get((method.name, ranking.reference))
        entries = [Entry(method.mean_rank, digits=2)]
        if not scale.ratio:
            entries.append(Entry(method.mean_score, digits=digits))
        entries += _entries(c, scale) if c else [Entry(MISSING)] * 3
        fields = [method.name, method.mean_rank, method.mean_score, *numbers_of(c).values()]
        if not ranking.control:
            entries.append(Entry("yes" if method.in_best_group else "no"))
            fields.append(str(method.in_best_group).lower())
        rows.append((titles[method.name], tuple(entries)))
        data.append(tuple(fields))
    means = ["mean rank"] if scale.ratio else ["mean rank", f"mean {scale.quantity}"]
    counts, unit = f"{COUNTS} against {titles[ranking.reference]}", scale.points and " in"
    groups = [] if ranking.control else ["best group"]
    header = ("", *means, counts, f"{scale.contrast}{unit}{scale.points}", "p", *groups)
    columns = ("method", "mean rank", "mean score", *PAIRS_HEADER[4:], *groups)
    notes = tuple(_notes(ranking, titles, scale))
    return Table(title, header, tuple(rows), notes, columns, tuple(data))


def _entries(c: Comparison, scale: Scale) -> tuple[Entry, ...]:
    p_value = Entry(stats.rounded_p(c.p_adjusted), mark="*" * (c.winner is not None))
    return Entry(f"{c.wins}–{c.ties}–{c.losses}"), Entry(scale.with_interval(c)), p_value


def numbers_of(c: Comparison | None) -> dict[str, CsvField]:
    """Return the numbers of a comparison by the columns that they have in a CSV."""
    if c is None:
        return dict.fromkeys(PAIRS_HEADER[4:])
    ends, counts = (c.difference, c.low, c.high), (c.wins, c.ties, c.losses)
    values = *ends, *counts, c.p_value, c.p_adjusted, c.winner or "", str(c.immaterial).lower()
    return dict(zip(PAIRS_HEADER[4:], values, strict=True))


def pairs_table(title: str, ranking: Ranking, titles: Mapping[str, str], scale: Scale) -> Table:
    """Return the table of pairs: the first ones to read, and all in the CSV."""
    ranks = {method.name: method.mean_rank for method in ranking.methods}
    pairs, header = ranking.ordered_pairs, ("", COUNTS, scale.contrast, "p")
    note = f"The first {MOST_PAIRS} of {len(pairs)} pairs; the CSV has all."
    notes = (note,) if len(pairs) > MOST_PAIRS else ()
    rows = [(f"{titles[c.a]} – {titles[c.b]}", _entries(c, scale)) for c in pairs[:MOST_PAIRS]]
    data = tuple((c.a, c.b, ranks[c.a], ranks[c.b], *numbers_of(c).values()) for c in pairs)
    return Table(title, header, tuple(rows), notes, PAIRS_HEADER, data)


def _notes(ranking: Ranking, titles: Mapping[str, str], scale: Scale) -> list[str]:
    friedman, first = ranking.friedman, next(iter(ranking.pairs.values()))
    better = "higher" if scale.greater_is_better else "lower"
    # It is infinite if all rows rank the methods alike.
    f = "∞" if isinf(friedman.f_statistic) else f"{friedman.f_statistic:.2f}"
    operator = "over" if scale.ratio else "−"
    estimate = ", by Hodges and Lehmann" * (first.test == stats.WILCOXON)
    several = len(ranking.ordered_pairs) > 1
    at_step = "the interval at the level of the pair's step of that method"
    notes = [
        f"The {better} the {scale.quantity}, the better. Rank 1 is the best of a row, over "
        f"{ranking.n_rows} {scale.rows}.",
        f"* p ≤ {first.level:g}. p: {first.test}{_adjusted(ranking)}. A {scale.contrast} is the "
        f"{scale.quantity} of the row {operator} the other's{estimate}, with "
        f"{at_step if several else 'its interval'}: it excludes no difference exactly if the pair "
        f"has p ≤ {first.level:g}.",
    ]
    if first.test == stats.WILCOXON:  # the ranks of splits that share rows depend on each other
        notes[0] += (
            f" Friedman's test of no difference: χ² = {friedman.statistic:.2f}, "
            f"{p_text(friedman.p_value)}; as F by Iman and Davenport: {f}, "
            f"{p_text(friedman.f_p_value)}."
        )
    if not ranking.control:
        best = titles[ranking.reference]
        group = f"{best} and the methods that do not differ significantly from it"
        if ranking.alike != [m.name for m in ranking.methods if m.in_best_group]:
            group = "the methods that none of the best mean rank is significantly better than"
        notes[1] += f" Best group: {group}."
    if any(c.immaterial for c in ranking.pairs.values()):
        notes.append("Differences whose whole interval is within the rope do not matter: no star.")
    return notes


def _adjusted(ranking: Ranking) -> str:
    n_pairs = len(ranking.ordered_pairs)
    return f", adjusted for {n_pairs} pairs by Holm's method" * (n_pairs > 1)


def nemenyi_note(ranking: Ranking, level: float) -> str:
    """Return the critical difference of Nemenyi's test in a sentence."""
    critical = critical_difference(len(ranking.methods), ranking.n_rows, level)
    return (
        f"Nemenyi's test: mean ranks that are {critical:.2f} or more apart differ significantly "
        f"(p ≤ {level:g})."
    )


def within(build: Callable[[int, Mapping[str, str]], str], titles: Mapping[str, str]) -> str:
    """Return the longest text of at most `LONGEST` characters.

    `build` makes it from the number of methods that each list names, and from their titles, which
    are shortened if fewer names are not enough.
    """
    text = ""
    for most, longest in CROWDED:
        short = {name: t if len(t) <= longest else f"{t[:longest]}…" for name, t in titles.items()}
        text = build(most, short)
        if len(text) <= LONGEST:
            return text
    return f"{text[: LONGEST - 1]}…"


def closing_sentence(ranking: Ranking, titles: Mapping[str, str], scale: Scale) -> str:
    """Return a sentence on the best group and on the pairs that differ, in 400 characters."""
    return within(partial(_closing, ranking, scale), titles)


def _closing(ranking: Ranking, scale: Scale, most: int, titles: Mapping[str, str]) -> str:
    pairs, best = ranking.ordered_pairs, ranking.methods[0]
    immaterial = sum(c.immaterial for c in pairs)
    manner = "significantly and materially" if immaterial else "significantly"
    decided = [
        f"{titles[c.winner]} is better than {titles[c.loser]} ({p_text(c.p_adjusted)})"
        for c in pairs
        if c.winner and c.loser
    ]
    ties = [titles[m.name] for m in ranking.methods if not stats.order(m.mean_rank, best.mean_rank)]
    verb, reference = ("has", "it") if len(ties) == 1 else ("have", ties[0])
    text = f"{few(ties, most)} {verb} the best mean rank ({best.mean_rank:.2f})."
    group = [titles[name] for name in ranking.alike[1:]]
    if group and not ranking.control:
        text += f" Not {manner} different from {reference}: {few(group, most)}."
    if len(pairs) == 1:
        text = f"{decided[0]}." if decided else "The two are not significantly different."
    elif decided:
        verb = "differs" if len(decided) == 1 else "differ"
        text += f" {len(decided)} of {len(pairs)} pairs {verb} {manner}: {few(decided, most)}."
    else:
        text += f" No pair differs {manner}."
    if immaterial and len(pairs) == 1:
        text = "The difference is within the rope and immaterial."
    elif immaterial:
        text += f" Differences of {immaterial} pairs are within the rope and immaterial."
    rows = f"{ranking.n_rows} {scale.rows}"
    text += f" By {pairs[0].test} over {rows}{_adjusted(ranking)} (p ≤ {pairs[0].level:g})"
    return f"{text}; {rows} are too few for that." if ranking.too_few else f"{text}."


def behind(c: Comparison, scale: Scale) -> str:
    """Return by how much the first of two methods is worse than the second, with the interval."""
    if isnan(c.p_value):
        return ""
    if scale.ratio:
        return f"ratio {scale.with_interval(c)}"
    sign = -1.0 if scale.greater_is_better else 1.0
    ends = sorted(sign * x for x in (c.low, c.high))
    if isinf(ends[0]):
        return ""
    difference, low, high = scale.texts(sign * c.difference, *ends, separates=c.separates)
    return f"{difference}{scale.points}, interval {low} to {high}"


def draw_ranks(
    path: Path, ranking: Ranking, titles: Mapping[str, str], *, nemenyi: bool = False
) -> None:
    """Draw the diagram into a file.

    Each method has a line of its own to its name, the better half on the left. A thick bar with
    dots joins methods within which the deciding test separates no pair. With `nemenyi`, a bar above
    the axis has the length of the critical difference of mean ranks.
    """
    methods, level = ranking.methods, next(iter(ranking.pairs.values())).level
    n, half = len(methods), ceil(len(methods) / 2)
    ranks = [method.mean_rank for method in methods]
    names = [f"{titles[method.name]}  {method.mean_rank:.2f}" for method in methods[:half]]
    names += [f"{method.mean_rank:.2f}  {titles[method.name]}" for method in methods[half:]]
    left = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[:half]))
    right = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[half:]))
    groups = ranking.cliques()
    below = BAR * (len(groups) + 1)
    width, height = left + AXIS + right, TOP + below + LINE * half + MARGIN
    with new_figure(path, width, height) as figure:
        # Everything is placed in inches.
        panel = figure.add_axes((0, 0, 1, 1))
        panel.set(xlim=(0, width), ylim=(-(height - TOP), TOP))
        panel.axis("off")

        def x(rank: float) -> float:
            return left + AXIS * (rank - 1) / (n - 1)

        panel.plot((left, left + AXIS), (0, 0), color="black", linewidth=1)
        for tick in range(1, n + 1, ceil(n / TICKS)):
            panel.plot((x(tick),) * 2, (0, 0.07), color="black", linewidth=1)
            panel.text(x(tick), 0.1, str(tick), ha="center", va="bottom")
        critical = critical_difference(n, ranking.n_rows, level) if nemenyi else n
        if critical < n - 1:
            ends = (x(1), x(1 + critical))
            panel.plot(ends, (0.4, 0.4), color="black", linewidth=1.5)
            for end in ends:
                panel.plot((end, end), (0.36, 0.44), color="black", linewidth=1.5)
            text = f"Nemenyi's critical difference {critical:.2f}"
            panel.text(ends[0], 0.46, text, ha="left", va="bottom")
        for i, group in enumerate(groups, start=1):
            places = [x(ranks[member]) for member in group]
            y = -BAR * i
            panel.plot(places, (y,) * len(group), "-o", color=COLOURS[0], linewidth=2, markersize=4)
        for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
            on_left = i < half
            y = -below - LINE * (i if on_left else n - 1 - i)
            end = left - 0.05 if on_left else left + AXIS + 0.05
            panel.plot((x(rank), x(rank), end), (0, y, y), color="black", linewidth=0.8)
            place = end - 0.05 if on_left else end + 0.05
            panel.text(place, y, name, ha="right" if on_left else "left", va="center")
