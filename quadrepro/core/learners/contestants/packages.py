"""What estimators of other packages need of us: a seed, one thread, silence, and no files.

Parameters that are given stay as they are.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

SEEDS = ("random_state", "random_seed", "seed")
THREADS = ("n_jobs", "thread_count", "nthread", "num_threads")


_FILES = re.compile(r"(^|_)(memory|cache|files?|filenames?|dir|directory|folder|path|uri|url)$")


@dataclass(frozen=True)
class Package:
    """What is particular to a package: other defaults, and parameters that no config may set."""

    defaults: Mapping[tuple[str, ...], Any] = field(default_factory=dict)
    refused: Callable[[], frozenset[str]] = frozenset[str]


_REFUSED_BY_CATBOOST = frozenset(
    {
        *("allow_writing_files", "save_snapshot", "snapshot_file", "train_dir"),
        *("input_borders", "output_borders"),
    }
)


def _refused_by_lightgbm() -> frozenset[str]:
    return _of_lightgbm(
        *("data", "valid", "config", "task", "input_model", "output_model", "output_result"),
        *("machines", "num_machines", "machine_list_filename", "local_listen_port"),
        *("forcedsplits_filename", "forcedbins_filename", "parser_config_file"),
        *("save_binary", "snapshot_freq", "convert_model"),
    )


def _of_lightgbm(*names: str) -> frozenset[str]:
    """Return parameters of LightGBM with all their other names."""
    from lightgbm.basic import _ConfigAliases

    return frozenset(_ConfigAliases.get(*names))


PACKAGES: Mapping[str, Package] = MappingProxyType(
    {
        "lightgbm": Package({("verbose", "verbosity"): -1}, _refused_by_lightgbm),
        "catboost": Package(
            {
                ("logging_level", "verbose", "silent"): "Silent",
                ("allow_writing_files", "train_dir"): False,
            },
            lambda: _REFUSED_BY_CATBOOST,
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

        found |= dict.fromkeys(_of_lightgbm(*_ConfigAliases._get_all_param_aliases()))
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


def fault_of_files(part: Any) -> str | None:
    """Return which parameter of an estimator names a file, a folder or a machine, or None."""
    package = PACKAGES.get(package_of(part))
    refused = package.refused() if package else frozenset[str]()
    for key, value in part.get_params(deep=False).items():
        named = isinstance(value, str | bytes | list | tuple) and _FILES.search(key)
        if named or (key in refused and value not in (None, False)):
            return (
                f"{type(part).__name__} may not have {key!r} in a config: it can read or write"
                " files, or use the network"
            )
    return None
