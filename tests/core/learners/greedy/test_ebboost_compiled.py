"""The compiled search for the voter of least penalised loss has the bits of the plain one."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.greedy.ebboost import EBBoost
from quadrepro.core.learners.greedy.loop import Step, Watcher, boost
from quadrepro.core.voters.random_stumps import RandomStumps, StumpCoding
from quadrepro.core.voters.source import FixedVoters, VoterSource
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

LAMBDAS = np.array([100.0, 1.0, 0.3, 0.0])


def ties(y: FloatArray) -> VoterSource:
    H = np.where(np.random.default_rng(2).random((len(y), 3)) < 0.5, 1.0, -1.0)
    return FixedVoters(np.hstack([H, -H, H]), y)


def one_voter(y: FloatArray) -> VoterSource:
    return FixedVoters(np.where(np.arange(len(y)) < 20, 1.0, -1.0)[:, None], y)


def no_edge(y: FloatArray) -> VoterSource:
    return FixedVoters(np.where(np.arange(len(y)) % 2, y, -y)[:, None], y)


def drawn(y: FloatArray) -> VoterSource:
    X = np.random.default_rng(3).normal(size=(len(y), 4))
    codes = StumpCoding.fit(X).transform(X)
    rng = np.random.default_rng(4)
    return RandomStumps(codes, y, rng, per_round=40, polarity="random")


class Bits(Watcher):
    """Keeps the bits of every step."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def after(self, t, live, step, state):
        self._keep(live, step)

    def retire(self, rows, step, votes):
        self._keep(rows, step)

    def _keep(self, rows, step: Step) -> None:
        self.seen += [part.tobytes() for part in (rows, step.picks, step.weights)]


@pytest.mark.parametrize("make", [ties, one_voter, no_edge, drawn])
def test_compiled_and_plain_steps_are_equal(make, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    y = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    copies = rng.integers(0, 4, (4, 40)).astype(float)

    def steps() -> list[bytes]:
        bits = Bits()
        state = EBBoost().weights(make(y), copies)
        boost(EBBoost().rule(LAMBDAS), state, 30, [bits])
        return [*bits.seen, state.example_weights.tobytes()]

    compiled = steps()
    set_compiled(monkeypatch, False)
    assert compiled == steps()
    assert len(compiled) > 3


def test_both_take_the_first_voter_within_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    H = np.ones((6, 2))
    H[0, 0] = H[1, 1] = -1.0
    state = EBBoost().weights(FixedVoters(H, np.array([1.0] * 5 + [-1.0])), np.ones((4, 6)))
    # The second voter is better, by less than counts.
    state.example_weights[:, 0] += 4.0
    assert state.least_penalised(LAMBDAS)[0].tolist() == [0] * 4
    set_compiled(monkeypatch, False)
    assert state.least_penalised(LAMBDAS)[0].tolist() == [0] * 4
