"""Data sets that scikit-learn carries, under the names and labels of their cards."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from quadrepro.data.canonical import RawTable, nominal_column, numeric_column
from quadrepro.data.card import Attribute


def wine() -> RawTable:
    """Return the 178 wines of `sklearn.datasets.load_wine`.

    scikit-learn numbers the cultivars 0, 1, 2; UCI, and so the card, 1, 2, 3. The one attribute
    with a slash in its name gets an underscore. All numbers equal those of UCI's file.
    """
    from sklearn.datasets import load_wine

    bunch = load_wine()
    names = [name.replace("/", "_") for name in bunch.feature_names]
    return RawTable(
        tuple(Attribute(name=name, kind="numeric") for name in names),
        {name: numeric_column(bunch.data[:, j]) for j, name in enumerate(names)},
        nominal_column(str(label + 1) for label in bunch.target),
    )


LOADERS: MappingProxyType[str, Callable[[], RawTable]] = MappingProxyType({"wine": wine})
"""The loaders by the name of their data set."""
