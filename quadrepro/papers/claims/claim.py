"""A claim, and one that a function of its paper judges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pkgutil import resolve_name
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from quadrepro.base.models import Model, fault, known_by
from quadrepro.base.yaml import Place
from quadrepro.core.measures.registry import MEASURES
from quadrepro.data.schema import Values
from quadrepro.errors import nearest
from quadrepro.papers.claims.evidence import Evidence

AlgorithmNames = Values
"""One or several algorithms; one needs no list."""

MeasureName = Annotated[str, known_by(MEASURES.find)]
"""A measure of the registry."""


class Judgement(NamedTuple):
    """What was found and whether the claim holds."""

    text: str
    """The numbers that were compared."""
    holds: bool | None
    """None if it is not decided."""


class Claim(Model):
    """A sentence of a paper and how to judge it; every kind is a subclass."""

    timed: ClassVar[bool] = False
    """Whether it is judged on measured times, which are counted apart from numbers."""

    kind: str
    """Key of `quadrepro.papers.claims.CLAIMS`."""
    text: str = Field(min_length=1)
    """The sentence of the paper."""
    rows: tuple[str, ...] = ()
    """The rows it is about; by default all. A ``*`` in a name stands for any text."""
    excluded: tuple[str, ...] = Field(default=(), alias="except")
    """Rows it is not about."""

    @property
    def label(self) -> str:
        """Its name in the claims table."""
        return f"{self.text} (measured time)" if self.timed else self.text

    def judge(self, evidence: Evidence) -> Judgement:
        """Judge the claim.

        Parameters
        ----------
        evidence : Evidence
            Our numbers or the printed ones, on the rows that the claim is about.

        Returns
        -------
        Judgement
            Numbers and whether it holds.

        Raises
        ------
        Lacking
            If a number is missing.
        """
        raise NotImplementedError

    def mistakes(
        self, known: Collection[str], names: Collection[str]
    ) -> Iterator[tuple[Place, str]]:
        """Yield the mistakes in its algorithms, with their places.

        Parameters
        ----------
        known : collection of str
            All algorithms of the paper.
        names : collection of str
            Those that are compared by default.
        """
        fields = {key: (of,) if isinstance(of, str) else of for key, of in self}
        of, among = fields.get("of", ()), fields.get("among", ())
        lists: dict[Place, tuple[str, ...]]
        lists = {(key,): fields.get(key, ()) for key in ("of", "than", "to", "among")}
        lists |= {("pairs", i): pair for i, pair in enumerate(fields.get("pairs", ()))}
        for place, algorithms in lists.items():
            for i, name in enumerate(algorithms):
                if name not in known:
                    yield (*place, i), f"the paper has no algorithm {name!r}{nearest(name, known)}"
            both = of + algorithms if place[0] in ("than", "to") else algorithms
            if same := {name for name in algorithms if both.count(name) > 1}:
                yield place, f"{min(same)!r} is compared with itself: name another"
        compared = {*of, *fields.get("than", ()), *fields.get("to", ())}
        if "among" in fields and of and not {*(among or names)} - compared:
            alone = f"no other algorithm to compare {of[0]!r} with"
            key = "among" if among else "of"
            yield (key,), f"{alone}: list one in among, by default all names"


def everywhere(parts: dict[str, tuple[str, bool]]) -> Judgement:
    """Return the judgement of a claim that must hold on every row, from those on the rows."""
    text = by_row({row: text for row, (text, _) in parts.items()})
    return Judgement(text, all(holds for _, holds in parts.values()))


def by_row(texts: dict[str, str]) -> str:
    """Return what was found on each row, which is named if there are several."""
    return "; ".join(f"{row}: {text}" if len(texts) > 1 else text for row, text in texts.items())


class Function(Claim):
    """A claim that a function judges; only papers that ship with quadrepro have code."""

    kind: Literal["function"]
    """The kind."""
    function: str
    """Name of a function in ``claims.py`` of the paper's folder; it takes the evidence and the
    settings, and returns a judgement."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the function."""

    _judge: Callable[..., Judgement] = PrivateAttr()

    @model_validator(mode="after")
    def _resolved(self, info: ValidationInfo) -> Self:
        """Find the function in the module of a paper that ships; other papers have none."""
        module = (info.context or {}).get("module")
        if module is None:
            message = "only papers that ship with quadrepro have code: use another kind of claim"
            raise fault(message, "function")
        self._judge = resolve_name(f"{module}:{self.function}")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        """Return what the function finds."""
        return self._judge(evidence, **self.settings)
