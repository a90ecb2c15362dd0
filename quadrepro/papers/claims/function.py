"""A claim that is one of a kind, judged by a function of its paper's module."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Self, cast

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from quadrepro.documents.model import fault
from quadrepro.errors import nearest
from quadrepro.papers.claims.claim import Claim, Judgement
from quadrepro.papers.claims.evidence import Evidence


class Function(Claim):
    """A claim that a function judges; only papers that ship with quadrepro have code.

    Attributes
    ----------
    function : str
        Name of a function in ``claims.py`` of the paper's folder; it takes the evidence and the
        settings, and returns a judgement.
    settings : dict
        Keyword arguments of the function.
    """

    function: str
    settings: dict[str, Any] = Field(default_factory=dict)

    _module: str = PrivateAttr(default="")

    @model_validator(mode="before")
    @classmethod
    def _of_a_paper_that_ships(cls, data: Any, info: ValidationInfo) -> Any:
        if not (info.context or {}).get("module"):
            message = (
                "a folder of your own holds no code that is run: only papers that ship with "
                "quadrepro have functions; use another kind of claim"
            )
            raise fault(message, "kind")
        return data

    @model_validator(mode="after")
    def _know_the_module(self, info: ValidationInfo) -> Self:
        self._module = (info.context or {})["module"]
        return self

    def prepare(self) -> None:
        """Refuse a function that is not there."""
        self._find()

    def judge(self, evidence: Evidence) -> Judgement:
        """Return what the function does."""
        return self._find()(evidence, **self.settings)

    def _find(self) -> Callable[..., Judgement]:
        module = importlib.import_module(self._module)
        if not callable(found := getattr(module, self.function, None)):
            known = [name for name, value in vars(module).items() if callable(value)]
            hint = nearest(self.function, known)
            raise fault(f"{module.__name__} has no function {self.function!r}{hint}", "function")
        return cast(Callable[..., Judgement], found)
