"""Data sets that scikit-learn bundles, with the names and labels of their cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

from quadrepro._typing import FloatArray
from quadrepro.data.canonical import Column, RawTable, nominal_column, numeric_column
from quadrepro.data.card import Attribute


def wine() -> RawTable:
    """Return the 178 wines of `sklearn.datasets.load_wine`.

    scikit-learn numbers the cultivars 0, 1, 2; UCI and the card number them 1, 2, 3. A slash in
    the name of an attribute becomes an underscore. All numbers equal those of UCI's file.
    """
    from sklearn.datasets import load_wine

    bunch = load_wine()
    names = [name.replace("/", "_") for name in bunch.feature_names]
    return _numeric(names, bunch.data, nominal_column(str(label + 1) for label in bunch.target))


def wdbc() -> RawTable:
    """Return the 569 tumours of `sklearn.datasets.load_breast_cancer`.

    scikit-learn's names ``mean radius``, ``radius error`` and ``worst radius`` become
    ``radius_mean``, ``radius_se`` and ``radius_worst``; its labels ``malignant`` and ``benign``
    become UCI's M and B. All numbers equal those of UCI's file.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    names = [_measure(name) for name in bunch.feature_names]
    labels = [bunch.target_names[label][0].upper() for label in bunch.target]
    return _numeric(names, bunch.data, nominal_column(labels))


def diabetes() -> RawTable:
    """Return the 442 patients of `sklearn.datasets.load_diabetes` in the original units."""
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes(scaled=False)
    # The file has four decimals; versions before 1.8 leave the rounding of a product in some.
    return _numeric(bunch.feature_names, bunch.data.round(4), numeric_column(bunch.target))


LOADERS: MappingProxyType[str, Callable[[], RawTable]] = MappingProxyType(
    {"diabetes": diabetes, "wdbc": wdbc, "wine": wine}
)
"""The loaders by the names of their data sets."""


def _numeric(names: Sequence[str], data: FloatArray, target: Column) -> RawTable:
    return RawTable(
        tuple(Attribute(name=name, kind="numeric") for name in names),
        {name: numeric_column(data[:, j]) for j, name in enumerate(names)},
        target,
    )


def _measure(name: str) -> str:
    first, *others = name.split()
    if others[-1] == "error":
        return "_".join([first, *others[:-1], "se"])
    return "_".join([*others, first])
