"""How files are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.errors import ConfigError


def refusal(path: Path, read: Callable[[Path], object] = load_experiment) -> str:
    """Return the message of the error that a file ends in, without the file's name in front."""
    with pytest.raises(ConfigError) as caught:
        read(path)
    return str(caught.value).removeprefix(f"{path}:")


def assert_refused(
    path: Path, place: str, telling: str, read: Callable[[Path], object] = load_experiment
) -> None:
    """Check that a file is refused at line and column, with a message that has this part."""
    with pytest.raises(ConfigError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{place}: ")
    assert telling in message
