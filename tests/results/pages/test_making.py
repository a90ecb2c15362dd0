from __future__ import annotations

from quadrepro.results.folder import Environment
from quadrepro.results.pages.page import facts_of


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
    assert facts_of(Environment.model_validate(entry)) == {
        "Cells": "3",
        "Computed": "2026-11-22 06:39 UTC to 2026-11-22 07:00 UTC",
        "Commit": "abc, with changes that were not committed",
        "Versions": "quadrepro 0.1.0, numpy 2",
        "Processor": "x86_64, X86_V3",
        "Loops": "not compiled",
    }


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert facts_of(Environment()) == {}
