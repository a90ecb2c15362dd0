from __future__ import annotations

import sys
from types import ModuleType

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from quadrepro.papers.claims.claim import Function, Judgement
from quadrepro.papers.claims.evidence import Evidence
from tests.papers.measured import errors_of

FIELDS = {"kind": "function", "text": "t", "function": "judge_all", "settings": {"least": 2}}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module with one function."""

    def judge_all(evidence: Evidence, least: int) -> Judgement:
        return Judgement(f"{len(evidence.rows)} rows", len(evidence.rows) >= least)

    found = ModuleType("papers_of_a_test")
    found.judge_all = judge_all  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, found.__name__, found)
    return found.__name__


def test_the_function_judges_the_evidence_with_its_settings(module: str) -> None:
    claim = Function.model_validate(FIELDS, context={"module": module})
    claim.prepare()
    assert claim.judge(errors_of({"a": [[1], [2]]})) == ("2 rows", True)
    assert claim.judge(errors_of({"a": [[1]]})) == ("1 rows", False)


def test_a_function_that_is_not_there_is_refused_with_the_nearest(module: str) -> None:
    fields = {**FIELDS, "function": "judge_al"}
    claim = Function.model_validate(fields, context={"module": module})
    with pytest.raises(PydanticCustomError, match="no function 'judge_al'; did you mean 'judge_al"):
        claim.prepare()


@pytest.mark.parametrize("context", [None, {}, {"module": ""}])
def test_nothing_of_a_users_own_folder_is_run(context: dict[str, str] | None) -> None:
    with pytest.raises(ValidationError, match="a folder of your own holds no code that is run"):
        Function.model_validate(FIELDS, context=context)


def test_a_module_is_loaded_only_when_its_claim_is_judged() -> None:
    context = {"module": "quadrepro.papers.nowhere.claims"}
    claim = Function.model_validate(FIELDS, context=context)
    with pytest.raises(ModuleNotFoundError):
        claim.prepare()
