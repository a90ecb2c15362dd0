"""From an estimator in a config to the estimator itself, and the parameters it has.

A parameter that takes an estimator is given its name: that of a class of scikit-learn, an import
path, or a mapping of one of them to its own parameters. Nothing is fitted here. What is known of
code of the config's own folder is read from its text, until `build` imports it.

What estimators of other packages need of us is a seed, one thread and silence. Parameters that are
given stay as they are.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from quadrepro.core.learners.contestants.own import place_of_user
from quadrepro.core.learners.contestants.paths import (
    check_path,
    declared,
    find_maker,
    full_path,
    is_estimator,
    own_file,
)
from quadrepro.core.learners.contestants.plain import PlainEstimator, defined_at, is_model
from quadrepro.errors import nearest

TO_DERIVE = (
    "give it fit and predict, or derive it from scikit-learn's BaseEstimator with ClassifierMixin,"
    " RegressorMixin or TransformerMixin, or from quadrepro's Algorithm"
)
"""How code of the user becomes an estimator."""

SEEDS = ("random_state", "random_seed", "seed")
THREADS = ("n_jobs", "thread_count", "nthread", "num_threads")


DEFAULTS: Mapping[str, Mapping[tuple[str, ...], Any]] = MappingProxyType(
    {
        "lightgbm": {("verbose", "verbosity"): -1},
        "catboost": {
            ("logging_level", "verbose", "silent"): "Silent",
            ("allow_writing_files", "train_dir"): False,
        },
    }
)
"""Parameters of a package's estimators, by any of their names, that keep them silent."""


def package_of(estimator: Any) -> str:
    """Return the name of the package that an estimator's class is of."""
    return type(estimator).__module__.partition(".")[0]


def own_names(estimator: Any) -> list[str]:
    """Return the names of an estimator's own parameters, without those of what it holds."""
    if isinstance(estimator, PlainEstimator):
        return [*estimator.get_params()]
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
    wanted |= DEFAULTS.get(package, {})
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


_ONE = re.compile(r"(.+__|.+_)?(estimator|classifier|regressor|transformer)")
_SEVERAL = re.compile(r"(.+__)?(estimators|steps)")

_ANY = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)

KEPT = ("passthrough", "drop")
"""Words that scikit-learn takes in place of an estimator."""


def build(path: str, parameters: Mapping[str, Any], folder: str = "") -> Any:
    """Return a new estimator."""
    maker = find_maker(path, folder)
    is_plain = inspect.isclass(maker) and not is_estimator(maker)
    if is_plain and not is_model(maker):
        raise ValueError(f"{path}{defined_at(maker)} is not an estimator: {TO_DERIVE}")
    takes = inspect.signature(maker).parameters
    is_open = any(p.kind is p.VAR_KEYWORD for p in takes.values())
    given = {key: resolved(key, value, folder) for key, value in parameters.items()}
    own = {key: v for key, v in given.items() if key in takes or (is_open and "__" not in key)}
    try:
        made = maker(**own)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}{place_of_user(error)}"
        raise ValueError(f"{path.partition(':')[2]} cannot be made: {reason}") from None
    estimator = PlainEstimator.of(maker, own) if is_plain else made
    if inspect.isclass(estimator) or not is_estimator(estimator):
        what = f"{path}{defined_at(maker)} returns {type(estimator).__name__}"
        raise ValueError(f"{what}, which is not an estimator: {TO_DERIVE}")
    for key, value in given.items():
        if key not in own:
            _set(estimator, key, value, folder)
    return estimator


def _set(estimator: Any, key: str, value: Any, folder: str) -> None:
    if is_estimator(estimator.get_params(deep=True).get(key)) and isinstance(value, str):
        value = build_step(value, folder)  # in place of a step that is known by its name
    try:
        estimator.set_params(**{key: value})
    except (ValueError, AttributeError):
        what, hint = type(estimator).__name__, nearest(key, names_of(estimator))
        raise ValueError(f"{what} has no parameter {key!r}{hint}") from None


def resolved(key: str, value: Any, folder: str = "") -> Any:
    """Return the value of a parameter, with estimators in place of their names."""
    if _SEVERAL.fullmatch(key) and isinstance(value, list | tuple):
        return named(value, folder)
    return build_step(value, folder) if _names_estimator(key, value) else value


def named(steps: Sequence[Any], folder: str = "") -> list[tuple[str, Any]]:
    """Return estimators with the names that ``make_pipeline`` gives them."""
    from sklearn.pipeline import make_pipeline

    found: list[tuple[str, Any]] = make_pipeline(*(build_step(s, folder) for s in steps)).steps
    return found


def build_step(step: Any, folder: str = "") -> Any:
    """Return the estimator of a name, or of a mapping of a name to parameters."""
    if step in KEPT:
        return step
    name, parameters = step_of(step)
    path = full_path(name)
    known = names(path, parameters, folder)
    for key in parameters:
        if key not in known:
            raise ValueError(f"{name} has no parameter {key!r}{nearest(key, known)}")
    return build(path, parameters, folder)


def step_of(step: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the parameters of a step."""
    if isinstance(step, str):
        return step, {}
    if isinstance(step, Mapping) and len(step) == 1:
        ((name, parameters),) = step.items()
        if isinstance(name, str) and isinstance(parameters, Mapping | None):
            return name, parameters or {}
    raise ValueError(
        "a step must be the name of an estimator, or map its name to parameters, as"
        f" {{PCA: {{n_components: 2}}}}, not {step!r}"
    )


def parts(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and all that it holds among its parameters."""
    yield estimator
    for value in estimator.get_params(deep=True).values():
        if is_estimator(value) and not inspect.isclass(value):
            yield value


def names(path: str, parameters: Mapping[str, Any], folder: str = "") -> tuple[str, ...]:
    """Return the names of all parameters that may be given besides some."""
    known: list[str] = []
    try:
        if runs_own_code(path, parameters, folder):
            own, complete = declared(path, folder)
            known += [*own, *(key for key in parameters if not complete or "__" in key)]
        else:
            takes = inspect.signature(find_maker(path, folder)).parameters.values()
            known += [p.name for p in takes if p.kind not in _ANY]
            flat = {key: value for key, value in parameters.items() if "__" not in key}
            known += names_of(build(path, flat, folder))
    except ValueError:
        # `fault_of` tells what is wrong.
        known += [key for key in parameters if "__" in key or not known]
    return tuple(dict.fromkeys(known))


def names_of(estimator: Any) -> list[str]:
    """Return the names of all parameters of an estimator and of those that it holds."""
    deep = estimator.get_params(deep=True)
    held = {key: v for key, v in deep.items() if is_estimator(v) and not inspect.isclass(v)}
    inner = [f"{key}__{name}" for key, value in held.items() for name in own_names(value)]
    return [*own_names(estimator), *deep, *inner]


def paths_in(path: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return an import path with those of all estimators among the parameters."""
    found = [path]
    for key, value in parameters.items():
        several = isinstance(value, list | tuple) and _SEVERAL.fullmatch(key)
        for step in value if several else [value]:
            if _names_estimator(key, step) or (several and step not in KEPT):
                name, inner = step_of(step)
                found += paths_in(full_path(name), inner)
    return tuple(dict.fromkeys(found))


def _names_estimator(key: str, value: Any) -> bool:
    """Return whether a value of a parameter is the name of an estimator."""
    return isinstance(value, str | Mapping) and value not in KEPT and bool(_ONE.fullmatch(key))


def runs_own_code(path: str, parameters: Mapping[str, Any], folder: str) -> bool:
    """Return whether an estimator, or one among its parameters, is code of the config's folder."""
    return bool(folder) and any(own_file(found, folder) for found in paths_in(path, parameters))


def fault_of(path: str, parameters: Mapping[str, Any], folder: str = "") -> str | None:
    """Return why an estimator cannot have some parameters, or None if nothing is known against it.

    scikit-learn's estimators check values themselves. Those of other packages do so when they are
    fitted, and code of the config's folder when it is called, which is in the first cell.
    """
    try:
        if runs_own_code(path, parameters, folder):
            for found in paths_in(path, parameters):
                check_path(found, folder)
            return None
        for part in parts(build(path, parameters, folder)):
            if hasattr(part, "_parameter_constraints"):
                part._validate_params()
    except ValueError as error:
        return str(error)
    return None
