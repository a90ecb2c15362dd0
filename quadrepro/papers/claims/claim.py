"""A claim, and one that a function of its paper judges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pkgutil import resolve_name
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from quadrepro.base.models import Model, fault, known_by
from quadrepro.base.yaml import Place
from quadrepro.core.measures.names import MEASURES
from quadrepro.data.schema import WrittenValues
from quadrepro.errors import nearest
from quadrepro.papers.claims.evidence import ClaimWord, Evidence

Algorithms = WrittenValues
"""One or several algorithms; one needs no list."""

MeasureName = Annotated[str, known_by(MEASURES.find)]
"""A measure of the registry."""


class Judgement(NamedTuple):
    """A judgement on a claim with its reasons."""

    text: str
    """The numbers that were compared."""
    word: ClaimWord
    """The judgement."""


class Claim(Model):
    """A sentence of a paper and how to judge it; every kind is a subclass."""

    timed: ClassVar[bool] = False
    """Whether it is judged on measured times, which are counted apart from numbers."""

    kind: str
    """Key of `quadrepro.papers.claims.CLAIMS`."""
    text: str = Field(min_length=1)
    """The sentence of the paper."""
    rows: tuple[str, ...] = ()
    """The rows it is about; by default all. A ``*`` in a name matches any text."""
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
            The compared numbers and a word.

        Raises
        ------
        Lacking
            If a number is missing.
        """
        raise NotImplementedError

    def mistakes(
        self, algorithms: Collection[str], names: Collection[str]
    ) -> Iterator[tuple[Place, str]]:
        """Yield the mistakes in its algorithms, with their places.

        Parameters
        ----------
        algorithms : collection of str
            All algorithms of the paper.
        names : collection of str
            Those that are compared by default.
        """
        lists: dict[Place, tuple[str, ...]] = {}
        for field, info in type(self).model_fields.items():
            value, key = getattr(self, field), info.alias or field
            if key == "pairs":
                lists |= {("pairs", i): pair for i, pair in enumerate(value)}
            # The ends of a range of rounds are called from and to as well.
            elif key in ("of", "than", "to", "among") and isinstance(value, str | tuple):
                lists[key,] = (value,) if isinstance(value, str) else value
        first = lists.get(("of",), ())
        for place, listed in lists.items():
            for i, name in enumerate(listed):
                if name not in algorithms:
                    hint = nearest(name, algorithms)
                    yield (*place, i), f"the paper has no algorithm {name!r}{hint}"
            both = first + listed if place[0] in ("than", "to") else listed
            if same := {name for name in listed if both.count(name) > 1}:
                yield place, f"{min(same)!r} is compared with itself: name another"
        among = lists.get(("among",), ())
        compared = {*first, *lists.get(("than",), ()), *lists.get(("to",), ())}
        if ("among",) in lists and first and not {*(among or names)} - compared:
            alone = f"no other algorithm to compare {first[0]!r} with"
            yield ("among" if among else "of",), f"{alone}: list one in among, by default all names"


def checked_claim(text: str, holds: bool) -> Judgement:
    """Return the judgement on a claim that is about these very numbers."""
    return Judgement(text, "supported" if holds else "refuted")


def everywhere(parts: dict[str, tuple[str, bool]]) -> Judgement:
    """Return the judgement on a claim that must be true of every row's numbers."""
    text = by_row({row: text for row, (text, _) in parts.items()})
    return checked_claim(text, all(holds for _, holds in parts.values()))


def by_row(texts: dict[str, str]) -> str:
    """Return the text on each row, which is named if there are several."""
    return "; ".join(f"{row}: {text}" if len(texts) > 1 else text for row, text in texts.items())


class Function(Claim):
    """A claim that a function judges; only papers that ship with quadrepro have code."""

    kind: Literal["function"]
    """The kind."""
    function: str
    """Name of a function in ``__init__.py`` of the paper's folder; it takes the evidence and the
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
        """Return the judgement of the function."""
        return self._judge(evidence, **self.settings)
