from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.cell import key_of
from quadrepro.engine.records import (
    Record,
    count_different,
    from_json,
    pack_codes,
    pack_margins,
    pack_numbers,
    pack_scores,
    rmse,
    to_json,
    unpack_codes,
    unpack_numbers,
    unpack_scores,
)
from tests.outcomes import CLASSES, of_wrong

CONTENT = {"algorithm": "AdaBoost", "grid": [["n_rounds", [1, 2]]]}
RECORD = Record(
    key_of(CONTENT),
    "ok",
    errors=1,
    n_test=3,
    chosen={"lam": 0.1},
    cv_errors=2,
    **of_wrong([False, False, True]),
    scores=pack_scores(np.array([-1.0, 0.0, 2.0])),
    probabilities=pack_scores(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])),
    margins=pack_margins(np.array([0.5, -1.0])),
    measures={"c_bound": [0.5, float("nan")]},
    seconds=1.5,
    content=CONTENT,
)


NUMBERS = np.array([0.5, -1e300, 1 / 3])
REGRESSION = replace(
    RECORD,
    errors=0,
    rmse=rmse(NUMBERS, 2 * NUMBERS / 2 + 0.25),
    classes=(),
    actual=pack_numbers(NUMBERS + 0.25),
    predicted=pack_numbers(NUMBERS),
    scores="",
    probabilities="",
)
FOUR = replace(
    RECORD,
    errors=2,
    classes=("a", "b", "c", "d"),
    actual=pack_codes(np.array([0, 3, 1]), 4),
    predicted=pack_codes(np.array([0, 1, 3]), 4),
    scores=pack_scores(np.eye(4)[:3]),
    probabilities="",
)
MANY = replace(
    FOUR,
    classes=tuple(map(str, range(300))),
    actual=pack_codes(np.array([0, 1, 299]), 300),
    predicted=pack_codes(np.array([0, 2, 0]), 300),
    scores="",
)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_wrong_examples_are_those_of_another_class(wrong: list[bool]) -> None:
    record = Record("k", "ok", n_test=len(wrong), **of_wrong(wrong))
    assert record.wrong.tolist() == wrong


def test_what_is_kept_of_two_classes_is_read_again() -> None:
    assert RECORD.actual.tolist() == [0, 0, 0]
    assert RECORD.predicted.tolist() == [0, 0, 1]
    scores, probabilities = RECORD.scores, RECORD.probabilities
    assert scores is not None
    assert scores.tolist() == [-1.0, 0.0, 2.0]
    assert probabilities is not None
    np.testing.assert_allclose(probabilities, [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], rtol=1e-7)
    assert Record("k", "ok", n_test=3, **of_wrong([True] * 3)).scores is None


def test_what_is_kept_of_more_classes_is_read_again() -> None:
    assert FOUR.actual.tolist() == [0, 3, 1]
    assert FOUR.wrong.tolist() == [False, True, True]
    np.testing.assert_array_equal(FOUR.scores, np.eye(4)[:3])
    assert FOUR.probabilities is None


def test_numbers_are_kept_to_the_last_bit() -> None:
    assert REGRESSION.predicted.tobytes() == NUMBERS.tobytes()
    assert rmse(REGRESSION.predicted, REGRESSION.actual) == REGRESSION.rmse


def test_a_record_survives_being_written() -> None:
    found = from_json(to_json(RECORD))
    assert np.isnan(found.measures["c_bound"][1])
    assert replace(found, measures={}) == replace(RECORD, measures={})
    assert from_json(to_json(Record(RECORD.key, "failed", content=CONTENT))).status == "failed"
    for record in (REGRESSION, FOUR, MANY):
        found = from_json(to_json(record))
        assert replace(found, measures={}) == replace(record, measures={})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"key": "0" * 64}, "key: not that of its content"),
        ({"content": {**CONTENT, "version": 2}}, "key: not that of its content"),
        ({"status": "fine"}, "status: "),
        ({"errors": -5}, "errors: "),
        ({"errors": "1"}, "errors: "),
        ({"errors": 4}, "errors: 4 of 3 test examples"),
        ({"errors": 2}, "errors: 2, but another number"),
        ({"n_test": 0}, "n_test: no test examples"),
        ({"n_test": 9}, "actual: not the outcomes of 9 test examples"),
        ({"predicted": "IAAA"}, "predicted: not the outcomes of 3 test examples"),
        ({"predicted": "I==="}, "predicted: "),
        ({"actual": "I!=="}, "actual: "),
        ({"classes": ["a"]}, "classes: "),
        ({"classes": []}, "classes: "),
        ({"scores": RECORD.probabilities}, "scores: not the outcomes of 3"),
        ({"probabilities": RECORD.scores}, "probabilities: not the outcomes of 3"),
        ({"margins": "0000003f00"}, "margins: cut off"),
        ({"measures": {"c_bound": ["low"]}}, "measures.c_bound.0: "),
        ({"rmse": -1.0}, "rmse: "),
        ({"seconds": float("inf")}, "seconds: "),
        ({"surprise": 1}, "surprise: "),
        ({"chosen": []}, "chosen: "),
    ],
)
def test_a_record_that_no_cell_leaves_is_refused_by_field(
    change: dict[str, Any], fault: str
) -> None:
    text = json.dumps(asdict(RECORD) | change).encode()
    with pytest.raises(ValueError, match=f"^{fault}"):
        from_json(text)


@pytest.mark.parametrize(
    ("record", "change", "fault"),
    [
        (REGRESSION, {"rmse": 0.26}, "rmse: not that of what is predicted"),
        (REGRESSION, {"classes": CLASSES}, "classes: "),
        (REGRESSION, {"actual": REGRESSION.actual[:-4]}, "actual: "),
        (REGRESSION, {"scores": RECORD.scores}, "scores: "),
        (FOUR, {"classes": ("a", "b", "c")}, "scores: "),
        (FOUR, {"classes": ("a", "b", "c"), "scores": ""}, "predicted: there are only 3 classes"),
        (FOUR, {"errors": 1}, "errors: 1, but another number"),
        (FOUR, {"scores": "AAAAAA=="}, "scores: not the outcomes of 3"),
        *((FOUR, {"actual": text}, "actual: ") for text in ("", "AAA=", "AAAAAA==", "A===")),
        (MANY, {"predicted": pack_codes(np.array([0, 1, 299, 0]), 300)}, "predicted: "),
    ],
)
def test_a_record_of_numbers_or_more_classes_is_checked_as_well(
    record: Record, change: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ValueError, match=f"^{fault}"):
        from_json(to_json(replace(record, **change)))


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"[" * 5000, b"\xff"])
def test_a_text_that_is_no_record_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(text)


@given(st.sampled_from([2, 3, 256, 257, 65536]), st.integers(1, 40), st.integers(0, 2**32))
def test_codes_survive(n_classes: int, n: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(n_classes, size=n)
    text = pack_codes(codes, n_classes)
    assert unpack_codes(text, n, n_classes).tolist() == codes.tolist()


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_codes_that_differ_are_counted(pairs: list[tuple[bool, bool]]) -> None:
    texts = (pack_codes(np.array(side, dtype=int), 2) for side in zip(*pairs, strict=True))
    assert count_different(*texts) == sum(a != b for a, b in pairs)


@pytest.mark.parametrize(("n_classes", "size"), [(2, 100), (256, 800), (257, 1600)])
def test_codes_take_as_few_bytes_as_their_number_allows(n_classes: int, size: int) -> None:
    assert len(pack_codes(np.zeros(800, dtype=int), n_classes)) == -(-size // 3) * 4


@given(st.lists(st.floats(), min_size=1, max_size=9))
def test_numbers_survive_to_the_last_bit(numbers: list[float]) -> None:
    array = np.array(numbers)
    text = pack_numbers(array)
    assert unpack_numbers(text).tobytes() == array.tobytes()


@pytest.mark.parametrize("shape", [(5,), (5, 3)])
def test_scores_survive_in_single_precision(shape: tuple[int, ...]) -> None:
    scores = np.random.default_rng(0).normal(size=shape)
    text = pack_scores(scores)
    assert unpack_scores(text, 5).tolist() == scores.astype("<f4").tolist()


def test_a_score_beyond_single_precision_keeps_its_sign() -> None:
    scores = np.array([1e-200, -1e-200, 1e200, -1e200, 0.0])
    found = unpack_scores(pack_scores(scores), 5)
    assert (found > 0).tolist() == [True, False, True, False, False]
    assert found[2:4].tolist() == [np.inf, -np.inf]
