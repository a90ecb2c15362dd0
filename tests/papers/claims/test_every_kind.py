from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from quadrepro.papers.claims.evidence import Ours, Word
from tests.papers.measured import (
    AB,
    BA,
    LESS,
    MIRROR,
    MORE,
    NEAR,
    NINE,
    ONE_MORE,
    TEN,
    changed,
    errors_of,
    in_print,
    judge,
    overlapping,
    rows,
    splits,
    timed,
)

Errors = list[list[int]]

# Every word.

BY_SPLITS: list[tuple[str, dict[str, Any]]] = [
    ("lower", AB),
    ("higher", BA),
    ("lower", {**AB, "by": "paired-t"}),
    ("lowest-mean", {"of": "a", "at_least": 6}),
    ("rank", {"of": "a", "at_most": 1}),
]
BY_SIGNS: list[tuple[str, dict[str, Any]]] = [
    ("lower", {**AB, "by": "sign-test"}),
    ("significant-pairs", {"pairs": [["a", "b"]]}),
]
FOUR: tuple[Word, ...] = ("supported", "agrees", "disagrees", "refuted")


@pytest.mark.parametrize(
    ("claims", "pairs"),
    [
        (BY_SPLITS, [(LESS, MORE), (LESS, NEAR), (NEAR, LESS), (MORE, LESS)]),
        (BY_SIGNS, [(NINE, TEN), (ONE_MORE, TEN), (TEN, ONE_MORE), (TEN, NINE)]),
    ],
)
def test_a_better_one_gives_four_words_by_its_significance(
    claims: list[tuple[str, dict[str, Any]]], pairs: list[tuple[Errors, Errors]]
) -> None:
    for kind, keys in claims:
        words = [judge(errors_of({"a": a, "b": b}), kind, **keys).word for a, b in pairs]
        assert (*words,) == FOUR, kind


CASES: list[tuple[str, dict[str, Any], Errors, Errors, Word]] = [
    ("wins-or-ties", {**AB, "at_least": 8, "out_of": 8}, LESS, MORE, "undecided"),
    ("wins-or-ties", {**AB, "at_least": 6}, LESS, MORE, "supported"),
    ("wins-or-ties", {**AB, "at_least": 6}, LESS, NEAR, "agrees"),
    ("wins-or-ties", {**AB, "at_least": 6}, ONE_MORE, TEN, "disagrees"),
    ("wins-or-ties", {**AB, "at_least": 6}, MORE, LESS, "refuted"),
    ("lowest-mean", {"of": "a", "at_least": 7}, LESS, MORE, "undecided"),
    ("competitive", {**AB, "at_least": 6}, LESS, MORE, "supported"),
    ("competitive", {**AB, "at_least": 6}, NEAR, LESS, "agrees"),
    ("competitive", {**AB, "at_least": 7}, LESS, MORE, "undecided"),
    ("competitive", {**AB, "at_least": 6}, [*MORE[:1], *LESS[:5]], LESS, "disagrees"),
    ("competitive", {**AB, "at_least": 6}, MORE, LESS, "refuted"),
    ("not-better", AB, ONE_MORE, TEN, "agrees"),
    ("not-different", AB, ONE_MORE, TEN, "agrees"),
]


@pytest.mark.parametrize(("kind", "keys", "a", "b", "word"), CASES)
def test_each_kind_has_each_of_its_other_words(
    kind: str, keys: dict[str, Any], a: Errors, b: Errors, word: Word
) -> None:
    assert judge(errors_of({"a": a, "b": b}), kind, **keys).word == word


EXACT: list[tuple[str, dict[str, Any], str, str, Word]] = [
    ("lower", AB, "0.1", "0.2", "supported"),
    ("lower", AB, "0.1", "0.1", "refuted"),
    ("lower", {**AB, "points": 0.3}, "0.033", "0.030", "supported"),
    ("lower", {**AB, "points": 0.2}, "0.033", "0.030", "refuted"),
    ("higher", AB, "0.2", "0.1", "supported"),
    # One row is never significant.
    ("lower", {**AB, "by": "sign-test"}, "0.1", "0.2", "refuted"),
    ("wins-or-ties", {**AB, "at_least": 1}, "0.1", "0.1", "supported"),
    ("wins-or-ties", {**AB, "at_least": 1}, "0.2", "0.1", "refuted"),
    ("wins-or-ties", {**AB, "at_least": 2}, "0.1", "0.2", "undecided"),
    ("lowest-mean", {"of": "a", "at_least": 1}, "0.1", "0.2", "supported"),
    ("lowest-mean", {"of": "a", "at_least": 1}, "0.2", "0.1", "refuted"),
    ("rank", {"of": "a", "at_most": 1}, "0.2", "0.1", "refuted"),
    # Nor can it show that there is no difference.
    ("not-better", AB, "0.1", "0.2", "undecided"),
    ("not-different", AB, "0.1", "0.2", "undecided"),
    ("significant-pairs", {"pairs": [["a", "b"]]}, "0.1", "0.2", "refuted"),
]


@pytest.mark.parametrize(("kind", "keys", "a", "b", "word"), EXACT)
def test_a_claim_on_printed_numbers_is_true_of_them_or_not(
    kind: str, keys: dict[str, Any], a: str, b: str, word: Word
) -> None:
    assert judge(in_print({"a": [a], "b": [b]}), kind, **keys).word == word


def test_printed_numbers_are_significant_as_the_sign_test_finds_them() -> None:
    evidence = in_print({"a": ["0.1"] * 6, "b": ["0.2"] * 6})
    by_signs: dict[str, Any] = {"by": "sign-test"}
    assert judge(evidence, "lower", **AB, **by_signs).word == "supported"
    assert judge(evidence, "lower", **BA, **by_signs).word == "refuted"
    words = [judge(evidence, "not-better", **pair).word for pair in (AB, BA)]
    assert words == ["refuted", "supported"]
    assert judge(evidence, "not-different", **AB).word == "refuted"
    pairs = [[["a", "b"]], [["b", "a"]]]
    words = [judge(evidence, "significant-pairs", pairs=pair).word for pair in pairs]
    assert words == ["supported", "refuted"]
    alike = in_print({"a": ["0.1"] * 5 + ["0.3"], "b": ["0.2"] * 6})
    words = [judge(alike, kind, **AB).word for kind in ("not-better", "not-different")]
    assert words == ["supported", "supported"]


# Symmetry.

FEW = st.lists(st.integers(0, 30), min_size=2, max_size=6)
PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=12)


@given(PAIRS, st.sampled_from([0.0, 0.1, 0.5]))
def test_swapping_on_one_row_mirrors_the_word(pairs: list[tuple[int, int]], share: float) -> None:
    counts = {name: [[*side]] for name, side in zip("ab", zip(*pairs, strict=True), strict=True)}
    evidence = overlapping(errors_of(counts), share)
    equal = sum(a - b for a, b in pairs) == 0
    word = judge(evidence, "lower", **AB).word
    mirrored = "disagrees" if equal else MIRROR[word]
    assert judge(evidence, "lower", **BA).word == judge(evidence, "higher", **AB).word == mirrored
    # Equal errors share the better rank.
    ranks = [judge(evidence, "rank", of=name, at_most=1).word for name in "ab"]
    assert ranks[1] == ("agrees" if equal else MIRROR[ranks[0]])


@given(PAIRS)
def test_swapping_two_algorithms_over_rows_mirrors_the_word(pairs: list[tuple[int, int]]) -> None:
    a, b = (rows(*side) for side in zip(*pairs, strict=True))
    evidence = errors_of({"a": a, "b": b, "t": rows(*[10] * len(a))})
    no_winner = sum(np.sign(x - y) for x, y in pairs) == 0
    as_close = sum(abs(x - 10) - abs(y - 10) for x, y in pairs) == 0
    signs, two = {"by": "sign-test"}, {"among": ["a", "b"]}
    cases: list[tuple[str, dict[str, Any], dict[str, Any], bool]] = [
        ("lower", AB | signs, BA | signs, no_winner),
        ("significant-pairs", {"pairs": [[*"ab"]], **two}, {"pairs": [[*"ba"]], **two}, no_winner),
        ("closest", {"of": "a", "to": "t"}, {"of": "b", "to": "t"}, as_close),
    ]
    for kind, one, other, equal in cases:
        word, back = (judge(evidence, kind, **keys).word for keys in (one, other))
        # Neither of two equal algorithms is better.
        assert back == ("disagrees" if equal else MIRROR[word]), kind
    # Agreement is mutual, and significance has one side.
    word, back = (judge(evidence, "not-better", **keys).word for keys in (AB, BA))
    assert back == (MIRROR[word] if word in ("supported", "refuted") else word)
    for kind, keys in (("not-different", {}), ("equivalent", {"margin": 5})):
        assert judge(evidence, kind, **AB, **keys).word == judge(evidence, kind, **BA, **keys).word


@given(st.lists(st.tuples(FEW, FEW), min_size=2, max_size=5))
def test_swapping_mirrors_comparisons_with_a_third(
    pairs: list[tuple[list[int], list[int]]],
) -> None:
    n = min(len(side) for pair in pairs for side in pair)
    a, b = ([side[:n] for side in sides] for sides in zip(*pairs, strict=True))
    evidence = errors_of({"a": a, "b": b, "t": splits(*range(10, 10 + n), n_rows=len(a))})
    words = [
        judge(evidence, "worse-more-often", of=name, than="t", among=among).word
        for name, among in ("ab", "ba")
    ]
    worse = [sum(x > 10 + i for row in side for i, x in enumerate(row)) for side in (a, b)]
    assert words[1] == ("disagrees" if worse[0] == worse[1] else MIRROR[words[0]])


@pytest.mark.parametrize("n_rows", [1, 3])
def test_swapping_mirrors_what_the_paired_t_test_finds_on_most_rows(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b = rng.integers(0, 40, (2, n_rows, 6)) + rng.integers(0, 15, (2, 1, 1))
        if (a.sum(axis=1) == b.sum(axis=1)).any():
            continue
        evidence = errors_of({"a": a.tolist(), "b": b.tolist()})
        words = [judge(evidence, "lower", **pair, by="paired-t").word for pair in (AB, BA)]
        assert words[1] == MIRROR[words[0]], (a, b)


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=2, max_size=6))
def test_swapping_mirrors_which_is_faster(pairs: list[tuple[int, int]]) -> None:
    a, b = ([[float(x)] for x in side] for side in zip(*pairs, strict=True))
    words = [judge(timed({"a": a, "b": b}), "times-faster", **pair).word for pair in (AB, BA)]
    log_ratio = np.log(np.array(b) / np.array(a)).mean()
    if abs(log_ratio) > 1e-12:
        assert words[1] == MIRROR[words[0]]


# Equal methods.


def equal_methods(
    rng: np.random.Generator, names: str, n_rows: int, n_splits: int, n_test: int
) -> Ours:
    """Return evidence of methods that are equally good: half of their errors are common."""
    risks = rng.beta(2, 10, n_rows)[:, None]
    common = rng.binomial(n_test // 2, risks, (n_rows, n_splits))
    return errors_of(
        {
            name: (common + rng.binomial(n_test // 2, risks, (n_rows, n_splits))).tolist()
            for name in names
        },
        n_test,
    )


@pytest.mark.parametrize(
    ("kind", "keys", "names", "shape"),
    [
        ("closest", {"of": "a", "to": "t"}, "tab", (25, 1, 200)),
        ("closest", {"of": "a", "to": "t"}, "tab", (3, 1, 20)),
        ("lowest-mean", {"of": "a", "at_least": 3}, "ab", (12, 2, 20)),
        ("not-better", AB, "ab", (25, 1, 200)),
        ("lower", {**AB, "by": "sign-test"}, "ab", (25, 1, 200)),
        ("lower", AB, "ab", (1, 10, 100)),
        ("rank", {"of": "a", "at_most": 1}, "abc", (1, 5, 100)),
        ("wins-or-ties", {**AB, "at_least": 2}, "ab", (4, 3, 40)),
        ("significant-pairs", {"pairs": [["a", "b"]]}, "ab", (12, 1, 200)),
    ],
)
def test_equal_methods_are_seldom_supported(
    kind: str, keys: dict[str, Any], names: str, shape: tuple[int, int, int]
) -> None:
    rng, n = np.random.default_rng(1), 150
    words = Counter(judge(equal_methods(rng, names, *shape), kind, **keys).word for _ in range(n))
    # At a rate of 5%, one simulation in a hundred has more than this.
    assert words["supported"] <= binom.ppf(0.99, n, 0.05), words


def test_methods_that_are_equal_on_splits_of_one_data_set_are_seldom_supported() -> None:
    rng, n, words = np.random.default_rng(1), 100, Counter[Word]()
    for _ in range(n):
        # Each method gets a fifth of all rows wrong; the splits are halves of 200 rows.
        wrong = rng.random((2, 3, 200)) < 0.2
        halves = [rng.permutation(200)[:100] for _ in range(20)]
        a, b = ([[int(row[half].sum()) for half in halves] for row in side] for side in wrong)
        evidence = overlapping(errors_of({"a": a, "b": b}), 0.5)
        words[judge(evidence, "lower", **AB, by="paired-t").word] += 1
    assert words["supported"] <= binom.ppf(0.99, n, 0.05), words


# Metrics and units.

KEYS: dict[str, dict[str, Any]] = {
    "wins-or-ties": {**AB, "at_least": 3},
    "lowest-mean": {"of": "a", "at_least": 3},
    "rank": {"of": "a", "at_most": 1},
    "not-better": AB,
    "not-different": AB,
    "significant-pairs": {"pairs": [["a", "b"]]},
}


@pytest.mark.parametrize("kind", KEYS)
def test_the_better_one_by_a_metric_is_better_as_by_its_errors(kind: str) -> None:
    x, y = ["0.90", "0.95", "0.80", "0.70", "0.91", "0.62"], ["0.85", "0.94", "0.70"] * 2
    for numbers in ({"a": x, "b": y}, {"a": y, "b": x}):
        by_auc = judge(in_print(numbers, metric="auc"), kind, **KEYS[kind])
        by_accuracy = judge(in_print(numbers, metric="accuracy"), kind, **KEYS[kind])
        errors = {c: [f"{1 - float(text):.2f}" for text in texts] for c, texts in numbers.items()}
        by_error = judge(in_print(errors), kind, **KEYS[kind])
        assert by_accuracy == by_error
        assert by_auc == (by_error.text.replace("lowest", "highest"), by_error.word)


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        *KEYS.items(),
        ("lower", AB),
        ("lower", {**AB, "by": "sign-test"}),
        ("lower", {**AB, "points": 1.5}),
        ("equivalent", {**AB, "margin": 2.5}),
        ("closest", {"of": "a", "to": "t"}),
    ],
)
def test_percent_and_fractions_give_the_same_judgement(kind: str, keys: dict[str, Any]) -> None:
    numbers = {"a": "4.28 10.1 33 0.07", "b": "5.00 9.9 34 0.06", "t": "4 10 31 1"}
    percent = {name: texts.split() for name, texts in numbers.items()}
    fractions = {name: [str(Decimal(x) / 100) for x in xs] for name, xs in percent.items()}
    judgement = judge(in_print(percent, "percent"), kind, **keys)
    assert judgement == judge(in_print(fractions, "fraction"), kind, **keys)


NOISE = {"a": 0.1 + 0.2, "b": 0.3}
"""RMSEs that differ by rounding alone."""


@pytest.mark.parametrize("name", "ab")
def test_rounding_decides_no_claim(name: str) -> None:
    evidence = changed(
        errors_of(dict.fromkeys("abc", [[1]] * 6)),
        lambda record, row, column, split: replace(record, rmse=NOISE.get(column, 1.0)),
    )
    [than] = {*"ab"} - {name}
    pair = {"of": name, "than": than}
    assert judge(evidence, "not-better", **pair).text.startswith("0 wins, 0 losses, 6 ties, p = 1")
    significant = judge(evidence, "significant-pairs", pairs=[(name, "c"), (than, "c")])
    assert significant.word == "supported"
    assert judge(evidence, "wins-or-ties", **pair, at_least=6).text == "6 of 6 (0 wins, 6 ties)"
    assert judge(evidence, "competitive", **pair, at_least=6).word == "agrees"
    assert judge(evidence, "lowest-mean", of=name, at_least=6).word == "agrees"
    assert judge(evidence, "rank", of=name, at_most=1).word == "agrees"
    assert judge(evidence, "lower", **pair, points=0).word == "agrees"
    assert judge(evidence, "lower", **pair).word == "disagrees"
    assert judge(evidence, "closest", of=name, to="c").word == "disagrees"
    often = judge(evidence, "worse-more-often", **pair, among="c").text
    assert often.startswith(f"{name.upper()} worse on 0% of the splits, C on 100%")
