"""Estimators as a config names them: by import path, or as the steps of a pipeline."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quadrepro.learners.contestants.building import (
    KEPT,
    build_step,
    fault_of,
    names,
    paths_in,
    runs_own_code,
    step_of,
)
from quadrepro.learners.contestants.paths import SKLEARN, check_path, full_path, own_code
from quadrepro.learners.contestants.predictor import EstimatorPredictor, kind_of, task_of

PIPELINE = f"{SKLEARN}:Pipeline"


class StepError(ValueError):
    """A step of a pipeline that cannot be used; its arguments are the message and its index."""


@dataclass(frozen=True)
class EstimatorEntry:
    """An estimator as a config names it.

    Attributes
    ----------
    path : str
        Its import path.
    label : str
        What tables call it.
    preset : dict
        Parameters that the user cannot change.
    folder : str
        The folder of the config, whose own modules may be named.
    searched : tuple of str
        The hyper-parameters that the config names.
    """

    path: str
    label: str
    preset: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    searched: tuple[str, ...] = ()
    former = EstimatorPredictor.former

    def names(self, settings: Mapping[str, Any]) -> Collection[str]:
        """Return the names of all parameters that there are besides some settings."""
        known = names(self.path, {**settings, **self.preset}, self.folder)
        return [name for name in known if name not in self.preset]

    def make(self, settings: Mapping[str, Any]) -> EstimatorPredictor:
        """Return the predictor with the given parameters.

        Raises
        ------
        ValueError
            If the estimator refuses a parameter, or predicts neither classes nor numbers.
        """
        parameters = {**self.preset, **settings}
        if wrong := fault_of(self.path, parameters, self.folder):
            raise ValueError(wrong)
        if runs_own_code(self.path, parameters, self.folder):
            return EstimatorPredictor(self.path, parameters, self.folder, searched=self.searched)
        if kind_of(self.path, parameters, self.folder) is None:
            raise ValueError(f"{self.label} predicts neither classes nor numbers")
        return EstimatorPredictor(self.path, parameters)

    def code(self, settings: Mapping[str, Any]) -> list[Path]:
        """Return the files of the config's folder that a run imports."""
        paths = paths_in(self.path, {**self.preset, **settings})
        return [*own_code(paths, self.folder).values()]


def estimator_entry(path: str, folder: str = "") -> EstimatorEntry:
    """Return the entry of an import path such as ``"sklearn:SVC"`` or ``"xgboost:XGBClassifier"``.

    Raises
    ------
    KeyError
        If there is no such class or function; the message gives the nearest name.
    """
    check_path(path, folder)
    return EstimatorEntry(path, path.partition(":")[2], folder=folder)


def pipeline_entry(steps: Sequence[Any], folder: str = "") -> EstimatorEntry:
    """Return the entry of a pipeline.

    Parameters
    ----------
    steps : sequence of str or dict
        Names of classes of scikit-learn, import paths, or mappings of one of them to parameters.
        All but the last transform.
    folder : str, default ""
        The folder of the config, whose own modules may be named.

    Raises
    ------
    StepError
        If a step cannot be used.
    """
    for i, step in enumerate(steps):
        last = i == len(steps) - 1
        try:
            if step in KEPT:
                if last:
                    raise ValueError(f"the last step must predict, but {step} does not")
                continue
            name, parameters = step_of(step)
            if wrong := fault_of(full_path(name), parameters, folder):
                raise ValueError(wrong)
            if runs_own_code(full_path(name), parameters, folder):
                continue
            found = build_step(step, folder)
            if last and task_of(found) is None:
                raise ValueError(f"the last step must predict, but {_name(step)} does not")
            if not last and not hasattr(found, "transform"):
                raise ValueError(f"a step before the last must transform: {_name(step)} does not")
        except (KeyError, ValueError) as error:
            raise StepError(error.args[0], i) from None
    label = " + ".join(_name(step) for step in steps)
    return EstimatorEntry(PIPELINE, label, {"steps": list(steps)}, folder)


def _name(step: Any) -> str:
    return step_of(step)[0].rpartition(":")[2]
