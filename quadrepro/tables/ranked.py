"""Scores of methods that a user gives, and the table of a ranking, whoever gave the scores."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from quadrepro.data.canonical import number
from quadrepro.errors import DataError
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    N_DRAWS,
    SEED,
    Effect,
    Mean,
    Posterior,
    RankedPair,
    Ranking,
    differences,
    holm,
    p_text,
    rounded_p,
)
from quadrepro.tables.table import MISSING, Table, TableEntry, Value

HEADER = ("", "mean ranks", "Nemenyi", "ranks, Holm", "Wilcoxon, Holm", "shift")

DATA_HEADER = (
    *("method", "against", "dataset", "mean rank", "mean rank against"),
    *("nemenyi p", "rank p", "rank p Holm"),
    *("wilcoxon p", "wilcoxon p Holm"),
    *("shift", "shift low", "shift high"),
    *("better", "same", "worse"),
    *("mean difference", "corrected t p", "corrected t p Holm"),
    "friedman p",
)


NO_SCORE = frozenset({"", "na", "nan", "n/a", "-", "–"})
"""Texts for a missing score, in lower case."""


@dataclass(frozen=True)
class Scores:
    """Scores of methods."""

    methods: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[str, ...]
    """Name of each row in messages."""
    values: tuple[tuple[float, ...], ...]
    """The scores of each row; NaN where one is missing."""
    source: str = "scores"
    """Their origin."""
    of_rows: str = ""
    """Header of the names of the rows."""

    @property
    def gaps(self) -> list[str]:
        """Names of the rows in which a score is missing."""
        return [name for name, row in zip(self.rows, self.values, strict=True) if has_gap(row)]


def read_scores(path: Path) -> Scores:
    """Return the scores in a text file, whose first line names the methods.

    If the first column has no name, or none of its fields is a number, it names the rows. Empty
    fields, NA, NaN and dashes are missing scores. Commas can be decimal signs if other signs
    separate the fields.
    """
    from quadrepro.data.files import detect, read_file  # imports pandas

    layout = detect(path)
    frame = read_file(path, layout)
    names, body = frame.iloc[0].tolist(), frame.iloc[1:]
    if body.empty:
        raise DataError(f"{path}: a table of scores has a line of names and a line per data set")
    numbers = body.map(lambda field: _number(field, commas=layout.separator != ","))
    first = int(not names[0] or not np.isfinite(numbers[0]).any())
    methods = names[first:]
    for j, name in enumerate(methods):
        if not name or name in methods[:j]:
            fault = f"duplicate {name!r}" if name else "the column has no name"
            raise DataError(f"{path}, line {frame.index[0]}, column {first + j + 1}: {fault}")
    for i, j in np.argwhere(np.isinf(numbers.iloc[:, first:].to_numpy())):
        place = f"{path}, line {body.index[i]}, column {methods[j]!r}"
        raise DataError(f"{place}: {body.iloc[i, first + j]!r} is not a number such as 0.035")
    rows = [f"line {line}" for line in body.index]
    if first:
        rows = [f"{row} ({name})" for row, name in zip(rows, body[0], strict=True)]
    values = tuple(map(tuple, numbers.iloc[:, first:].to_numpy().tolist()))
    return Scores(tuple(methods), tuple(rows), values, str(path), names[0] if first else "")


def scores_of(scores: Any) -> Scores:
    """Return scores of any form that `rank` takes."""
    if isinstance(scores, str | Path):
        return read_scores(Path(scores))
    rows: Sequence[Any] = ()
    if hasattr(scores, "iloc"):
        first = scores.iloc[:, 0]
        named = first.dtype.kind not in "iufb"
        rows = list(first if named else scores.index)
        scores = scores.iloc[:, 1:] if named else scores
    elif not isinstance(scores, Mapping):
        raise DataError(f"scores must be a file, a data frame or a mapping, not {type(scores)}")
    columns = {str(name): list(scores[name]) for name in scores}
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1:
        raise DataError(f"scores: every method must have the same number of scores: {sizes}")
    try:
        values = tuple(tuple(map(float, row)) for row in zip(*columns.values(), strict=True))
    except (TypeError, ValueError) as error:
        raise DataError(f"scores: not a table of numbers: {error}") from None
    return Scores(tuple(columns), tuple(map(str, rows or range(len(values)))), values)


def _number(text: str, *, commas: bool) -> float:
    """Return a finite number, NaN for a missing score, or infinity for anything else."""
    if text.lower() in NO_SCORE:
        return math.nan
    value = number(text)
    if value is None and commas:
        value = number(text, ",")
    return math.inf if value is None else value


BETTER_HIGHER = frozenset(
    ("acc", "accuracies", "accuracy", "auc", "auroc", "f1", "kappa", "precision", "recall")
)
BETTER_LOWER = frozenset(("err", "error", "errors", "loss", "mae", "mse", "rmse", "risk", "risks"))
"""Words for scores that are better when higher, and when lower."""

HIGH = 0.7
"""Median of shares above which they look like accuracies."""


def doubt_of_direction(scores: Scores, *, higher_is_better: bool) -> str:
    """Return why the other direction may be the better one, or an empty text.

    Words count in the name of the file, above the names of the rows, or in the name of each method.
    """
    named: set[str] = set()
    for names in ((Path(scores.source).stem,), (scores.of_rows,), scores.methods):
        named |= set.intersection(*(set(re.findall("[a-z]+1?", name.lower())) for name in names))
    if higher_is_better:
        best, turn, fitting, doubtful = "highest", "leave out", BETTER_HIGHER, BETTER_LOWER
    else:
        best, turn, fitting, doubtful = "lowest", "give", BETTER_LOWER, BETTER_HIGHER
    values = [x for row in scores.values for x in row if not math.isnan(x)]
    middle, unit = median(values), 1 if max(values) <= 1 else 100
    shares = min(values) >= 0 and max(values) <= unit
    if named & fitting:
        return ""
    if words := named & doubtful:
        reason = f"The word {min(words)!r} is in the names"
    elif shares and middle > HIGH * unit and not higher_is_better:
        reason = f"The scores look like accuracies (median {middle:.2g})"
    else:
        return ""
    option = "--higher-is-better (higher_is_better=True)"
    return f"{reason}, and the {best} counts as the best. If it is the worst, {turn} {option}."


def has_gap(row: Sequence[float]) -> bool:
    """Return whether a score is missing."""
    return any(map(math.isnan, row))


@dataclass(frozen=True)
class Splits:
    """Risks of all methods on splits of one data set."""

    dataset: str
    """Its name."""
    risks: Mapping[str, Sequence[float | Fraction]]
    """Risks of each method, one per split and in the same order."""
    test_share: float
    """Share of the examples that is tested in a split."""


@dataclass(frozen=True)
class ComparedSplits:
    """Two methods on splits of one data set."""

    mean_difference: float  # of the corrected resampled t-test
    low: float  # ends of an interval that holds for all pairs together
    high: float
    p_value: float
    p_holm: float  # adjusted for the pairs on the data set
    posterior: Posterior


def compare_splits(splits: Splits, rope: float) -> dict[tuple[str, str], ComparedSplits]:
    """Return the comparison of every pair of methods on splits of one data set, in both orders."""
    pairs = list(combinations(splits.risks, 2))
    apart = (differences(splits.risks[a], splits.risks[b]) for a, b in pairs)
    means = [Mean.of(values, splits.test_share) for values in apart]
    found = {}
    for (a, b), mean, p in zip(pairs, means, holm(m.p_value() for m in means), strict=True):
        post = mean.posterior(rope)
        # By Bonferroni's method: without 0 only where Holm's tells the pair apart.
        low, high = mean.interval(LEVEL / len(pairs))
        found[a, b] = ComparedSplits(mean.value, low, high, mean.p_value(), p, post)
        turned = Posterior(post.worse, post.same, post.better)
        found[b, a] = ComparedSplits(-mean.value, -high, -low, mean.p_value(), p, turned)
    return found


def ranking_table(
    title: str,
    ranking: Ranking,
    titles: Mapping[str, str],
    splits: Sequence[Splits] = (),
    *,
    higher_is_better: bool = False,
    quantity: str = "",
    rows: str = "data sets",
    left_out: str = "",
) -> Table:
    """Return the table of a ranking."""
    sign = -1.0 if higher_is_better else 1.0
    quantity = quantity or ("score" if higher_is_better else "risk")
    direction = f"The {'higher' if higher_is_better else 'lower'} the {quantity}, the better."
    compared = {of.dataset: compare_splits(of, ranking.rope) for of in splits}
    ranks = dict(zip(ranking.methods, ranking.mean_ranks, strict=True))
    body, data = [], []
    for pair in ranking.pairs:
        on_splits = {name: found[pair.a, pair.b] for name, found in compared.items()}
        entries = [*_entries(pair, ranks, ranking.rope, sign), *_counts(on_splits)]
        body.append((f"{titles[pair.a]} – {titles[pair.b]}", tuple(entries)))
        data.append((*_numbers(pair, ranks, sign), ranking.friedman.p_value))
        data += [_of_splits(pair, name, found, sign) for name, found in on_splits.items()]
    probabilities = "better / same / worse" if ranking.rope else "better / worse"
    return Table(
        title,
        (*HEADER, probabilities, *(["corrected t"] if splits else [])),
        tuple(body),
        (
            f"{direction} {_mean_ranks(ranking, titles, rows)}",
            *_notes(ranking, quantity),
            *_notes_on_splits(len(splits)),
            *([f"Left out: {left_out}."] if left_out else []),
        ),
        DATA_HEADER,
        tuple(data),
    )


def no_ranking(title: str, reason: str) -> Table:
    """Return the table that stands where methods cannot be ranked."""
    return Table(title, (*HEADER, "better / same / worse"), (), (reason,), DATA_HEADER)


def _entries(
    pair: RankedPair, ranks: Mapping[str, float], rope: float, sign: float
) -> tuple[TableEntry, ...]:
    post = pair.posterior
    chances = (post.better, post.same, post.worse) if rope else (post.better, post.worse)
    return (
        TableEntry(f"{ranks[pair.a]:.2f}, {ranks[pair.b]:.2f}"),
        *map(_p_entry, (pair.nemenyi_p, pair.rank_p_holm, pair.wilcoxon_p_holm)),
        TableEntry(_interval(_turned(pair.shift, sign))),
        TableEntry(" / ".join(f"{chance:.2f}" for chance in chances)),
    )


def _p_entry(p_value: float) -> TableEntry:
    return TableEntry(rounded_p(p_value), mark="*" if p_value <= LEVEL else "")


def _interval(effect: Effect) -> str:
    if effect.low == -float("inf"):
        return f"{_signed(effect.estimate)} [{MISSING}]"
    return f"{_signed(effect.estimate)} [{_signed(effect.low)}, {_signed(effect.high)}]"


def _signed(value: float) -> str:
    return f"{value:+.2g}" if value else "0"


def _turned(effect: Effect, sign: float) -> Effect:
    if sign > 0:
        return effect
    return Effect(0.0 - effect.estimate, 0.0 - effect.high, 0.0 - effect.low)


def _counts(on_splits: Mapping[str, ComparedSplits]) -> list[TableEntry]:
    """Return on how many data sets the first is better, not told apart, and worse."""
    if len(on_splits) == 1:
        return [_p_entry(found.p_holm) for found in on_splits.values()]
    told = [found for found in on_splits.values() if found.p_holm <= LEVEL]
    better = sum(found.mean_difference < 0 for found in told)
    counts = (better, len(on_splits) - len(told), len(told) - better)
    return [TableEntry(" / ".join(map(str, counts)))] if on_splits else []


def _numbers(pair: RankedPair, ranks: Mapping[str, float], sign: float) -> tuple[Value, ...]:
    shift = _turned(pair.shift, sign)
    return (
        *(pair.a, pair.b, "", ranks[pair.a], ranks[pair.b]),
        *(pair.nemenyi_p, pair.rank_p, pair.rank_p_holm),
        *(pair.wilcoxon_p, pair.wilcoxon_p_holm),
        *(shift.estimate, shift.low, shift.high),
        *(pair.posterior.better, pair.posterior.same, pair.posterior.worse),
        *(None, None, None),
    )


def _of_splits(
    pair: RankedPair, dataset: str, found: ComparedSplits, sign: float
) -> tuple[Value, ...]:
    post = found.posterior
    return (
        *(pair.a, pair.b, dataset),
        *[None] * 10,
        *(post.better, post.same, post.worse),
        *(sign * found.mean_difference, found.p_value, found.p_holm),
        None,
    )


def _mean_ranks(ranking: Ranking, titles: Mapping[str, str], rows: str) -> str:
    """Return the mean ranks and the tests of all methods together."""
    friedman = ranking.friedman
    ranks = zip(ranking.methods, ranking.mean_ranks, strict=True)
    listed = ", ".join(f"{titles[name]} {rank:.2f}" for name, rank in ranks)
    return (
        f"Mean ranks over {ranking.n_datasets} {rows}, 1 for the best: {listed}. Friedman's test "
        f"of no difference: χ² = {friedman.statistic:.2f}, {p_text(friedman.p_value)}; as F by "
        f"Iman and Davenport: {_f_text(friedman.f_statistic, friedman.f_p_value, rows)}."
    )


def _f_text(statistic: float, p_value: float, rows: str) -> str:
    if math.isinf(statistic):
        by_chance = f"which has {p_text(p_value)} by chance"
        return f"infinite, because all {rows} rank the methods alike, {by_chance}"
    return f"{statistic:.2f}, {p_text(p_value)}"


def _notes(ranking: Ranking, quantity: str) -> tuple[str, ...]:
    rope, critical = ranking.rope, ranking.critical_difference
    within = f" by more than {rope:g}, differs by no more than that," if rope else ""
    return (
        f"\\* p ≤ {LEVEL:g}. Nemenyi: p-values of rank differences for all pairs together; mean "
        f"ranks that are {critical:.2f} or more apart differ significantly. Ranks, Holm: "
        "p-values of rank differences, adjusted for the number of pairs by Holm's method. "
        "Wilcoxon, Holm: the same of Wilcoxon's signed-rank test (ties by Pratt's rule).",
        f"Shift: {quantity} of the first less that of the second, "
        f"by the estimate of Hodges and Lehmann, with an interval of {100 * COVERAGE:g}%.",
        f"Probability that the first is better{within} or is worse, by the Bayesian signed-rank "
        f"test ({N_DRAWS:,} draws with seed {SEED}).",
    )


def _notes_on_splits(n_datasets: int) -> tuple[str, ...]:
    if not n_datasets:
        return ()
    test = "the corrected resampled t-test, adjusted by Holm's method for the pairs"
    if n_datasets == 1:
        return (
            f"Corrected t: p-value of {test}. The rows are resamples that share examples. The "
            "other tests take them as independent and find too much.",
        )
    return (
        "Corrected t: number of data sets on which the first is significantly better, is not told "
        f"apart, and is worse, by {test} of each data set.",
    )
