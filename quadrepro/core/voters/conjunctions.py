"""Stumps together with conjunctions of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from quadrepro.base.arguments import weighted_examples
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.bits import Bits, Counts, blocks, pack
from quadrepro.core.voters.registry import VoterSetEntry
from quadrepro.core.voters.stumps import Missing, Stumps

SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
"""Whether each stump of a pair is taken as it is or as its complement, in four conjunctions."""


@dataclass(frozen=True, eq=False)
class Tallies:
    """Sums over examples that give the correlation of each stump with the labels.

    They are whole numbers unless the examples have weights.

    Attributes
    ----------
    agreements : ndarray of shape (n_stumps,)
        Hᵀy, the sums of the products of a stump and the label.
    totals : ndarray of shape (n_stumps,)
        The sums of each stump.
    balance, n_examples : int or float
        The sum of the labels, and their number or total weight.
    """

    agreements: Counts | FloatArray
    totals: Counts | FloatArray
    balance: float
    n_examples: float

    @classmethod
    def of(
        cls, X: FloatArray, y: FloatArray, stumps: Stumps, weights: FloatArray | None = None
    ) -> Tallies:
        """Return the sums of fitted stumps over examples with labels -1 and +1.

        Without weights each example counts once.
        """
        if weights is not None:
            return cls._of_weighted(X, y, stumps, weights)
        n = X.shape[0]
        wrong = np.zeros(stumps.thresholds_.size, dtype=np.int64)
        negative = wrong + n
        for rows in blocks(n):
            bits, labels = stumps.pack_stumps(X[rows]), pack(y[None, rows] > 0)
            wrong += np.bitwise_count(bits ^ labels).sum(axis=1, dtype=np.int64)
            negative -= np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        return cls(n - 2 * wrong, n - 2 * negative, 2 * int((y > 0).sum()) - n, n)

    @classmethod
    def _of_weighted(
        cls, X: FloatArray, y: FloatArray, stumps: Stumps, weights: FloatArray
    ) -> Tallies:
        """Add one example after the other, so that equal stumps have equal sums."""
        sums = np.zeros((2, stumps.thresholds_.size))
        for rows in blocks(len(y)):
            H, w = np.where(stumps.stumps_above(X[rows]), 1.0, -1.0), weights[rows]
            sums += np.stack(
                [(H * (w * y[rows])[:, None]).sum(axis=0), (H * w[:, None]).sum(axis=0)]
            )
        return cls(sums[0], sums[1], float((weights * y).sum()), float(weights.sum()))

    def __add__(self, other: Tallies) -> Tallies:
        return Tallies(
            self.agreements + other.agreements,
            self.totals + other.totals,
            self.balance + other.balance,
            self.n_examples + other.n_examples,
        )

    def correlations(self) -> FloatArray:
        """Return the absolute correlation of each stump with the labels, up to a common factor."""
        n = self.n_examples
        covariances = np.abs(n * self.agreements - self.totals * self.balance)
        products = ((n - self.totals) * (n + self.totals)).astype(np.float64)
        # Of a constant stump, rounded weights may leave anything near 0.
        spreads = np.sqrt(np.where(products > 1e-12 * n * n, products, np.inf))
        return np.asarray(covariances / spreads)


class Conjunctions(Stumps):
    """Decision stumps, and conjunctions of two of them on different attributes.

    Of each attribute, the stump with the largest absolute correlation with the labels is taken, and
    of these the best `n_best`. For every pair (g, h) of them there are four further voters, which
    are +1 if g and h, g and not h, not g and h, or neither is +1, and -1 otherwise. Of equal
    correlations, that of the stump of lowest index is taken to be the largest. The columns are
    those of `Stumps`, followed by four for each pair in the order of their indices. Voters for
    missing values are not paired.

    Parameters
    ----------
    per_attribute : int, default 10
        Number of thresholds per attribute, as for `Stumps`.
    n_best : int, default 12
        Number of stumps to pair. If there are fewer attributes, one stump of each is paired.
    min_weight_fraction_leaf : float, default 0.0
        As for `Stumps`; conjunctions may be true of less.
    missing : {"error", "branch"}, default "error"
        What to do with missing values, as for `Stumps`.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_features, per_attribute)
        Thresholds, increasing along each row.
    best_ : ndarray of int, shape (min(n_best, n_features),)
        Indices of the paired stumps among all stumps, increasing.
    gaps_ : ndarray of int, shape (n_gaps,)
        Attributes with a voter for missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import CBBoostClassifier, Conjunctions, Stumps
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5 + [[1, 1]])
    >>> y = X[:, 0] ^ X[:, 1]
    >>> CBBoostClassifier(10, voters=Stumps(1)).fit(X, y).score(X, y) < 0.8
    True
    >>> CBBoostClassifier(10, voters=Conjunctions(1)).fit(X, y).score(X, y)
    1.0
    >>> Conjunctions(1).fit(X, y).get_feature_names_out()[3:5].tolist()
    ['x0 > 0.5 and not x1 > 0.5', 'not x0 > 0.5 and x1 > 0.5']
    """

    def __init__(
        self,
        per_attribute: int = 10,
        n_best: int = 12,
        min_weight_fraction_leaf: float = 0.0,
        *,
        missing: Missing = "error",
    ) -> None:
        super().__init__(per_attribute, min_weight_fraction_leaf, missing=missing)
        self.n_best = n_best

    def fit(
        self,
        X: FloatArray,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Place the thresholds, and choose the stumps to pair.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Labels; those equal to the largest one are one class, all others the other.
        sample_weight : array-like of shape (n_samples,) or None, default None
            How often each example counts; None for once. Examples of weight 0 are left out.

        Returns
        -------
        Conjunctions
            The fitted voters.

        Raises
        ------
        ValueError
            If a parameter is out of range, `y` is None, or X has infinite values or, unless they
            are a branch, missing ones.
        """
        self._check_parameters()
        if y is None:
            raise ValueError("Conjunctions requires y to be passed, but the target y is None")
        X, labels = self._validated(X, y)
        X, labels, weights = weighted_examples(X, labels, sample_weight)
        self._fit_to(X, weights)
        signs = np.where(labels == np.unique(labels)[-1], 1.0, -1.0)
        return self.choose(Tallies.of(X, signs, self, weights))

    def choose(self, tallies: Tallies) -> Self:
        """Choose the stumps to pair, given sums over the examples.

        Parameters
        ----------
        tallies : Tallies
            Sums of the stumps, whose thresholds are placed.

        Returns
        -------
        Conjunctions
            The fitted voters, the same as from the examples themselves.
        """
        found = tallies.correlations().reshape(-1, self.per_attribute)
        first = found.argmax(axis=1)
        rank = np.argsort(-found.max(axis=1), kind="stable")[: self.n_best]
        self.best_ = np.sort(rank * self.per_attribute + first[rank])
        return self

    @property
    def n_voters(self) -> int:
        """Number of columns of the voter matrix."""
        return super().n_voters + 2 * len(self.best_) * (len(self.best_) - 1)

    @property
    def are_chains(self) -> bool:
        """Whether the voters are the thresholds of each attribute in turn: not with pairs."""
        return False

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_voters)
            Values -1 and +1: the stumps, voters for missing values, then the conjunctions.
        """
        check_is_fitted(self, "best_")
        return super().transform(X)

    def matrix(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix of examples that are checked already."""
        H = super().matrix(X)
        first, second = (H[:, stumps] for stumps in self._pairs())
        # The least of two values is +1 only if both are.
        both = np.empty((len(H), first.shape[1], len(SIGNS)))
        for i, (a, b) in enumerate(SIGNS):
            np.minimum(a * first, b * second, out=both[:, :, i])
        return np.hstack([H, both.reshape(len(H), both[0].size)])

    def over_attributes(self, sizes: FloatArray) -> FloatArray:
        """Return numbers of the voters, added up by attributes, see `Stumps.over_attributes`.

        A conjunction counts half for each of its two attributes.
        """
        n_single = super().n_voters
        sums = super().over_attributes(sizes[:n_single])
        halves = sizes[n_single:].reshape(-1, 4).sum(axis=1) / 2
        for stumps in self._pairs():
            np.add.at(sums, stumps // self.per_attribute, halves)
        return sums

    def pack(self, X: FloatArray) -> Bits:
        """Return the voters on some examples as bits, see `quadrepro.core.voters.bits.pack`."""
        bits = super().pack(X)
        ones = pack(np.ones((1, X.shape[0]), dtype=np.bool_))
        g, h = (bits[stumps] for stumps in self._pairs())
        not_g, not_h = g ^ ones, h ^ ones
        both = np.stack([g & h, g & not_h, not_g & h, not_g & not_h], axis=1)
        return np.concatenate([bits, both.reshape(4 * len(g), bits.shape[1])])

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_best < 2:
            raise ValueError(f"n_best must be at least 2, not {self.n_best}")

    def _questions(self, names: list[str]) -> list[str]:
        asked = super()._questions(names)
        pairs = [(asked[g], asked[h]) for g, h in zip(*self._pairs(), strict=True)]
        words = {1: "", -1: "not "}
        return asked + [f"{words[a]}{g} and {words[b]}{h}" for g, h in pairs for a, b in SIGNS]

    def _pairs(self) -> tuple[IntArray, IntArray]:
        pairs = np.array([*combinations(self.best_.tolist(), 2)], dtype=np.intp).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


CONJUNCTIONS = VoterSetEntry(Conjunctions, "decision stumps and conjunctions of them")
