from __future__ import annotations

from importlib.util import find_spec

import pytest

from quadrepro.kernels import compiling


@pytest.mark.parametrize("value", ["0", "1", ""])
def test_loops_are_compiled_if_numba_is_here_and_the_switch_is_not_0(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADREPRO_JIT", value)
    compiling.enabled.cache_clear()
    try:
        assert compiling.enabled() is (value != "0" and find_spec("numba") is not None)
        # Asked in every round, so it is read once.
        monkeypatch.setenv("QUADREPRO_JIT", "1" if value == "0" else "0")
        assert compiling.enabled() is (value != "0" and find_spec("numba") is not None)
    finally:
        monkeypatch.undo()
        compiling.enabled.cache_clear()
