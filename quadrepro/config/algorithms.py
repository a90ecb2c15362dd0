"""A column of a config's table: an algorithm with the values it searches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo, model_validator

from quadrepro.base.models import Model, fault, nested_fault
from quadrepro.config.axis import Axis, Distribution, from_simple
from quadrepro.core.learners.contestants.building import step_of
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Value
from quadrepro.core.learners.learner import Entry, Learner
from quadrepro.core.learners.registry import find_entry
from quadrepro.core.measures.registry import MEASURES
from quadrepro.core.protocol import Measures, Protocol
from quadrepro.data.schema import View
from quadrepro.errors import nearest

if TYPE_CHECKING:
    from quadrepro.core.learners.contestants.predictor import EstimatorEntry

MAX_CANDIDATES = 100_000
"""Maximum number of candidates of a cell."""

MAX_STEPS = 1_000
"""Maximum number of steps of a pipeline."""


class AlgorithmEntry(Model):
    """A column of the table: an algorithm, its settings and the values it searches.

    In YAML, the name alone can stand for the mapping.
    """

    name: str = Field(min_length=1)
    """Name of the column; unique."""
    algorithm: str = ""
    """Name in the registry, or the import path of an estimator, such as ``sklearn:SVC`` or
    ``xgboost:XGBClassifier``; by default the column's name."""
    pipeline: tuple[str | dict[str, Any], ...] = Field(default=(), max_length=MAX_STEPS)
    """The steps of a pipeline instead: names of classes of scikit-learn, import paths, or mappings
    of one of them to parameters."""
    label: str = ""
    """Title of the column in tables; by default that of the algorithm, or the column's name if
    several columns share an algorithm."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings of the algorithm, such as ``reweight``."""
    grid: dict[str, Axis] = Field(default_factory=dict)
    """One axis a hyper-parameter, the first outermost. A hyper-parameter that is neither here nor
    drawn takes default values, which ``quadrepro list algorithms`` shows."""
    draw: dict[str, Distribution] = Field(default_factory=dict)
    """Hyper-parameters whose values are drawn, again for every split."""
    draws: int = Field(default=30, ge=1, le=10_000)
    """How many points are drawn; each is tried with every point of the grid."""
    nominal: Literal["ordinal", "one-hot", "categories"] | None = None
    """How this algorithm is given nominal attributes, if not as the view says. With "categories",
    an estimator is given a data frame."""
    missing: Literal["keep"] | None = None
    """Whether an estimator is given NaN for missing values."""
    measures: Measures = ()
    """Measures of this algorithm, in place of the protocol's."""
    note: str = ""
    """Said below the table, such as a departure from the paper."""

    _folder: str = PrivateAttr(default="")
    _found: Entry | EstimatorEntry = PrivateAttr()
    _made: Learner = PrivateAttr()

    @model_validator(mode="after")
    def _makes_sense(self, info: ValidationInfo) -> Self:
        self._folder = (info.context or {}).get("folder", "")
        self._found = self._find()
        entry = self.entry
        known_settings = entry.names(self.settings)
        for key in self.settings:
            if key not in known_settings:
                hint = nearest(key, known_settings)
                raise fault(f"{self.id} has no setting {key!r}{hint}", "settings", key)
        try:
            learner = self._made = entry.make(self.settings)
        except ValidationError as error:
            raise nested_fault(error, "settings", data=self.settings) from None
        except ValueError as error:
            named = "pipeline" if self.pipeline else "algorithm" if self.algorithm else "name"
            raise fault(str(error), "settings" if self.settings else named) from None
        known = {h.name: h for h in learner.hyperparameters}
        for part, keys in (("grid", self.grid), ("draw", self.draw)):
            for key in keys:
                if key not in known:
                    hint = nearest(key, known)
                    raise fault(f"{self.id} has no hyper-parameter {key!r}{hint}", part, key)
                if key in self.settings:
                    raise fault(f"{key} is in the settings as well", part, key)
        if "draws" in self.model_fields_set and not self.draw:
            raise fault(
                "nothing is drawn: name hyper-parameters as draw, or leave draws out", "draws"
            )
        if wrong := self.fault_of_size({}):
            raise fault(wrong, "grid" if self.grid else "draws")
        for key, axis in self.grid.items():
            if wrong := known[key].fault(axis.resolve(known[key].kind)):
                raise fault(wrong, "grid", key)
        for key, distribution in self.draw.items():
            if key in self.grid:
                raise fault(f"{key} is in the grid as well", "draw", key)
            if known[key].kind == "integer" and (distribution.uniform or distribution.log):
                raise fault(f"{key} takes whole numbers: draw integers, or of a list", "draw", key)
            for value in distribution.ends():
                if wrong := known[key].fault([value]):
                    raise fault(wrong, "draw", key)
        return self

    def changed(self, settings: Mapping[str, Any]) -> AlgorithmEntry:
        """Return the column with a row's settings in place of its own, as far as it has them."""
        known = self.entry.names(self.settings)
        own = {key: value for key, value in settings.items() if key in known}
        if not own:
            return self
        fields = self.model_dump(by_alias=True, exclude_unset=True) | {
            "settings": self.settings | own
        }
        return AlgorithmEntry.model_validate(fields, context={"folder": self._folder})

    def completed(self, protocol: Protocol) -> AlgorithmEntry:
        """Return the column with default values of the hyper-parameters that need some."""
        settled = {*self.searched, *([N_ROUNDS.name] if self.draws_stumps(protocol) else [])}
        known = {h.name for h in self.make().hyperparameters} - settled
        axes = self.entry.grid if isinstance(self.entry, Entry) else {}
        lacking = {key: Axis.model_validate(axes[key]) for key in axes if key in known}
        return self.model_copy(update={"grid": self.grid | lacking}) if lacking else self

    def check_protocol(self, protocol: Protocol) -> None:
        """Refuse a column that does not fit how candidates are chosen."""
        learner = self.make()
        if self.draws_stumps(protocol):
            if not learner.takes_drawn_stumps:
                raise fault(f"{self.id} needs a voter matrix, but a hold-out draws stumps")
            if N_ROUNDS.name in self.searched:
                raise fault("the validation error chooses the rounds", "grid", N_ROUNDS.name)
        if self.nominal == "categories" or self.missing:
            self._check_raw(learner, protocol)
        if wrong := self.fault_of_measures(protocol, {}):
            raise fault(wrong, *(["measures"] if self.measures else []))

    def _check_raw(self, learner: Learner, protocol: Protocol) -> None:
        """Refuse categories and missing values where a number stands for each of them."""
        key = "missing" if self.missing else "nominal"
        if not learner.takes_raw:
            raise fault(f"{self.id} takes numbers only, which the view makes: leave out {key}", key)
        if protocol.inputs == "voters":
            raise fault(f"the inputs are voters, so {key} has no effect", key)
        if protocol.noise is not None and protocol.noise.of_attributes:
            raise fault(f"noise is added to numbers only: leave out {key}", key)

    def own_view(self, view: View) -> View:
        """Return the view with nominal attributes as this algorithm is given them."""
        if self.nominal is None:
            return view
        nominal = "one-hot" if self.nominal == "one-hot" else "ordinal"
        return view.model_copy(update={"nominal": nominal})

    def fault_of_measures(self, protocol: Protocol, changes: Mapping[str, Axis]) -> str | None:
        """Return what is wrong with what is measured of it, with a row's own axes, or None."""
        if self.measures and (protocol.folds or protocol.holdout):
            return "measures are kept only if nothing is chosen: set folds to 0"
        for name in self.measures or protocol.measures:
            measure = MEASURES.find(name)
            if measure.needs_votes and not self.make().gives_votes:
                return f"{self.id} has no voters, which the measure {name} needs: give it others"
            if measure.every_round and not self._every_round(changes):
                return f"{name} needs every round: give n_rounds as 1, 2, 3 ..., all else one value"
        return None

    def fault_of_size(self, changes: Mapping[str, Axis]) -> str | None:
        """Return what is wrong with the number of candidates, with a row's own axes, or None."""
        axes = self.grid | {
            h.name: changes[h.name] for h in self.make().hyperparameters if h.name in changes
        }
        drawn = any(key not in axes for key in self.draw)
        n_candidates = math.prod(map(len, axes.values())) * (self.draws if drawn else 1)
        if n_candidates > MAX_CANDIDATES:
            return f"{self.name} has {n_candidates:,} candidates: at most {MAX_CANDIDATES:,}"
        return None

    def _every_round(self, changes: Mapping[str, Axis]) -> bool:
        axes = self._axes(changes)
        n_candidates = math.prod(map(len, axes.values()))
        return axes.get(N_ROUNDS.name) == list(range(1, n_candidates + 1)) and not self.draw

    def draws_stumps(self, protocol: Protocol) -> bool:
        """Whether it boosts drawn stumps, so that the validation error chooses the rounds."""
        return protocol.holdout is not None and self.make().gives_votes

    @property
    def searched(self) -> tuple[str, ...]:
        """Names of the hyper-parameters that are searched over."""
        return (*self.grid, *self.draw)

    @property
    def id(self) -> str:
        """Name in the registry, import path, or the names of a pipeline's steps."""
        return self.entry.label if self.pipeline else self.algorithm or self.name

    @property
    def entry(self) -> Entry | EstimatorEntry:
        """What makes the algorithm."""
        found = self._found
        return found if isinstance(found, Entry) else replace(found, searched=self.searched)

    @property
    def code(self) -> list[Path]:
        """The files of the config's folder that a run imports."""
        found = self.entry
        return [] if isinstance(found, Entry) else found.code(self.settings)

    def _find(self) -> Entry | EstimatorEntry:
        if not self.pipeline:
            try:
                return find_entry(self.algorithm or self.name, self._folder)
            except KeyError as error:
                raise fault(error.args[0], "algorithm" if self.algorithm else "name") from None
        # The module imports scikit-learn.
        from quadrepro.core.learners.contestants.predictor import StepError, pipeline_entry

        if self.algorithm:
            raise fault("a column has either an algorithm or a pipeline", "pipeline")
        try:
            return pipeline_entry(self.pipeline, self._folder)
        except StepError as error:
            message, i = error.args
            raise fault(message, "pipeline", i) from None

    def make(self) -> Learner:
        """Return the algorithm."""
        asked = {
            "categories": self.nominal == "categories",
            "keeps_missing": self.missing == "keep",
        }
        # Other learners are refused when the protocol is checked.
        made = self._made
        return replace(made, **asked) if made.takes_raw and any(asked.values()) else made

    def make_grids(
        self, rng: np.random.Generator, changes: Mapping[str, Axis] | None = None
    ) -> tuple[Grid, ...]:
        """Return the candidates."""
        axes = self._axes(changes or {})
        drawn = {key: d for key, d in self.draw.items() if key not in axes}
        if not drawn:
            return (Grid.of(axes),)
        columns = [distribution.draw(rng, self.draws) for distribution in drawn.values()]
        rows = zip(*columns, strict=True)
        points = [dict(zip(drawn, row, strict=True)) for row in rows]
        points = from_simple(points, self.make().hyperparameters)
        if len(drawn) == 1:
            (name,) = drawn
            return (Grid.of({name: [point[name] for point in points], **axes}),)
        return tuple(
            Grid.of({**{key: [value] for key, value in point.items()}, **axes}) for point in points
        )

    def _axes(self, changes: Mapping[str, Axis]) -> dict[str, list[Value]]:
        kinds = {h.name: h.kind for h in self.make().hyperparameters}
        axes = self.grid | {key: axis for key, axis in changes.items() if key in kinds}
        return {name: axis.resolve(kinds[name]) for name, axis in axes.items()}


def voters_label(protocol: Protocol) -> str:
    """Return in few words what algorithms vote over.

    Examples
    --------
    >>> voters_label(Protocol(view="default", voters=50, voter_set={"mine:Trees": {"depth": 3}}))
    '50 outputs of Trees, depth 3'
    """
    if protocol.holdout is not None:
        drawn = protocol.holdout.stumps
        return f"{drawn.per_round} random stumps" + " each round" * drawn.redraw
    if protocol.voter_set is not None:
        name, parameters = step_of(protocol.voter_set)
        n = f"{protocol.voters} " if protocol.voters else ""
        given = "".join(f", {key} {value}" for key, value in parameters.items())
        return f"{n}outputs of {name.rpartition(':')[2]}{given}"
    n_stumps = protocol.voters or protocol.stumps_per_attribute
    plural = "s" * (n_stumps > 1)
    return f"{n_stumps} stump{plural}" + " per attribute" * (protocol.voters is None)
