"""The search for the best cut of a leaf of a tree, see `trees`.

The gains of all cuts by a feature follow from running sums over its sorted lists. With many
examples, this is slow because it visits them in an order that differs from that in memory.
Unweighted targets are then added up in the order of memory, for each chunk of neighbouring
examples in a list. These sums give the gains of the cuts between chunks and upper bounds on the
gains of the cuts inside, so that only few chunks are searched. The best cut is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray, NumberArray
from quadrepro.core.jit import njit

LeafArray = NDArray[np.int32]
ExampleArray = NDArray[np.uint32]

TIED_GAIN = 1e-10
"""Largest relative difference between gains that tie, due to rounding."""

MARGIN = 1e-9
"""Relative margin of the bounds on squared gains, which exceeds rounding and `TIED_GAIN`."""

CODE_BITS = 10
"""Number of bits of the code of a chunk."""

N_ADJACENT = 3
"""Number of features whose codes share 32 bits; the sums of all their chunks fit into a cache."""

N_CODES = 512
"""Number of codes of chunks."""

MOST_CHUNKS = N_CODES - 3
"""Number N of chunks of a list of all examples."""

BLOCK = 8192
"""Number of examples that are added up for all features while they are in a cache."""


class Sorted(NamedTuple):
    """Examples in the order of each feature, except for its most frequent value.

    Running sums start at both ends of a feature and stop before this value, so that a feature that
    is mostly 0 costs only as much as its other values. List 2f holds the examples below the most
    frequent value of feature f, in increasing order; list 2f + 1 holds the examples above it, in
    decreasing order.

    Attributes
    ----------
    values : ndarray of shape (n_features, n_examples)
        The distinct values of each feature, increasing, followed by infinity.
    ranks : ndarray of uint32, shape (n_features, n_examples)
        The index of each example's value among them.
    listed : ndarray of uint32, shape (n_listed,)
        The examples of all lists.
    starts : ndarray of int, shape (2 * n_features + 1,)
        First place of each list; the last entry is `n_listed`.
    """

    values: FloatArray
    ranks: ExampleArray
    listed: ExampleArray
    starts: IntArray

    @classmethod
    def by_features(cls, X: FloatArray) -> Sorted:
        """Sort the examples, shape (n_examples, n_features), by each feature."""
        values, lists = np.full(X.shape[::-1], np.inf), []
        ranks = np.empty(values.shape, dtype=np.uint32)
        for f, column in enumerate(np.ascontiguousarray(X.T)):
            order = column.argsort()  # not stable, and so several times faster
            in_order = column[order]
            firsts = np.flatnonzero(np.append(True, in_order[1:] > in_order[:-1]))
            counts = np.diff(firsts, append=len(order))
            values[f, : len(firsts)] = in_order[firsts]
            ranks[f, order] = np.repeat(np.arange(len(firsts), dtype=np.uint32), counts)
            if len(firsts) < len(order):
                # Equal values get the order of the examples, on every processor.
                few = len(firsts) <= 2**16  # numbers of 16 bits are sorted by their digits
                order = ranks[f].astype(np.uint16 if few else np.uint32).argsort(kind="stable")
            # The last of equally frequent values, so that without ties all lists are upward.
            frequent = len(counts) - 1 - int(counts[::-1].argmax())
            first = firsts[frequent]
            order = order.astype(np.uint32)
            lists += [order[:first], order[first + counts[frequent] :][::-1]]
        starts = np.cumsum([0, *map(len, lists)])
        return cls(values, ranks, np.concatenate(lists), starts)


class Chunks(NamedTuple):
    """The lists of `Sorted` divided into chunks, with work space for sums over these.

    Equal values are in one chunk. Chunks are small at both ends of a feature, where few examples
    decide about a gain: about the share sin²(kπ / 2N) of all examples precedes chunk k of a list.
    Its code is k in an upward list and N - k in a downward list; the most frequent value has the
    code N + 1, the last one.

    Attributes
    ----------
    codes : ndarray of uint32, shape (n_groups, n_examples)
        The codes of each example by N_ADJACENT features; the first has the lowest bits.
    n_chunks : ndarray of int, shape (2 * n_features,)
        Number of chunks of each list.
    starts : ndarray of int, shape (n_features, N_CODES)
        First place of each chunk among the examples of all lists.
    sizes : ndarray of int, shape (n_features, N_CODES)
        Number of examples in each chunk.
    n_values : ndarray of int, shape (n_features, N_CODES)
        Number of distinct values in each chunk.
    count_bits : int
        Number of binary digits of the number of examples.
    order : ndarray of uint32, shape (n_examples,)
        All examples in the order of memory.
    listed, spare : ndarray of uint32, shape (n_examples,)
        Space for the examples of each leaf.
    moments : ndarray of int, shape (2, n_examples)
        Space for `write_moments`.
    sums : ndarray of int, shape (n_leaves, n_groups * N_ADJACENT, N_CODES, 2)
        Space for `add_up`.
    """

    codes: ExampleArray
    n_chunks: IntArray
    starts: IntArray
    sizes: IntArray
    n_values: IntArray
    count_bits: int
    order: ExampleArray
    listed: ExampleArray
    spare: ExampleArray
    moments: IntArray
    sums: IntArray

    @classmethod
    def by_places(cls, examples: Sorted, n_leaves: int) -> Chunks:
        """Divide the lists of all features."""
        n_features, m = examples.ranks.shape
        codes = np.zeros((-(-n_features // N_ADJACENT), m), dtype=np.uint32)
        n_chunks = np.empty((n_features, 2), dtype=np.int64)
        starts, sizes, n_values = np.empty((3, n_features, N_CODES), dtype=np.int64)
        for f, ranks in enumerate(examples.ranks):
            first, middle, last = examples.starts[2 * f : 2 * f + 3]
            counts = np.bincount(ranks)
            below = counts.cumsum() - counts
            upward, downward = below < middle - first, below > middle - first
            places = np.where(upward, below, m - below - counts)
            k = (np.arcsin(np.sqrt(places / m)) * (2 / np.pi * MOST_CHUNKS)).astype(np.int64)
            n_chunks[f] = k[upward].max(initial=-1) + 1, k[downward].max(initial=-1) + 1
            code = np.where(upward, k, np.where(downward, MOST_CHUNKS - k, MOST_CHUNKS + 1))
            shift = np.uint32(f % N_ADJACENT * CODE_BITS)
            codes[f // N_ADJACENT] |= code.astype(np.uint32)[ranks] << shift
            sizes[f] = np.bincount(code, counts, N_CODES)
            n_values[f] = np.bincount(code, None, N_CODES)
            upto = sizes[f].cumsum()
            starts[f] = np.where(
                np.arange(N_CODES) < n_chunks[f, 0],
                first + upto - sizes[f],
                last + middle - first - upto,
            )
        order, moments = np.arange(m, dtype=np.uint32), np.empty((2, m), dtype=np.int64)
        sums = np.empty((n_leaves, len(codes) * N_ADJACENT, N_CODES, 2), dtype=np.int64)
        space = order, order.copy(), order.copy(), moments, sums
        return cls(codes, n_chunks.reshape(-1), starts, sizes, n_values, m.bit_length(), *space)


@njit
def best_cut(
    response: NumberArray,
    weights: FloatArray | None,
    ranks: ExampleArray,
    listed: ExampleArray,
    begins: IntArray,
    ends: IntArray,
    count: int,
    total: NumberArray,
    least: float,
) -> tuple[float, int, np.int64]:
    """Return the root of a leaf's largest gain, the list of its cut, and the highest staying rank.

    `ranks` has shape (n_features, n_examples); the leaf's part of list s is
    ``listed[begins[s] : ends[s]]``.
    """
    if weights is None:
        return _best_whole_cut(
            response.reshape(-1), ranks, listed, begins, ends, count, total[0], least
        )
    return _best_weighted_cut(response, ranks, listed, begins, ends, count, total, least)


@njit
def _best_whole_cut(
    target: NumberArray,
    ranks: ExampleArray,
    listed: ExampleArray,
    begins: IntArray,
    ends: IntArray,
    count: int,
    whole: float,
    least: float,
) -> tuple[float, int, np.int64]:
    """Return the best cut with targets of shape (n_examples,), see `best_cut`."""
    centre, size = whole // count, float(count)
    factors = np.empty(count - 1)
    for i in range(count - 1):
        left, right = i + 1.0, count - i - 1.0
        factors[i] = np.sqrt(size / (left * right)) if min(left, right) >= least else 0.0
    top, best, bound = 0.0, 0, np.int64(0)
    for s in range(len(begins)):
        examples, rank = listed[begins[s] : ends[s]], ranks[s // 2]
        # If cuts tie, the first is taken in an upward list, and the last in a downward list.
        tie = 1.0 + TIED_GAIN if s % 2 == 0 else 1.0 - TIED_GAIN
        floor, total = top * (1.0 + TIED_GAIN), 0
        for i in range(min(len(examples), count - 1)):
            example = examples[i]
            total += target[example] - centre
            gain = abs(float(total)) * factors[i]
            if gain > floor and (i == len(examples) - 1 or rank[example] != rank[examples[i + 1]]):
                top, best, floor = gain, s, gain * tie
                bound = np.int64(rank[example]) - s % 2
    return top, best, bound


@njit
def _best_weighted_cut(
    response: NumberArray,
    ranks: ExampleArray,
    listed: ExampleArray,
    begins: IntArray,
    ends: IntArray,
    count: int,
    sums: NumberArray,
    least: float,
) -> tuple[float, int, np.int64]:
    """Return the best cut with responses of shape (n_examples, 2), see `best_cut`."""
    size, means, n_outputs = sums[0], sums[1:] / sums[0], len(sums) - 1
    totals = np.empty(n_outputs)
    # `top` is S² / (W_L W_R), without the weight W of the leaf.
    top, best, bound = 0.0, 0, np.int64(0)
    for s in range(len(begins)):
        examples, rank = listed[begins[s] : ends[s]], ranks[s // 2]
        tie = (1.0 + TIED_GAIN) ** 2 if s % 2 == 0 else (1.0 - TIED_GAIN) ** 2
        floor, left, total = top * (1.0 + TIED_GAIN) ** 2, 0.0, 0.0
        totals[:] = 0.0
        for i in range(min(len(examples), count - 1)):
            example = examples[i]
            left += response[example, 0]
            if n_outputs == 1:
                total += response[example, 1]
                squares = (total - means[0] * left) ** 2
            else:
                totals[np.int64(response[example, 1])] += response[example, 0]
                squares = 0.0
                for k in range(n_outputs):
                    squares += (totals[k] - means[k] * left) ** 2
            right = size - left
            # Multiplied instead of divided, since rounding may make `right` zero.
            if (
                squares > floor * (left * right)
                and min(left, right) >= least
                and (i == len(examples) - 1 or rank[example] != rank[examples[i + 1]])
            ):
                top, best = squares / (left * right), s
                floor, bound = top * tie, np.int64(rank[example]) - s % 2
    return np.sqrt(top * size), best, bound


@njit
def write_moments(targets: IntArray, count_bits: int, moments: IntArray) -> None:
    """Write each target less the mean of all, then its square and a count of 1 in one number.

    The shape is (2, n_examples). The count has the lowest bits, and the square is rounded up to a
    multiple of 2^64; sums over all examples are below 2^63.
    """
    mean = targets.sum() // len(targets)
    for i in range(len(targets)):
        moments[0, i] = targets[i] - mean
        moments[1, i] = ((abs(moments[0, i]) >> 32) + 1) ** 2 << count_bits | 1


@njit
def add_up(codes: ExampleArray, moments: IntArray, examples: ExampleArray, sums: IntArray) -> None:
    """Write the sums of the moments of examples, (n_part,), in each chunk, (n_rows, N_CODES, 2)."""
    sums[:] = 0
    block = np.empty((BLOCK, 2), np.int64)
    everything = len(examples) == moments.shape[1]
    for start in range(0, len(examples), BLOCK):
        part = examples[start : start + BLOCK]
        for i in range(len(part)):
            block[i, 0], block[i, 1] = moments[0, part[i]], moments[1, part[i]]
        for g in range(len(codes)):
            group, group_sums = codes[g], sums[g * N_ADJACENT : (g + 1) * N_ADJACENT]
            for i in range(len(part)):
                # Unsigned numbers need no check for negative indices.
                word = group[np.uint64(start + i) if everything else np.uint64(part[i])]
                target, square = block[i, 0], block[i, 1]
                for j in range(N_ADJACENT):
                    code = (word >> np.uint32(j * CODE_BITS)) & np.uint32(2**CODE_BITS - 1)
                    # Both are read before one is written, so that they may share an instruction.
                    sum_0, sum_1 = group_sums[j, code, 0] + target, group_sums[j, code, 1] + square
                    group_sums[j, code, 0], group_sums[j, code, 1] = sum_0, sum_1


@njit
def split_sums(
    chunks: Chunks, parent: int, new: int, staying: ExampleArray, moved: ExampleArray
) -> None:
    """Divide the sums of a leaf between its two parts; only the smaller part is added up."""
    sums, new_sums = chunks.sums[parent], chunks.sums[new]
    if len(moved) <= len(staying):
        add_up(chunks.codes, chunks.moments, moved, new_sums)
        sums -= new_sums
    else:
        new_sums[:] = sums
        add_up(chunks.codes, chunks.moments, staying, sums)
        new_sums -= sums


@njit
def best_cut_by_chunks(
    examples: Sorted, chunks: Chunks, leaves: LeafArray, leaf: int, least: float
) -> tuple[float, int, np.int64]:
    """Return the best cut of a leaf, see `best_cut`, from its sums in chunks.

    Inside a chunk of c examples, a running sum of targets t differs from the straight line between
    its values at both ends by at most the root of c Σ t² - (Σ t)², divided by 2 (by Cauchy and
    Schwarz). `leaves` has shape (n_examples,).
    """
    sums, mask = chunks.sums[leaf], (1 << chunks.count_bits) - 1
    count = (sums[0, :, 1] & mask).sum()
    centre, size = sums[0, :, 0].sum() // count, float(count)
    # Only cuts with S² >= floor n_L n_R may be the best.
    floor = (1.0 - MARGIN) * _best_between_chunks(sums, chunks.n_chunks, mask, centre, size, least)
    top, best, bound = 0.0, 0, np.int64(0)
    for s in range(len(chunks.n_chunks)):
        f = s // 2
        rank, feature_sums = examples.ranks[f], sums[f]
        tie = 1.0 + TIED_GAIN if s % 2 == 0 else 1.0 - TIED_GAIN
        must_exceed, left, total = top * (1.0 + TIED_GAIN), 0, 0
        for k in range(chunks.n_chunks[s]):
            code = np.uint64(k if s % 2 == 0 else MOST_CHUNKS - k)
            n_inside, n_left, running = feature_sums[code, 1] & mask, left, total
            left += n_inside
            total += feature_sums[code, 0] - centre * n_inside
            largest, product = abs(float(total)), left * (size - left)
            if chunks.n_values[f, code] > 1:
                squares = float(feature_sums[code, 1] >> chunks.count_bits) * 2.0**64
                spread = n_inside * squares * (1.0 + MARGIN) - float(feature_sums[code, 0]) ** 2
                largest = max(largest, abs(float(running))) + np.sqrt(spread) / 2
                product = _smallest_product(n_left + 1.0, float(left), size, least)
            if n_inside == 0 or largest * largest < floor * product:
                continue
            needed = np.int64(np.sqrt(floor * product))
            start = chunks.starts[f, code]
            for i in range(start, start + chunks.sizes[f, code]):
                example = examples.listed[i]
                if leaves[example] != leaf:
                    continue
                n_left += 1
                running += chunks.moments[0, example] - centre
                if abs(running) < needed or min(n_left, size - n_left) < least:
                    continue
                gain = abs(float(running)) * np.sqrt(size / (n_left * (size - n_left)))
                if gain > must_exceed:
                    following = i + 1
                    while n_left < left and leaves[examples.listed[following]] != leaf:
                        following += 1
                    if n_left == left or rank[example] != rank[examples.listed[following]]:
                        top, best, must_exceed = gain, s, gain * tie
                        bound = np.int64(rank[example]) - s % 2
            floor = max(floor, (1.0 - MARGIN) * top * top / size)
    return top, best, bound


@njit
def _best_between_chunks(
    sums: IntArray, n_chunks: IntArray, mask: int, centre: int, size: float, least: float
) -> float:
    """Return the largest S² / (n_L n_R) of the cuts between chunks, see `best_cut_by_chunks`."""
    best = 0.0
    for s in range(len(n_chunks)):
        feature_sums, left, total = sums[s // 2], 0, 0
        for k in range(n_chunks[s]):
            code = np.uint64(k if s % 2 == 0 else MOST_CHUNKS - k)
            n_inside = feature_sums[code, 1] & mask
            left += n_inside
            total += feature_sums[code, 0] - centre * n_inside
            square, product = float(total) ** 2, left * (size - left)
            if square > best * product and min(left, size - left) >= least:
                best = square / product
    return best


@njit
def _smallest_product(low: float, high: float, size: float, least: float) -> float:
    """Return the smallest product of the sizes of both parts, with from low to high on the left."""
    low, high = max(low, least), min(high, size - max(least, 1.0))
    # The product is concave.
    return min(low * (size - low), high * (size - high)) if low <= high else np.inf
