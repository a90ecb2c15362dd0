"""Audits of printed tables that are honest, or of which a number, a size or a spread is not."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from numpy.random import Generator

from calibration.learners import (
    BoolArray,
    folds,
    problem,
    random_splits,
    stratified_splits,
    wrong_of_majority,
    wrong_of_means,
)
from calibration.papers import (
    EVEN,
    UP,
    Lines,
    audited,
    changed_digit,
    errors,
    failed,
    mean_and_deviation,
    rounded,
)
from calibration.worlds import NEVER, Judgement, Outcome, World, at_most
from quadrepro.papers.printed import MEAN, MEAN_ROW
from quadrepro.stats import LEVEL, poisson_binomial_test

ROWS = 5
SHIFTS = (0.9, 0.7, 0.5)
"""Distances of the classes in the attributes of each learner."""

Protocol = Literal["split", "splits", "stratified", "folds", "pooled"]


def _tested(rng: Generator, protocol: Protocol, y: BoolArray, share: float) -> BoolArray:
    if protocol in ("folds", "pooled"):
        return folds(rng, len(y))
    if protocol == "stratified":
        return stratified_splits(rng, y, 20, share)
    n_splits = 1 if protocol == "split" else 20
    return random_splits(rng, len(y), n_splits, round(share * len(y)))


def honest(
    rng: Generator,
    dishonest: bool,
    *,
    protocol: Protocol,
    share: float = 0.1,
    digits: int = 2,
    half: str = UP,
    even_folds: bool = False,
    majority: bool = False,
    size_off: bool = False,
) -> tuple[Outcome, ...]:
    """Return which checks fail in a table of learners.

    A dishonest table has a number with another last digit and a column with deviations of two
    fifths, or stated sizes of test sets that are a tenth too large.
    """
    lines: Lines = {}
    n_test: dict[str, tuple[int, int]] = {}
    for row in (f"data {i}" for i in range(ROWS)):
        n = int(rng.integers(8, 25)) * 10 + (0 if even_folds else int(rng.integers(1, 10)))
        X, y = problem(rng, n, SHIFTS, share=0.35)
        tested = _tested(rng, protocol, y, share)
        size = X.shape[1] // len(SHIFTS)
        wrong = {
            f"means{i}": wrong_of_means(X[:, size * i : size * (i + 1)], y, tested)
            for i in range(len(SHIFTS))
        }
        if majority:
            wrong = {"majority": wrong_of_majority(y, tested)}
        if protocol == "split":
            risks = {c: w.sum() / tested.sum() for c, w in wrong.items()}
            lines[row] = {c: rounded(risk, digits, half) for c, risk in risks.items()}
        else:
            cells = {
                c: mean_and_deviation(w, tested, digits, half, pooled=protocol == "pooled")
                for c, w in wrong.items()
            }
            lines[row] = errors(cells)
        declared = round(float(tested.sum(axis=1).mean()))
        n_test[row] = declared + (dishonest and size_off) * max(1, round(declared / 10)), n
    if dishonest and not size_off:
        _tamper(rng, lines)
    facts: dict[str, Any] = {"n_test": n_test}
    if protocol in ("folds", "pooled"):
        facts["of"] = {"cv": len(tested)}
    elif protocol != "split":
        facts["of"] = {"splits": len(tested)}
    found = audited({"table": lines}, {"table": facts})
    return (
        bool(failed(found, "counts")),
        bool(failed(found, "ranges")),
        *([] if majority or protocol != "splits" else [bool(failed(found, "deviations"))]),
    )


def other_sizes(rng: Generator, dishonest: bool, **options: Any) -> Outcome:
    """Return whether counts fail where the stated sizes are right, or too large."""
    return honest(rng, dishonest, size_off=True, **options)[0]


def _tamper(rng: Generator, lines: Lines) -> None:
    """Change the last digit of a number, and shrink the deviations of its column."""
    row = list(lines)[int(rng.integers(len(lines)))]
    columns = [c for c in lines[row] if not c.endswith("_sd")]
    column = columns[int(rng.integers(len(columns)))]
    lines[row][column] = changed_digit(rng, lines[row][column])
    spread = column.removesuffix(MEAN) + "_sd"
    for of_row in lines.values():
        if spread in of_row:
            digits = len(of_row[spread].partition(".")[2])
            of_row[spread] = rounded(0.4 * float(of_row[spread]), digits)


def summaries(rng: Generator, dishonest: bool) -> tuple[Outcome, ...]:
    """Return whether means and bold numbers fail in a table of errors.

    In a dishonest one a number is a point off its mean, and bold is not the lowest.
    """
    numbers = rng.uniform(5, 40, (12, 1)) + rng.normal(0, 2, (12, 6))
    columns = "abcdef"
    means = numbers.mean(axis=0)
    if dishonest:
        numbers[0, 0] += 1
    lines = {
        f"data {i}": {c + MEAN: rounded(x, 2) for c, x in zip(columns, of, strict=True)}
        for i, of in enumerate(numbers)
    }
    bold = {}
    for row, of_row in lines.items():
        order = sorted({float(text) for text in of_row.values()})
        marked = order[1 if dishonest and row == "data 0" else 0]
        bold[row] = [c.removesuffix(MEAN) for c, text in of_row.items() if float(text) == marked]
    lines[MEAN_ROW] = {c + MEAN: rounded(x, 2) for c, x in zip(columns, means, strict=True)}
    found = audited({"table": lines}, {"table": {"bold": bold}})
    return tuple(bool(failed(found, key)) for key in ("means", "bold"))


def comparisons(rng: Generator, dishonest: bool) -> tuple[Outcome, ...]:
    """Return whether probabilities fail that come from the printed risks, or that do not.

    Dishonest ones are of other data sets, with one that is printed otherwise below the diagonal.
    """
    names = ["a", "b", "c"]
    sizes = rng.integers(40, 200, 8)
    risks = {"a": 0.1, "b": 0.2, "c": 0.15}
    wrong = [{c: rng.random(n) < risks[c] for c in names} for n in sizes]
    lines = {
        f"data {i}": {c: rounded(of[c].mean(), 3) for c in names} for i, of in enumerate(wrong)
    }
    if dishonest:
        swapped = {"a": "b", "b": "c", "c": "a"}
        wrong = [{c: of[swapped[c]] for c in names} for of in wrong]
    table: Lines = {a: {} for a in names}
    for a in names:
        for b in names:
            found = poisson_binomial_test([of[a] for of in wrong], [of[b] for of in wrong])
            table[a][b] = f"{found.probability:.2f}"
    if dishonest:
        table["b"]["a"] = f"{min(1.0, float(table['b']['a']) + 0.03):.2f}"
    n_test = {f"data {i}": int(n) for i, n in enumerate(sizes)}
    facts: dict[str, dict[str, Any]] = {
        "table": {"n_test": n_test},
        "pairs": {"holds": "comparisons", "compares": "table"},
    }
    result = audited({"table": lines, "pairs": table}, facts)
    return bool(failed(result, "pairs")), bool(failed(result, "sources"))


DIGIT, SHRUNK, SIZES = "one last digit changed", "deviations × 0.4", "sizes a tenth too large"


def _honest(setting: str, *, quick: bool = True, **options: Any) -> World:
    judgements = (
        Judgement("counts, some number fails", NEVER, DIGIT),
        Judgement("ranges, some number fails", NEVER),
        *(
            []
            if options.get("majority") or options["protocol"] != "splits"
            else [Judgement("deviations, some number fails unless", at_most(LEVEL), SHRUNK)]
        ),
    )
    draw = partial(honest, **options)
    half = ", halves to even" if options.get("half") is EVEN else ""
    return World(f"{ROWS} data sets, {setting}{half}", judgements, draw, 300, quick)


def _sizes(setting: str, **options: Any) -> World:
    judgement = Judgement("counts, some number fails", NEVER, SIZES)
    draw = partial(other_sizes, **options)
    return World(f"{ROWS} data sets, {setting}, other sizes", (judgement,), draw, 300)


HALVES, TENTHS = "20 random halves", "20 splits that test a tenth"

WORLDS = (
    *(
        _honest(
            f"one split that tests a half, fractions, {n} digit{'s' * (n > 1)}",
            protocol="split",
            share=0.5,
            digits=n,
            half=half,
            quick=n < 3,
        )
        for n, half in ((1, UP), (2, EVEN), (3, UP), (3, EVEN))
    ),
    *(
        _honest(
            f"{TENTHS}, percent, {n} digit{'s' * (n > 1)}",
            protocol="splits",
            digits=n,
            half=half,
            quick=half is EVEN,
        )
        for n, half in ((1, EVEN), (2, UP), (2, EVEN))
    ),
    _honest(f"{HALVES}, percent, 2 digits", protocol="splits", share=0.5, quick=False),
    _honest(f"{TENTHS}, stratified, percent, 2 digits", protocol="stratified", quick=False),
    _honest(f"{HALVES}, stratified, percent, 2 digits", protocol="stratified", share=0.5),
    *(
        _honest(
            f"10-fold cross-validation, {words}, percent, {n} digit{'s' * (n > 1)}",
            protocol="folds",
            even_folds=even,
            digits=n,
            half=half,
            quick=n == 1,
        )
        for words, even in (("equal folds", True), ("unequal folds", False))
        for n, half in ((1, UP), (2, EVEN))
    ),
    *(
        _honest(
            f"10-fold cross-validation, {words}, errors pooled, percent, 2 digits",
            protocol="pooled",
            even_folds=even,
            quick=not even,
        )
        for words, even in (("equal folds", True), ("unequal folds", False))
    ),
    _honest(f"majority rule, {HALVES}", protocol="splits", share=0.5, majority=True, quick=False),
    _honest(f"majority rule, {TENTHS}", protocol="splits", majority=True),
    _honest(
        f"majority rule, {HALVES}, stratified", protocol="stratified", share=0.5, majority=True
    ),
    _honest(
        "majority rule, 10-fold cross-validation, equal folds",
        protocol="folds",
        even_folds=True,
        majority=True,
    ),
    _sizes("one split that tests a half, 3 digits", protocol="split", share=0.5, digits=3),
    _sizes(f"{TENTHS}, percent, 2 digits", protocol="splits"),
    World(
        "12 data sets, 6 columns, errors in percent",
        (
            Judgement("means, some fails", NEVER, "a number a point off"),
            Judgement("bold, some fails", NEVER, "the second lowest is bold"),
        ),
        summaries,
        1000,
    ),
    World(
        "3 learners, 8 data sets of 40 to 200 examples",
        (
            Judgement("pairs, some fails", NEVER, "0.03 off"),
            Judgement("sources, some fails", NEVER, "learners exchanged"),
        ),
        comparisons,
        500,
    ),
)
"""All worlds of audits."""
