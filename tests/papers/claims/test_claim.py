from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.claims.claim import Claim, Function, Judgement, by_row, checked, everywhere
from quadrepro.papers.claims.evidence import Evidence
from tests.papers.measured import errors_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "papers.md"
ROWS = re.findall(r"^\| (`.*?) \| (.*?) \| .* \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def claim(kind: str, **keys: Any) -> Claim:
    return CLAIMS[kind].model_validate({"kind": kind, "text": "t", **keys})


def test_every_kind_is_documented_with_its_keys() -> None:
    documented = {
        kind: {*re.findall(r"`([a-z_]+)`", keys)}
        for kinds, keys in ROWS
        for kind in re.findall("`(.*?)`", kinds)
        if kind in CLAIMS
    }
    general = {*Claim.model_fields}
    assert documented == {
        kind: {
            info.alias or name for name, info in model.model_fields.items() if name not in general
        }
        for kind, model in CLAIMS.items()
    }


def test_claims_on_times_are_labelled() -> None:
    timed = claim("times-faster", of="a", than=["b"], times=2)
    assert (timed.timed, timed.label) == (True, "t (measured time)")
    plain = claim("not-better", of="a", than="b", rows=["x"], **{"except": ["y"]})
    assert (plain.timed, plain.label, plain.rows, plain.excluded) == (False, "t", ("x",), ("y",))


def test_one_algorithm_needs_no_list_and_none_is_too_few() -> None:
    alone, listed = (claim("lower", of=names, than="b") for names in ("a", ["a"]))
    assert alone == listed
    for wrong in ({"of": []}, {"text": ""}):
        with pytest.raises(ValidationError, match="at least 1"):
            claim("lower", **{"of": "a", "than": "b", **wrong})


def test_one_row_refutes_a_claim_on_every_row() -> None:
    assert everywhere({"x": ("1", True)}) == ("1", "supported")
    assert everywhere({"x": ("1", True), "y": ("2", False)}) == ("x: 1; y: 2", "refuted")
    assert (checked("1", True), checked("1", False)) == (("1", "supported"), ("1", "refuted"))
    assert (by_row({"x": "1"}), by_row({"x": "1", "y": "2"})) == ("1", "x: 1; y: 2")


FIELDS = {"kind": "function", "text": "t", "function": "judge_all", "settings": {"least": 2}}


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the context of a paper with one function."""

    def judge_all(evidence: Evidence, least: int) -> Judgement:
        return checked(f"{len(evidence.rows)} rows", len(evidence.rows) >= least)

    module = ModuleType("papers_of_a_test")
    module.judge_all = judge_all  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return {"module": module.__name__}


def test_the_function_judges_the_evidence_with_its_settings(context: dict[str, str]) -> None:
    claim = Function.model_validate(FIELDS, context=context)
    assert claim.judge(errors_of({"a": [[1], [2]]})) == ("2 rows", "supported")
    assert claim.judge(errors_of({"a": [[1]]})) == ("1 rows", "refuted")


@pytest.mark.parametrize("context", [None, {}])
def test_no_code_of_a_users_own_folder_is_run(context: dict[str, str] | None) -> None:
    with pytest.raises(ValidationError, match="only papers that ship with quadrepro have code"):
        Function.model_validate(FIELDS, context=context)
