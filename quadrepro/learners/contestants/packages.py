"""What estimators of other packages need of us: a seed, one thread, silence, and no files.

Parameters that are given stay as they are.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

SEEDS = ("random_state", "random_seed", "seed")
THREADS = ("n_jobs", "thread_count", "nthread", "num_threads")


@dataclass(frozen=True)
class Package:
    """A package whose estimators check the values of parameters only when they are fitted.

    Attributes
    ----------
    sizes : tuple of str
        The parameter with the number of rounds and its other names.
    defaults : mapping of str to object
        Parameters that replace the package's own defaults, by the first name of several.
    """

    sizes: tuple[str, ...]
    defaults: Mapping[tuple[str, ...], Any] = field(default_factory=dict)


PACKAGES: Mapping[str, Package] = MappingProxyType(
    {
        "xgboost": Package(("n_estimators",)),
        "lightgbm": Package(("n_estimators",), {("verbose", "verbosity"): -1}),
        "catboost": Package(
            ("iterations", "n_estimators", "num_trees", "num_boost_round"),
            {
                ("logging_level", "verbose", "silent"): "Silent",
                ("allow_writing_files", "train_dir"): False,
            },
        ),
    }
)
"""The packages by name."""


def package_of(estimator: Any) -> str:
    """Return the name of the package that an estimator's class is of."""
    return type(estimator).__module__.partition(".")[0]


def own_names(estimator: Any) -> list[str]:
    """Return the names of an estimator's own parameters, without those of what it holds."""
    takes = inspect.signature(type(estimator).__init__).parameters.values()
    declared = [p.name for p in takes if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    found = dict.fromkeys([*declared, *estimator.get_params(deep=False)])
    found.pop("self", None)
    if package_of(estimator) == "lightgbm":
        # Its estimators take, and pass on, all parameters of the library.
        from lightgbm.basic import _ConfigAliases

        found |= dict.fromkeys(_ConfigAliases.get(*_ConfigAliases._get_all_param_aliases()))
    return list(found)


def settle(part: Any, random_state: int | None) -> None:
    """Give an estimator a seed, one thread and silence, as far as nothing else was asked for."""
    known, package = set(own_names(part)), package_of(part)
    given = {key for key, value in part.get_params(deep=False).items() if value is not None}
    wanted: dict[tuple[str, ...], Any] = {SEEDS: random_state}
    if package != "sklearn":
        # Those of scikit-learn have one thread by default, and some of them warn of `n_jobs`.
        wanted[THREADS] = 1
    if package in PACKAGES:
        wanted |= PACKAGES[package].defaults
    for names, value in wanted.items():
        first = next((name for name in names if name in known), None)
        if first is not None and not given.intersection(names):
            part.set_params(**{first: value})


def column_names(n_codes: Sequence[int]) -> list[str]:
    """Return the names of the columns of a data frame."""
    return [f"x{i}" for i in range(len(n_codes))]


def use_categories(part: Any, n_codes: Sequence[int]) -> None:
    """Tell an estimator which columns are categories, if it does not see that itself."""
    option = {"catboost": "cat_features", "xgboost": "enable_categorical"}.get(package_of(part))
    if option and not part.get_params(deep=False).get(option):
        named = [name for name, n in zip(column_names(n_codes), n_codes, strict=True) if n]
        part.set_params(**{option: named if option == "cat_features" else True})


def takes_gaps(part: Any) -> bool:
    """Return whether a category may be missing, or must have a value of its own instead."""
    return package_of(part) != "catboost"


def fault_of_trial(estimator: Any) -> str | None:
    """Return why an estimator cannot be fitted to a few examples, or None if it can.

    Parameters
    ----------
    estimator : estimator
        Of one of the `PACKAGES`, not fitted. Its number of rounds becomes 1.
    """
    package = PACKAGES[package_of(estimator)]
    given = estimator.get_params(deep=False)
    if any(isinstance(value, list | tuple | dict) for value in given.values()):
        return None  # such as one value a column, of columns that nobody has seen here
    sizes = [name for name in package.sizes if given.get(name) is not None] or package.sizes[:1]
    for name in sizes:
        if not isinstance(given.get(name), int) or given[name] > 1:
            estimator.set_params(**{name: 1})
    settle(estimator, 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    # Two and three classes; as numbers these are between 0 and 1, as some losses ask.
    wrong = ""
    for n_classes in (2, 3):
        y = np.arange(60) % n_classes
        numbers = (y + 1) / (n_classes + 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator.fit(X, y if hasattr(estimator, "predict_proba") else numbers)
        except Exception as error:
            wrong = wrong or _plain(str(error))
        else:
            return None
    return f"{type(estimator).__name__} cannot be fitted: {wrong}"


def _plain(message: str) -> str:
    """Return the first line of a message without time and places in the source."""
    first = message.strip().partition("\n")[0]
    first = re.sub(r"^(\[[\d:]+\] )?(\S+:\d+: )?", "", first)
    return re.sub(r" at \S+, line \d+ ?\.?$", "", first)
