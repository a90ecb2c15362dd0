"""Claims, and the numbers that they are judged on: ours, from records, or the printed ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pkgutil import resolve_name
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from quadrepro.base.models import Model, fault, known_by
from quadrepro.base.types import FloatArray
from quadrepro.base.yaml import Place
from quadrepro.core.measures.names import MEASURES
from quadrepro.data.schema import WrittenValues
from quadrepro.errors import nearest
from quadrepro.papers.printed import SD, TIME_ROW, Printed
from quadrepro.stats import LEVEL, Mean, sign_test_power

if TYPE_CHECKING:
    from quadrepro.engine.outcomes import Outcomes
    from quadrepro.engine.records import Record

QuantityName = Literal["error", "margin mean", "margin sd", "margin tail", "seconds"]
"""Compared quantity.

- "error": test error, RMSE, or the metric of the printed table;
- "margin mean", "margin sd": mean and standard deviation of the training margins;
- "margin tail": how far their lowest hundredth lies below their mean;
- "seconds": running time; of printed times the mean over all rows.
"""

Numbers = Sequence[float] | FloatArray
"""One number per split or row."""

ClaimWord = Literal["supported", "agrees", "undecided", "disagrees", "refuted"]
"""Judgement on a claim.

- supported: a test finds it, or the claim is about these very numbers and true of them;
- agrees: the numbers agree with it, but no test finds it;
- undecided: the numbers say neither, or some are missing;
- disagrees: the numbers disagree with it, but no test finds the contrary;
- refuted: a test finds the contrary, or it is not true of these very numbers.
"""

WORDS: tuple[ClaimWord, ...] = get_args(ClaimWord)
"""The judgements, from the best to the worst."""

ROUNDS = "n_rounds"
"""The hyper-parameter along which curves run by default."""

NO_SPLITS = "no splits to test over"
NO_VALUES = "no values to compare: no candidate has a solution"
NO_CURVE = "hyper-parameters are drawn or searched over, and do not give one curve"


class Lacking(Exception):  # noqa: N818 - a finding about the evidence rather than an error
    """A number that a claim needs is missing; the message is shown in the claims table."""


class NotInConfig(Lacking):
    """It is missing because the config has no such row or algorithm."""


class NoSplits(Lacking):
    """There are fewer than two splits."""


POWER = 0.8
"""Probability with which a test finds the effect that is given as its power."""


def mean_of(values: Numbers, test_share: float = 0.0, least_sd: float = 0.0) -> Mean:
    """Return the mean of splits or rows; splits that test all examples have no error."""
    if len(values) < 2 or test_share >= 1:
        raise NoSplits(NO_SPLITS)
    return Mean.from_values(values, test_share, least_sd)


def joint_p(p_values: Iterable[float], at_least: int = 1) -> float:
    """Return the p-value of "fewer than this number of alternatives, at least one, are true"."""
    # The least p-value of those that are left when the others are taken for true, by Bonferroni.
    ascending, at_least = sorted(p_values), max(at_least, 1)
    if len(ascending) < at_least:
        return 1.0
    return min(1.0, (len(ascending) - at_least + 1) * ascending[at_least - 1])


def all_p(p_values: Iterable[float]) -> float:
    """Return the p-value of "some alternative is false": the largest, and 1 without any."""
    return max(p_values, default=1.0)


def one_sided(means: Sequence[Mean], at_least: int, limit: float = 0.0) -> tuple[float, float]:
    """Return the p-values of "this number of means is below the limit", and of its contrary."""
    p_for = joint_p((mean.p_below(limit) for mean in means), at_least)
    return p_for, joint_p((mean.p_above(limit) for mean in means), len(means) - at_least + 1)


class Curve(NamedTuple):
    """A measure along a hyper-parameter."""

    x: tuple[float, ...]
    """Values of the hyper-parameter; empty if the algorithm has none, which gives a level."""
    splits: FloatArray
    """The measure, shape (n_splits, n_values); NaN without a solution."""

    @property
    def mean(self) -> FloatArray:
        """Mean over the splits at each value."""
        return np.asarray(self.splits.mean(axis=0))

    @property
    def sd(self) -> FloatArray:
        """Standard deviation over the splits at each value; 0 with one split."""
        return np.asarray(self.splits.std(axis=0, ddof=min(1, len(self.splits) - 1)))

    def at(self, values: Sequence[float]) -> FloatArray:
        """Return the measure at some values, shape (n_splits, n_values); a level is constant."""
        return self.splits[:, [self.x.index(value) if self.x else 0 for value in values]]


@dataclass(frozen=True)
class Evidence(ABC):
    """Numbers by row and algorithm; asking for one that is missing raises `Lacking`."""

    rows: tuple[str, ...]
    """The rows that are compared."""
    names: Mapping[str, str]
    """The paper's name of each algorithm."""

    lacking: ClassVar[str]
    """The message if numbers are missing."""
    exact: bool = field(default=False, kw_only=True)
    """Whether claims are about these very numbers, so that no test is needed."""

    def word(self, agrees: bool | None, p_for: float = 1.0, p_against: float = 1.0) -> ClaimWord:
        """Return the judgement on a claim.

        Parameters
        ----------
        agrees : bool or None
            Whether the numbers agree with it; None if they say neither.
        p_for, p_against : float, default 1
            p-values of tests whose alternative is the claim, and its contrary.
        """
        if not self.exact and (p_for <= LEVEL) != (p_against <= LEVEL):
            return "supported" if p_for <= LEVEL else "refuted"
        if agrees is None:
            return "undecided"
        if self.exact:
            return "supported" if agrees else "refuted"
        return "agrees" if agrees else "disagrees"

    @abstractmethod
    def counted(self, row: str) -> bool:
        """Return whether the errors of a row are shares of examples."""

    @property
    def in_shares(self) -> bool:
        """Whether errors are shares of examples, whose differences are percentage points."""
        return all(map(self.counted, self.rows))

    @property
    @abstractmethod
    def greater_is_better(self) -> bool:
        """Whether the highest number of a row is the best."""

    def show(self, difference: float, sign: str = "-") -> str:
        """Return a difference of errors for reading."""
        return f"{100 * difference:{sign}z.2f}" if self.in_shares else f"{difference:{sign}.3g}"

    @property
    def points(self) -> str:
        """The unit of `show`, with a blank in front of it."""
        return " percentage points" if self.in_shares else ""

    def from_points(self, points: float) -> float:
        """Return a difference as ``paper.yaml`` gives it: shares are in percentage points there."""
        if points and len({*map(self.counted, self.rows)}) > 1:
            raise Lacking("shares and RMSEs have no common margin")
        return points / 100 if self.in_shares else points

    def label(self, algorithm: str) -> str:
        """Return the paper's name of an algorithm."""
        return self.names.get(algorithm, algorithm)

    def over(self, rows: Collection[str] = (), excluded: Collection[str] = ()) -> Self:
        """Return the evidence on some rows: on `rows`, if given, without `excluded`.

        A ``*`` in a name matches any text.
        """

        def matching(name: str) -> set[str]:
            return {row for row in self.rows if row == name or fnmatchcase(row, name)}

        groups = [matching(name) for name in rows or ("*",)]
        kept = set().union(*groups).difference(*map(matching, excluded))
        if not kept or not all(groups):
            raise NotInConfig(self.lacking)
        return replace(self, rows=tuple(row for row in self.rows if row in kept))

    def values(self, algorithm: str, quantity: QuantityName = "error") -> list[float]:
        """Return a quantity of an algorithm, one number per row; means over the splits."""
        return [self.value(row, algorithm, quantity) for row in self.rows]

    def losses(self, algorithm: str) -> list[float]:
        """Return the errors of an algorithm, or the metric, with the sign that makes low better."""
        sign = -1.0 if self.greater_is_better else 1.0
        return [sign * value for value in self.values(algorithm)]

    @abstractmethod
    def value(self, row: str, algorithm: str, quantity: QuantityName = "error") -> float:
        """Return a quantity on one row; the mean over the splits."""

    @abstractmethod
    def deviation(self, row: str, algorithm: str) -> float:
        """Return the standard deviation of the error over the splits, 0 with one split."""

    def per_split(self, row: str, algorithm: str, quantity: QuantityName = "error") -> list[float]:
        """Return a quantity on one row, one number per split."""
        raise NoSplits(NO_SPLITS)

    def mean(self, row: str, values: Numbers, counted: bool = False) -> Mean:
        """Return the mean of one number per split of a row, which count examples or not."""
        return mean_of(values)

    def sides(self, row: str, a: str, b: str, quantity: QuantityName = "error") -> FloatArray:
        """Return a quantity of two algorithms on one row, shape (2, n_splits)."""
        return np.array([self.per_split(row, name, quantity) for name in (a, b)])

    def differences(self, a: str, b: str, quantity: QuantityName = "error") -> list[Mean]:
        """Return the differences A - B on each row; nothing without splits."""
        try:
            gaps = {row: np.subtract(*self.sides(row, a, b, quantity)) for row in self.rows}
            return [self.mean(row, gap, quantity == "error") for row, gap in gaps.items()]
        except NoSplits:
            return []

    def losing(self, a: str, others: Sequence[str]) -> list[tuple[Mean, ...]]:
        """Return by how much A is worse than others on each row; nothing without splits."""
        pairs = [(b, a) if self.greater_is_better else (a, b) for b in others]
        means = [self.differences(*pair) for pair in pairs]
        return [*zip(*means, strict=True)] if all(means) else []

    def power(self, means: Sequence[Mean], quantity: QuantityName = "error") -> str:
        """Return `power_text` of tests of a quantity, with its unit."""
        if quantity == "error":
            return power_text(means, self.show) + self.points
        return power_text(means, "{:.2g}".format)

    def curve(self, row: str, algorithm: str, measure: str, along: str = ROUNDS) -> Curve:
        """Return a measure along a hyper-parameter or a measure, or the level of one without it."""
        raise Lacking(self.lacking)


@dataclass(frozen=True)
class Ours(Evidence):
    """Our numbers."""

    lacking = "cells missing"

    outcomes: Outcomes
    """The records."""
    instead: str = ""
    """A measure that takes the place of the test error."""

    def counted(self, row: str) -> bool:
        """Return whether the errors of a row are shares of examples."""
        return self.outcomes.counted(row)

    @property
    def greater_is_better(self) -> bool:
        """Whether the highest number of a row is the best."""
        return self.outcomes.greater_is_better

    def on_split(self, repeat: int) -> Self:
        """Return the evidence of one split, which claims are true of or not."""
        ours = self.outcomes
        records = {(r, c, 0): record for (r, c, i), record in ours.records.items() if i == repeat}
        grids = {(r, c, 0): grid for (r, c, i), grid in ours.grids.items() if i == repeat}
        measured = {(r, c, 0): value for (r, c, i), value in ours.measured.items() if i == repeat}
        outcomes = replace(ours, repeats=1, records=records, grids=grids, measured=measured)
        return replace(self, outcomes=outcomes, exact=True)

    def mean(self, row: str, values: Numbers, counted: bool = False) -> Mean:
        """Return the mean of one number per split of a row; splits can overlap."""
        least_sd = self.outcomes.resolution(row) if counted else 0.0
        return mean_of(values, self.outcomes.test_shares.get(row, 0.0), least_sd)

    def value(self, row: str, algorithm: str, quantity: QuantityName = "error") -> float:
        """Return a quantity on one row."""
        if quantity in _OF_MARGINS:
            margins = [_margins(record) for record in self._records(row, algorithm)]
            return _OF_MARGINS[quantity](np.concatenate(margins))
        return fmean(self.per_split(row, algorithm, quantity))

    def deviation(self, row: str, algorithm: str) -> float:
        """Return the standard deviation of the error over the splits, 0 with one split."""
        errors = self.per_split(row, algorithm)
        return stdev(errors) if len(errors) > 1 else 0.0

    def per_split(self, row: str, algorithm: str, quantity: QuantityName = "error") -> list[float]:
        """Return a quantity on one row, one number per split."""
        records = self._records(row, algorithm)
        if quantity == "seconds":
            return [record.seconds for record in records]
        if quantity != "error":
            return [_OF_MARGINS[quantity](_margins(record)) for record in records]
        if self.instead:
            return [_measured(record, self.instead)[0] for record in records]
        values = self.outcomes.values(row, algorithm)
        if len(values) < len(records):
            raise Lacking(self.lacking)
        return values

    def curve(self, row: str, algorithm: str, measure: str, along: str = ROUNDS) -> Curve:
        """Return a measure along a hyper-parameter, or along a count that is measured."""
        records = self._records(row, algorithm)
        splits = [_measured(record, measure) for record in records]
        counts = [record.measures[along] for record in records if along in record.measures]
        x = self.outcomes.values_along(row, algorithm, ROUNDS if counts else along)
        if x is None or any(len(split) != (len(x) or 1) for split in splits):
            raise Lacking(NO_CURVE)
        if counts:
            x = tuple(range(1, 1 + int(min(map(max, counts)))))
            splits = [
                [split[int(np.argmax(np.array(count) >= n))] for n in x]
                for split, count in zip(splits, counts, strict=True)
            ]
        return Curve(x, np.array(splits))

    def _records(self, row: str, algorithm: str) -> list[Record]:
        if row not in self.outcomes.rows or algorithm not in self.outcomes.columns:
            raise NotInConfig(self.lacking)
        records = self.outcomes.cell(row, algorithm)
        if not all(record.ok for record in records):
            raise Lacking(self.lacking)
        return records


@dataclass(frozen=True)
class InPrint(Evidence):
    """The printed numbers."""

    lacking = "not printed"
    exact: bool = field(default=True, kw_only=True)

    tables: tuple[Printed, ...]
    """Printed tables with the names of these rows, accuracies as errors."""

    def counted(self, row: str) -> bool:
        """Return whether errors are shares of examples, in all tables and so in any row."""
        facts = [table.facts for table in self.tables if table.facts.holds == "errors"]
        return all(fact.is_share and fact.metric == "error" for fact in facts)

    @property
    def greater_is_better(self) -> bool:
        """Whether the highest number of a row is the best."""
        return any(table.facts.greater_is_better for table in self.tables)

    def value(self, row: str, algorithm: str, quantity: QuantityName = "error") -> float:
        """Return a printed quantity."""
        place = TIME_ROW if quantity == "seconds" else row
        holds = "margins" if quantity in ("margin mean", "margin sd") else "errors"
        for table in self.tables if quantity != "margin tail" else ():
            column = algorithm + SD if quantity == "margin sd" else table.mean_column(algorithm)
            number = table.number(place, column)
            if table.facts.holds == holds and number is not None:
                return number
        raise Lacking(self.lacking)

    def deviation(self, row: str, algorithm: str) -> float:
        """Return the printed standard deviation of the error."""
        for table in self.tables:
            sd = table.number(row, algorithm + SD)
            if table.facts.holds == "errors" and sd is not None:
                return sd
        raise Lacking(self.lacking)


_OF_MARGINS: dict[str, Callable[[FloatArray], float]] = {
    "margin mean": lambda margins: float(margins.mean()),
    "margin sd": lambda margins: float(margins.std(ddof=1)),
    "margin tail": lambda margins: float(margins.mean() - np.quantile(margins, 0.01)),
}


def _measured(record: Record, measure: str) -> list[float]:
    if measure not in record.measures:
        raise Lacking(f"the config keeps no measure {measure!r}")
    return record.measures[measure]


def _margins(record: Record) -> FloatArray:
    if record.margins is None:
        raise Lacking("no training margins are kept")
    return record.margins


def with_interval(mean: Mean, show: Callable[[float], str]) -> str:
    """Return a mean with its interval of probability 1 - 2 `LEVEL`."""
    low, high = mean.interval(2 * LEVEL)
    return f"{show(mean.value)} [{show(low)}, {show(high)}]"


def power_text(means: Sequence[Mean], show: Callable[[float], str]) -> str:
    """Return the least and the largest effect that some test of several finds with `POWER`."""
    effects = sorted(mean.reach(LEVEL / len(means), POWER) for mean in means)
    ends = dict.fromkeys((show(effects[0]), show(effects[-1])))
    return f"power {POWER:g} at {' to '.join(ends)}"


SHARES = (0.6, 0.7, 0.8)
"""Shares of wins at which the power of the sign test is given."""


def power_of_signs(n: int) -> str:
    """Return how often a sign test over n rows would find an algorithm that wins more often."""
    power = ", ".join(f"{sign_test_power(n, share):.2f}" for share in SHARES)
    return f"power at {', '.join(f'{100 * share:.0f}' for share in SHARES)}% wins: {power}"


Algorithms = WrittenValues
"""One or several algorithms; one needs no list."""

MeasureName = Annotated[str, known_by(MEASURES.find)]
"""A measure of the registry."""


class Judgement(NamedTuple):
    """A judgement on a claim with its reasons."""

    text: str
    """The numbers that were compared."""
    word: ClaimWord
    """The judgement."""


class Claim(Model):
    """A sentence of a paper and how to judge it; every kind is a subclass."""

    timed: ClassVar[bool] = False
    """Whether it is judged on measured times, which are counted apart from numbers."""

    kind: str
    """Key of `quadrepro.papers.claims.CLAIMS`."""
    text: str = Field(min_length=1)
    """The sentence of the paper."""
    rows: tuple[str, ...] = ()
    """The rows it is about; by default all. A ``*`` in a name matches any text."""
    excluded: tuple[str, ...] = Field(default=(), alias="except")
    """Rows it is not about."""

    @property
    def label(self) -> str:
        """Its name in the claims table."""
        return f"{self.text} (measured time)" if self.timed else self.text

    def judge(self, evidence: Evidence) -> Judgement:
        """Judge the claim.

        Parameters
        ----------
        evidence : Evidence
            Our numbers or the printed ones, on the rows that the claim is about.

        Returns
        -------
        Judgement
            The compared numbers and a word.

        Raises
        ------
        Lacking
            If a number is missing.
        """
        raise NotImplementedError

    def judged_on(self, evidence: Evidence, absent: bool = True) -> Judgement:
        """Return the judgement, on the rows of the claim, also where numbers are missing.

        If it may not be `absent`, NotInConfig is raised where the config lacks the rows or
        algorithms.
        """
        try:
            return self.judge(evidence.over(self.rows, self.excluded))
        except Lacking as lacking:
            if isinstance(lacking, NotInConfig) and not absent:
                raise
            return Judgement(str(lacking), "undecided")

    def mistakes(
        self, algorithms: Collection[str], names: Collection[str]
    ) -> Iterator[tuple[Place, str]]:
        """Yield the mistakes in its algorithms, with their places.

        Parameters
        ----------
        algorithms : collection of str
            All algorithms of the paper.
        names : collection of str
            Those that are compared by default.
        """
        lists: dict[Place, tuple[str, ...]] = {}
        for attribute, info in type(self).model_fields.items():
            value, key = getattr(self, attribute), info.alias or attribute
            if key == "pairs":
                lists |= {("pairs", i): pair for i, pair in enumerate(value)}
            # The ends of a range of rounds are called from and to as well.
            elif key in ("of", "than", "to", "among") and isinstance(value, str | tuple):
                lists[key,] = (value,) if isinstance(value, str) else value
        first = lists.get(("of",), ())
        for place, listed in lists.items():
            for i, name in enumerate(listed):
                if name not in algorithms:
                    hint = nearest(name, algorithms)
                    yield (*place, i), f"the paper has no algorithm {name!r}{hint}"
            both = first + listed if place[0] in ("than", "to") else listed
            if same := {name for name in listed if both.count(name) > 1}:
                yield place, f"{min(same)!r} is compared with itself: name another"
        among = lists.get(("among",), ())
        compared = {*first, *lists.get(("than",), ()), *lists.get(("to",), ())}
        if ("among",) in lists and first and not {*(among or names)} - compared:
            alone = f"no other algorithm to compare {first[0]!r} with"
            yield ("among" if among else "of",), f"{alone}: list one in among, by default all names"


def checked_claim(text: str, holds: bool) -> Judgement:
    """Return the judgement on a claim that is about these very numbers."""
    return Judgement(text, "supported" if holds else "refuted")


def everywhere(parts: dict[str, tuple[str, bool]]) -> Judgement:
    """Return the judgement on a claim that must be true of every row's numbers."""
    text = by_row({row: text for row, (text, _) in parts.items()})
    return checked_claim(text, all(holds for _, holds in parts.values()))


def by_row(texts: dict[str, str]) -> str:
    """Return the text on each row, which is named if there are several."""
    return "; ".join(f"{row}: {text}" if len(texts) > 1 else text for row, text in texts.items())


class Function(Claim):
    """A claim that a function judges; only papers that ship with quadrepro have code."""

    kind: Literal["function"]
    """The kind."""
    function: str
    """Name of a function in ``__init__.py`` of the paper's folder; it takes the evidence and the
    settings, and returns a judgement."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the function."""

    _judge: Callable[..., Judgement] = PrivateAttr()

    @model_validator(mode="after")
    def _resolved(self, info: ValidationInfo) -> Self:
        """Find the function in the module of a paper that ships; other papers have none."""
        module = (info.context or {}).get("module")
        if module is None:
            message = "only papers that ship with quadrepro have code: use another kind of claim"
            raise fault(message, "function")
        self._judge = resolve_name(f"{module}:{self.function}")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the judgement of the function."""
        return self._judge(evidence, **self.settings)
