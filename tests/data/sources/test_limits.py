from __future__ import annotations

import pytest

from quadrepro.data.sources.formats import BYTES, SECONDS, limit, refuse_bytes
from quadrepro.errors import ConfigError, DataError


def test_the_environment_can_raise_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (limit(BYTES), limit(SECONDS)) == (512 * 2**20, 1800)
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "1000")
    refuse_bytes(1000, "a.gz")
    with pytest.raises(DataError, match=r"^a.gz has more than 1,000 bytes; QUADREPRO_MAX_BYTES"):
        refuse_bytes(1001, "a.gz")


@pytest.mark.parametrize("variable", [BYTES, SECONDS])
@pytest.mark.parametrize("written", ["0", "-1", "1e9", "many", "9" * 30, "²"])
def test_a_limit_that_is_no_whole_number_is_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, written: str
) -> None:
    monkeypatch.setenv(variable, written)
    with pytest.raises(ConfigError, match=rf"{variable} must be a whole number such as \d+, not"):
        limit(variable)
