from __future__ import annotations

from typing import Any

import pytest

from quadrepro.results.pages.page import made_with


def test_facts_are_those_that_are_known() -> None:
    entry = {
        "cells": 3,
        "first": "2026-11-22T06:39:34.080Z",
        "last": "2026-11-22T07:00:00.000Z",
        "versions": {"quadrepro": "0.1.0", "numpy": "2"},
        "git": {"commit": "abc", "dirty": True},
        "processor": {"machine": "x86_64", "simd": ["X86_V3"], "blas": []},
        "compiled": False,
    }
    (made,) = made_with({"computed": [entry]})
    assert made.version == "0.1.0"
    assert dict(made.facts) == {
        "Cells": "3",
        "Computed": "2026-11-22 06:39 UTC to 2026-11-22 07:00 UTC",
        "Commit": "abc, with changes that were not committed",
        "Versions": "quadrepro 0.1.0, numpy 2",
        "Processor": "x86_64, X86_V3",
        "Loops": "not compiled",
    }


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"computed": None},
        {"computed": [1]},
        {"computed": [{"versions": 1, "git": [], "processor": {"simd": None}}]},
    ],
)
def test_what_is_written_otherwise_is_left_out(run: dict[str, Any]) -> None:
    assert all(not made.facts and not made.version for made in made_with(run))
