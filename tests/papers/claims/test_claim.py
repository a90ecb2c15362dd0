from __future__ import annotations

import pytest
from pydantic import ValidationError

from quadrepro.papers.claims.claim import Claim, by_row, everywhere, joint_p
from quadrepro.papers.claims.differences import SignificantlyBetter, TimesFaster

FIELDS = {"kind": "k", "text": "t", "of": "ada", "than": "quad"}


def test_names_are_checked_against_those_that_are_known() -> None:
    known = {"algorithms": ["ada", "quad"]}
    claim = SignificantlyBetter.model_validate(FIELDS, context=known)
    assert (claim.of, claim.than) == ("ada", "quad")
    with pytest.raises(ValidationError, match="no algorithm 'qaud'; did you mean 'quad'") as caught:
        SignificantlyBetter.model_validate({**FIELDS, "than": "qaud"}, context=known)
    assert caught.value.errors()[0]["loc"] == ("than",)
    # Without a paper every name is taken as it is.
    assert SignificantlyBetter.model_validate(FIELDS).than == "quad"


def test_a_claim_is_about_all_rows_by_default() -> None:
    claim = SignificantlyBetter.model_validate(FIELDS)
    assert (claim.rows, claim.excluded) == ((), ())
    some = SignificantlyBetter.model_validate({**FIELDS, "rows": ["a"], "except": ["b"]})
    assert (some.rows, some.excluded) == (("a",), ("b",))


def test_claims_on_times_say_so() -> None:
    timed = TimesFaster.model_validate({**FIELDS, "times": 2})
    assert (timed.timed, timed.label) == (True, "t (measured time)")
    plain = SignificantlyBetter.model_validate(FIELDS)
    assert (plain.timed, plain.label) == (False, "t")


def test_one_algorithm_needs_no_list() -> None:
    known = {"algorithms": ["ada", "quad"]}
    for of in ("ada", ["ada"]):
        fields = {**FIELDS, "of": of, "times": 2}
        assert TimesFaster.model_validate(fields, context=known).of == ("ada",)
    with pytest.raises(ValidationError, match="at least 1 item"):
        TimesFaster.model_validate({**FIELDS, "of": [], "times": 2}, context=known)


@pytest.mark.parametrize(
    ("at_least", "p"), [(1, 0.04), (2, 3 * 0.02), (3, 2 * 0.3), (4, 0.5), (5, 1.0)]
)
def test_tests_together_show_some_of_their_alternatives(at_least: int, p: float) -> None:
    # Holm's least adjusted p-value, and those that remain when others are taken for true.
    assert joint_p([0.3, 0.01, 0.5, 0.02], at_least) == pytest.approx(p)
    assert joint_p([0.7, 0.8]) == 1


def test_a_claim_must_say_something() -> None:
    with pytest.raises(ValidationError, match="at least 1 character"):
        Claim(kind="k", text="")


def test_what_must_hold_everywhere_fails_with_one_row() -> None:
    assert everywhere({"x": ("1", True)}) == ("1", True)
    assert everywhere({"x": ("1", True), "y": ("2", False)}) == ("x: 1; y: 2", False)
    assert (by_row({"x": "1"}), by_row({"x": "1", "y": "2"})) == ("1", "x: 1; y: 2")
