from __future__ import annotations

import pytest

from quadrepro.data.sources.limits import DEFAULT, max_bytes, refuse_bytes
from quadrepro.errors import ConfigError, DataError


def test_the_environment_can_raise_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert max_bytes() == DEFAULT
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "1000")
    refuse_bytes(1000, "a.gz")
    with pytest.raises(DataError, match=r"^a.gz has more than 1,000 bytes; .*QUADREPRO_MAX_BYTES"):
        refuse_bytes(1001, "a.gz")


@pytest.mark.parametrize("written", ["0", "-1", "1e9", "many", "9" * 30, "²"])
def test_a_limit_that_is_no_number_of_bytes_is_refused(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", written)
    with pytest.raises(ConfigError, match=r"must be a number of bytes such as 536870912, not"):
        max_bytes()
