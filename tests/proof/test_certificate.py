from __future__ import annotations

import numpy as np
import pytest

from quadrepro.proof.certificate import TOLERANCES, Certificate, Quantity, Rounds


@pytest.mark.parametrize("quantity", TOLERANCES)
def test_a_deviation_above_its_tolerance_or_nan_is_a_fault(quantity: Quantity) -> None:
    tolerance = TOLERANCES[quantity]
    certificate = Certificate()
    certificate.measure(quantity, tolerance, "it")
    assert certificate.faults == []
    certificate.measure(quantity, 2 * tolerance, "it")
    certificate.measure(quantity, np.nan, "that")
    assert [fault.split()[0] for fault in certificate.faults] == ["it", "that"]
    assert certificate.worst[quantity] == np.inf


def test_the_slack_of_a_pick_is_relative_and_ties_are_counted() -> None:
    certificate, scores = Certificate(), np.array([0.5, 0.25, 0.5 - 1e-12])
    certificate.compare(scores, 0.5 - 1e-12, "it")
    assert (certificate.faults, certificate.n_ties) == ([], 2)
    certificate.compare(scores, 0.25, "it")
    assert certificate.worst["pick"] == 0.5
    assert len(certificate.faults) == 1


def test_rounding_explains_only_what_would_be_a_fault() -> None:
    certificate = Certificate()
    certificate.weigh(1 + 1e-9, 1.0, "it", rounding=1.0)
    assert certificate.worst["weight"] == pytest.approx(1e-9)
    certificate.weigh(1 + 1e-6, 1.0, "it", rounding=1.0)
    assert certificate.faults == []
    certificate.weigh(1 + 1e-6, 1.0, "it", rounding=np.nan)
    assert len(certificate.faults) == 1


def test_certificates_add_up() -> None:
    one, other = Certificate(3, 2, {"pick": 1.0}, ["a"]), Certificate(4, 5, {"gap": 2.0}, ["b"])
    one.add(other)
    assert one == Certificate(7, 5, {"pick": 1.0, "gap": 2.0}, ["a", "b"])


def test_a_sample_has_the_first_and_the_last_rounds_and_some_between() -> None:
    rounds = list(Rounds(np.random.default_rng(0)).among(1000))
    assert rounds[:8] == list(range(1, 9))
    assert rounds[-8:] == list(range(993, 1001))
    assert len(set(rounds)) == 32
    assert rounds == sorted(rounds)
    assert list(Rounds().among(1000)) == list(range(1, 1001))
    assert list(Rounds(np.random.default_rng(0)).among(20)) == list(range(1, 21))
