"""Classes of the user with `fit` and `predict` alone, as estimators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Self


def is_model(maker: Any) -> bool:
    """Return whether a class has `fit` and `predict`."""
    return all(callable(getattr(maker, method, None)) for method in ("fit", "predict"))


def defined_at(maker: Any) -> str:
    """Return where a class or function is defined, as `` (file:line)``, or "" if unknown."""
    try:
        return f" ({inspect.getsourcefile(maker)}:{inspect.getsourcelines(maker)[1]})"
    except (OSError, TypeError):
        return ""


class PlainEstimator:
    """A class with `fit` and `predict`, of which every fit makes a new object.

    Parameters
    ----------
    maker : type
        The class.
    parameters : dict
        Arguments of its constructor, which are the parameters of the estimator; others have their
        defaults.
    """

    def __init__(self, maker: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
        takes = inspect.signature(maker).parameters.values()
        defaults = {p.name: p.default for p in takes if p.default is not p.empty}
        self.maker = maker
        self.parameters = defaults | dict(parameters)

    def __sklearn_tags__(self) -> Any:
        # Reading a config imports this module, but not scikit-learn.
        from sklearn.base import BaseEstimator

        return BaseEstimator().__sklearn_tags__()

    @classmethod
    def of(cls, maker: Callable[..., Any], parameters: Mapping[str, Any]) -> Self:
        """Return an estimator whose class has the name of the user's, as steps are called."""
        named: type[Self] = type(maker.__name__, (cls,), {})
        return named(maker, parameters)

    def __sklearn_clone__(self) -> PlainEstimator:
        return type(self)(self.maker, self.parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments of the constructor."""
        return dict(self.parameters)

    def set_params(self, **parameters: Any) -> Self:
        """Change arguments of the constructor."""
        for key in parameters:
            if key not in self.parameters:
                raise ValueError(f"{self.maker.__name__} has no parameter {key!r}")
        self.parameters |= parameters
        return self

    def fit(self, X: Any, y: Any) -> Self:
        """Make an object of the class and fit it."""
        self.model_ = self.maker(**self.parameters)
        self.model_.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Return what the object predicts."""
        return self.model_.predict(X)

    def __getattr__(self, name: str) -> Any:
        """Return what else the fitted object has, such as `predict_proba`."""
        if name.startswith("__") or "model_" not in vars(self):
            raise AttributeError(name)
        return getattr(self.model_, name)
