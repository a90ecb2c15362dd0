from __future__ import annotations

from collections.abc import Iterator

import pytest

from quadrepro.core import compiling
from tests.loops import set_compiled


@pytest.fixture(scope="module", params=["compiled", "plain"])
def compiled_and_plain(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests of a module twice, with compiled loops and with numpy's."""
    if request.param == "compiled" and not compiling.enabled():
        pytest.skip("loops are not compiled here")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "plain":
            set_compiled(patch, False)
        yield
