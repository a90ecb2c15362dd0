"""A claim that is one of a kind, judged by a function of its paper's module."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable
from typing import Annotated, Any, ClassVar, NamedTuple, Self, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from quadrepro.base.models import Model, fault
from quadrepro.base.yaml import Place
from quadrepro.errors import nearest
from quadrepro.papers.claims.evidence import Evidence


class Judgement(NamedTuple):
    """What was found and whether the claim holds."""

    text: str
    """The numbers that were compared."""
    holds: bool | None
    """None if it is not decided."""


def joint_p(p_values: Iterable[float], at_least: int = 1) -> float:
    """Return the p-value of "fewer than this number of alternatives are true"."""
    # The least p-value of those that are left when the others are taken for true, by Bonferroni.
    found = sorted(p_values)
    if len(found) < at_least:
        return 1.0
    return min(1.0, (len(found) - at_least + 1) * found[at_least - 1])


def _known(what: str, name: str) -> Callable[[str, ValidationInfo], str]:
    def check(value: str, info: ValidationInfo) -> str:
        known: Collection[str] | None = (info.context or {}).get(name)
        if known is not None and value not in known:
            raise ValueError(f"{what} {value!r}{nearest(value, known)}")
        return value

    return check


AlgorithmName = Annotated[
    str, AfterValidator(_known("the paper's names list no algorithm", "algorithms"))
]
"""An algorithm that the paper's ``names`` list."""

AlgorithmNames = Annotated[
    tuple[AlgorithmName, ...],
    BeforeValidator(
        lambda names: (names,) if isinstance(names, str) else names,
        json_schema_input_type=str | tuple[str, ...],
    ),
    Field(min_length=1),
]
"""Some of them, or one without a list."""


def _known_measure(name: str, info: ValidationInfo) -> str:
    # Only a claim of a paper is about measures of the registry.
    if info.context is None:
        return name
    from quadrepro.core.measures.registry import MEASURES

    try:
        MEASURES.find(name)
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    return name


MeasureName = Annotated[str, AfterValidator(_known_measure)]
"""A measure of the registry."""


class Claim(Model):
    """A sentence of a paper and how to judge it; every kind is a subclass."""

    names: ClassVar[tuple[str, ...]] = ()
    """The names of the kind in ``paper.yaml``."""
    timed: ClassVar[bool] = False
    """Whether it is judged on measured times. Of the kind, not of the single claim."""

    kind: str
    """Key of `quadrepro.papers.claims.CLAIMS`."""
    text: str = Field(min_length=1)
    """The sentence of the paper."""
    rows: tuple[str, ...] = ()
    """The rows it is about; by default all. A ``*`` in a name stands for any text."""
    excluded: tuple[str, ...] = Field(default=(), alias="except")
    """Rows it is not about."""

    def __init_subclass__(cls, names: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls.names = names

    @model_validator(mode="after")
    def _compares_others(self, info: ValidationInfo) -> Self:
        """Refuse an algorithm that is compared with itself, or with no other one."""
        fields = dict(self)
        of, than, to = (_listed(fields.get(key, ())) for key in ("of", "than", "to"))
        sides: list[tuple[Place, tuple[str, ...], tuple[str, ...]]]
        sides = [(("than",), of, than), (("to",), of, to)]
        sides += [(("pairs", i), (a,), (b,)) for i, (a, b) in enumerate(fields.get("pairs", ()))]
        if "between" in fields:
            sides.append((("between",), fields["between"][:1], fields["between"][1:]))
        for place, one, other in sides:
            if same := {*one} & {*other}:
                raise fault(f"{min(same)!r} is compared with itself: name another", *place)
        if "among" in fields and of:
            names = fields["among"] or (info.context or {}).get("algorithms", ())
            if names and not {*names} - {*of, *than, *to}:
                key = "among" if fields["among"] else "of"
                wanted = "list one in among, by default all names"
                raise fault(f"no other algorithm to compare {of[0]!r} with: {wanted}", key)
        return self

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

    def prepare(self) -> None:
        """Refuse a claim that cannot be judged at all, whatever the numbers.

        Raises
        ------
        PydanticCustomError
            With the place below the claim.
        """


def _listed(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def everywhere(parts: dict[str, tuple[str, bool]]) -> Judgement:
    """Return the judgement of a claim that must hold on every row.

    Parameters
    ----------
    parts : dict of str to (str, bool)
        What was found on each row and whether the claim holds there.
    """
    text = by_row({row: text for row, (text, _) in parts.items()})
    return Judgement(text, all(holds for _, holds in parts.values()))


def by_row(texts: dict[str, str]) -> str:
    """Return what was found on each row, which is named if there are several."""
    return "; ".join(f"{row}: {text}" if len(texts) > 1 else text for row, text in texts.items())


class Function(Claim, names=("function",)):
    """A claim that a function judges; only papers that ship with quadrepro have code."""

    function: str
    """Name of a function in ``claims.py`` of the paper's folder; it takes the evidence and the
    settings, and returns a judgement."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the function."""

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
