"""Estimators as a config names them: by import path, or as the steps of a pipeline."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quadrepro.learners.contestants.building import (
    KEPT,
    build_step,
    fault_of,
    names,
    paths_in,
    step_of,
)
from quadrepro.learners.contestants.paths import SKLEARN, find_maker, folder_of, full_path
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
        Where modules are looked for that are not installed.
    """

    path: str
    label: str
    preset: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
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
        if kind_of(self.path, parameters, self.folder) is None:
            raise ValueError(f"{self.label} predicts neither classes nor numbers")
        folders = (folder_of(path) for path in paths_in(self.path, parameters))
        return EstimatorPredictor(self.path, parameters, next(filter(None, folders), ""))


def estimator_entry(path: str, folder: str = "") -> EstimatorEntry:
    """Return the entry of an import path such as ``"sklearn:SVC"`` or ``"xgboost:XGBClassifier"``.

    Raises
    ------
    KeyError
        If there is no such class or function; the message gives the nearest name.
    """
    find_maker(path, folder)
    return EstimatorEntry(path, path.partition(":")[2], folder=folder)


def pipeline_entry(steps: Sequence[Any], folder: str = "") -> EstimatorEntry:
    """Return the entry of a pipeline.

    Parameters
    ----------
    steps : sequence of str or dict
        Names of classes of scikit-learn, import paths, or mappings of one of them to parameters.
        All but the last transform.
    folder : str, default ""
        Where modules are looked for that are not installed.

    Raises
    ------
    StepError
        If a step cannot be used.
    """
    for i, step in enumerate(steps):
        last = i == len(steps) - 1
        try:
            found = build_step(step, folder)
            if found in KEPT:
                if last:
                    raise ValueError(f"the last step must predict, but {step} does not")
                continue
            name, parameters = step_of(step)
            if wrong := fault_of(full_path(name), parameters, folder):
                raise ValueError(wrong)
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
