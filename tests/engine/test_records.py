from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.config.cell import key_of
from quadrepro.engine.records import Record, from_json, pack, pack_margins, to_json

CONTENT = {"algorithm": "AdaBoost", "grid": [["n_rounds", [1, 2]]]}
RECORD = Record(
    key_of(CONTENT),
    "ok",
    errors=1,
    n_test=3,
    chosen={"lam": 0.1},
    cv_errors=2,
    wrong="20",
    margins=pack_margins(np.array([0.5, -1.0])),
    measures={"c_bound": [0.5, float("nan")]},
    seconds=1.5,
    content=CONTENT,
)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_wrong_examples_survive_packing(wrong: list[bool]) -> None:
    record = Record("k", "ok", n_test=len(wrong), wrong=pack(np.array(wrong)))
    assert record.wrong_examples().tolist() == wrong


def test_a_record_survives_being_written() -> None:
    found = from_json(to_json(RECORD))
    assert np.isnan(found.measures["c_bound"][1])
    assert replace(found, measures={}) == replace(RECORD, measures={})
    assert from_json(to_json(Record(RECORD.key, "failed", content=CONTENT))).status == "failed"
    regression = replace(RECORD, rmse=0.25, errors=0, wrong="")
    assert from_json(to_json(regression)).rmse == 0.25


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"key": "0" * 64}, "key: not that of its content"),
        ({"content": {**CONTENT, "version": 2}}, "key: not that of its content"),
        ({"status": "fine"}, "status: "),
        ({"errors": -5}, "errors: "),
        ({"errors": "1"}, "errors: "),
        ({"errors": 4}, "errors: 4 of 3 test examples"),
        ({"errors": 2}, "errors: 2, but wrong"),
        ({"n_test": 0}, "n_test: no test examples"),
        ({"n_test": 9}, "wrong: not the outcomes of 9 test examples"),
        ({"wrong": "2"}, "wrong: "),
        ({"wrong": "zz"}, "wrong: "),
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


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"[" * 5000, b"\xff"])
def test_a_text_that_is_no_record_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(text)
