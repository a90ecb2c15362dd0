from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.engine.records import (
    count_different,
    holds_codes,
    holds_numbers,
    holds_scores,
    pack_codes,
    pack_numbers,
    pack_scores,
    unpack_codes,
    unpack_numbers,
    unpack_scores,
)


@given(st.sampled_from([2, 3, 256, 257, 65536]), st.integers(1, 40), st.integers(0, 2**32))
def test_codes_survive(n_classes: int, n: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(n_classes, size=n)
    text = pack_codes(codes, n_classes)
    assert unpack_codes(text, n, n_classes).tolist() == codes.tolist()
    assert holds_codes(text, n, n_classes)
    assert not holds_codes(text, n + 8, n_classes)


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
    assert holds_numbers(text, len(array))
    assert not holds_numbers(text, len(array) + 1)


@pytest.mark.parametrize("shape", [(5,), (5, 3)])
def test_scores_survive_in_single_precision(shape: tuple[int, ...]) -> None:
    scores = np.random.default_rng(0).normal(size=shape)
    text = pack_scores(scores)
    assert unpack_scores(text, 5).tolist() == scores.astype("<f4").tolist()
    assert holds_scores(text, scores.size)
    assert not holds_scores(text, scores.size - 1)


def test_a_score_beyond_single_precision_keeps_its_sign() -> None:
    scores = np.array([1e-200, -1e-200, 1e200, -1e200, 0.0])
    found = unpack_scores(pack_scores(scores), 5)
    assert (found > 0).tolist() == [True, False, True, False, False]
    assert found[2:4].tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("text", ["", "AAA=", "AAAAAA==", "A==="])
def test_a_text_of_another_length_is_found(text: str) -> None:
    assert not holds_scores(text, 3)
    assert not holds_codes(text, 3, 3)
