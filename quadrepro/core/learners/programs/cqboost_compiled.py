"""Rounds of CqBoost: its master problem, and the voters that are added to it.

The plain code, and why it does what it does, is in `quadrepro.core.learners.programs.cqboost`.
Voter n + j is the complement of voter j.
"""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.compiling import compiled
from quadrepro.core.learners.programs.cqboost import NOISE, PROXIMAL
from quadrepro.core.learners.programs.ordered_compiled import append, backward, dot, forward, remove
from quadrepro.core.learners.programs.program import RESIDUAL, STEPS

VECTOR, MATRIX, PLACES = "float64[::1]", "float64[:, ::1]", "intp[::1]"


@compiled(f"float64({VECTOR})")
def lacking(weights: FloatArray) -> float:
    """Return by how much the sum of the weights is below 1."""
    total: float = weights[0]
    for i in range(1, len(weights)):
        total += weights[i]
    return 1.0 - total


@compiled("float64(float64)")
def noise(beta: float) -> float:
    """Return how much edges may differ by rounding."""
    return NOISE * max(1.0, beta)


@compiled(f"void({VECTOR}, {PLACES}, {MATRIX}, {VECTOR})")
def add_rows(weights: FloatArray, rows: IntArray, matrix: FloatArray, total: FloatArray) -> None:
    """Add the weighted sum of some rows of a matrix to `total`, in their order."""
    i = 0
    # Eight rows at a time are read for one that is written.
    while i + 8 <= len(rows):
        a, b, c, d = matrix[rows[i]], matrix[rows[i + 1]], matrix[rows[i + 2]], matrix[rows[i + 3]]
        e, f, g = matrix[rows[i + 4]], matrix[rows[i + 5]], matrix[rows[i + 6]]
        h = matrix[rows[i + 7]]
        p, q, r, s = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        t, u, v, w = weights[i + 4], weights[i + 5], weights[i + 6], weights[i + 7]
        for j in range(len(total)):
            half = total[j] + p * a[j] + q * b[j] + r * c[j] + s * d[j]
            total[j] = half + t * e[j] + u * f[j] + v * g[j] + w * h[j]
        i += 8
    while i < len(rows):
        weight, row = weights[i], matrix[rows[i]]
        for j in range(len(total)):
            total[j] += weight * row[j]
        i += 1


@compiled(f"void({MATRIX}, {VECTOR}, float64, {PLACES}, {VECTOR}, {VECTOR})")
def update_edges(
    gram: FloatArray,
    margins: FloatArray,
    beta: float,
    support: IntArray,
    q: FloatArray,
    edges: FloatArray,
) -> None:
    """Compute the edges of all voters and complements afresh."""
    n = len(gram)
    weights, rows, products = np.empty(len(support)), np.empty_like(support), np.zeros(n)
    for i in range(len(support)):
        complement = support[i] >= n
        rows[i] = support[i] - n if complement else support[i]
        weights[i] = -q[support[i]] if complement else q[support[i]]
    add_rows(weights, rows, gram, products)
    of_voters, of_complements = edges[:n], edges[n:]
    for j in range(n):
        edge = beta * margins[j] - 2.0 * products[j]
        of_voters[j], of_complements[j] = edge, -edge


@compiled(f"void({MATRIX}, {MATRIX}, {MATRIX}, {PLACES}, intp)")
def join(
    gram: FloatArray, upper: FloatArray, lower: FloatArray, support: IntArray, voter: int
) -> None:
    """Append a voter to the factor over the support."""
    n, column = len(gram), np.empty(len(support))
    row = gram[voter - n if voter >= n else voter]
    for i in range(len(support)):
        product = -row[support[i] - n] if support[i] >= n else row[support[i]]
        column[i] = (-product if voter >= n else product) + 1.0
    diagonal = row[voter - n if voter >= n else voter] + 1.0
    append(upper, lower, len(support), column, diagonal, PROXIMAL)


@compiled(f"float64({MATRIX}, {MATRIX}, {VECTOR}, {VECTOR}, {VECTOR}, float64, {VECTOR})")
def find_move(
    upper: FloatArray,
    lower: FloatArray,
    weights: FloatArray,
    excesses: FloatArray,
    above: FloatArray,
    beta: float,
    out: FloatArray,
) -> float:
    """Write the changes of the weights up to the optimum of any sign; return the change of β."""
    sides = np.empty((3, len(weights)))
    move, ones, surplus = sides[0], sides[1], sides[2]
    for i in range(len(weights)):
        move[i], ones[i], surplus[i] = excesses[i] / 2.0, 1.0, above[i]
    forward(upper, sides)
    squares = dot(ones, ones)
    rest, share = (lacking(weights) - dot(ones, move)) / squares, dot(ones, surplus) / squares
    keeping = np.empty(len(weights))
    for i in range(len(weights)):
        move[i] += rest * ones[i]
        keeping[i] = surplus[i] - share * ones[i]
    squares, price = dot(keeping, keeping), -beta / 2.0
    if squares > NOISE * dot(surplus, surplus):
        price = max(price, (-dot(weights, above) - dot(surplus, move)) / squares)
    for i in range(len(weights)):
        out[i] = move[i] + price * keeping[i]
    backward(lower, out)
    return 2.0 * price


@compiled(f"void({VECTOR}, {VECTOR}, {PLACES}, {VECTOR}, {VECTOR})")
def read(
    q: FloatArray, edges: FloatArray, support: IntArray, weights: FloatArray, excesses: FloatArray
) -> None:
    """Write the weights of the support, and by how much its edges are above ν."""
    for i in range(len(support)):
        weights[i], excesses[i] = q[support[i]], edges[support[i]]
    nu = dot(weights, excesses)
    for i in range(len(support)):
        excesses[i] -= nu


@compiled(
    f"Tuple((intp, float64))({MATRIX}, {VECTOR}, float64, {VECTOR}, {VECTOR}, {PLACES}, intp,"
    f" {MATRIX}, {MATRIX}, float64)"
)
def descend(
    gram: FloatArray,
    margins: FloatArray,
    mu: float,
    q: FloatArray,
    edges: FloatArray,
    places: IntArray,
    size: int,
    upper: FloatArray,
    lower: FloatArray,
    beta: float,
) -> tuple[int, float]:
    """Move to the optimum over the support; return its size, without voters that left it, and β."""
    room, steps = np.empty((4, size)), 0
    support = places[:size]
    weights, excesses, above, move = room[0], room[1], room[2], room[3]
    read(q, edges, support, weights, excesses)
    while steps < STEPS:
        for i in range(size):
            above[i] = margins[support[i]] - mu
        rise = find_move(upper, lower, weights, excesses, above, beta, move)
        if steps == 0 and not move[size - 1] > 0:
            move[:] = 0.0
        leaving, share = -1, np.inf
        for i in range(size):
            if weights[i] + move[i] < -NOISE and weights[i] / -move[i] < share:
                leaving, share = i, weights[i] / -move[i]
        share = min(1.0, share)
        for i in range(size):
            q[support[i]] = max(0.0, weights[i] + share * move[i])
        beta += share * rise
        if leaving >= 0:
            q[support[leaving]] = 0.0
            remove(upper, lower, size, leaving)
            size -= 1
            for i in range(leaving, size):
                places[i] = places[i + 1]
            support = places[:size]
            weights, excesses = weights[:size], excesses[:size]
            above, move = above[:size], move[:size]
        update_edges(gram, margins, beta, support, q, edges)
        read(q, edges, support, weights, excesses)
        if leaving < 0:
            steps += 1
            largest = 0.0
            for i in range(size):
                largest = max(largest, abs(excesses[i]))
            if largest <= noise(beta):
                break
    return size, beta


@compiled(
    f"Tuple((boolean, intp, float64))({VECTOR}, float64, {VECTOR}, {VECTOR}, boolean[::1],"
    f" {PLACES}, float64, float64)"
)
def check(
    margins: FloatArray,
    mu: float,
    q: FloatArray,
    edges: FloatArray,
    is_added: BoolArray,
    support: IntArray,
    beta: float,
    highest: float,
) -> tuple[bool, int, float]:
    """Return whether the residual is small, and the best voter that is not added and its excess."""
    n = len(support)
    weights, levels, above = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        weights[i], levels[i] = q[support[i]], edges[support[i]]
        above[i] = margins[support[i]] - mu
    nu, surplus = dot(weights, levels), dot(weights, above)
    worst = highest - nu
    for i in range(n):
        worst = max(worst, abs(levels[i] - nu))
    residual = max(worst / max(1.0, beta), -surplus)
    residual = max(residual, max(beta * surplus, abs(lacking(weights))))
    largest, best = -np.inf, 0
    for j in range(len(edges)):
        if not is_added[j]:
            largest = max(largest, edges[j])
    for j in range(len(edges)):
        if not is_added[j] and edges[j] >= largest - noise(beta):
            best = j
            break
    excess = largest - nu if largest - nu > noise(beta) else 0.0
    return residual <= RESIDUAL, best, excess


@compiled(
    f"Tuple((intp, intp, intp, float64))({MATRIX}, {VECTOR}, float64, {VECTOR}, {VECTOR},"
    f" boolean[::1], {PLACES}, intp, {PLACES}, intp, {MATRIX}, {MATRIX}, float64, float64, intp)"
)
def take_rounds(
    gram: FloatArray,
    margins: FloatArray,
    mu: float,
    q: FloatArray,
    edges: FloatArray,
    is_added: BoolArray,
    added: IntArray,
    n_added: int,
    support: IntArray,
    n_support: int,
    upper: FloatArray,
    lower: FloatArray,
    beta: float,
    epsilon: float,
    last: int,
) -> tuple[int, int, int, float]:
    """Solve, then add the best voter and solve again, until none is better by more than `epsilon`.

    The run also ends with `last` added voters, or with a residual that is too large.

    Parameters
    ----------
    gram : ndarray of shape (n_voters, n_voters)
        G.
    margins, q, edges : ndarray of shape (2 * n_voters,)
        Of voters and complements; weights and edges are changed in place.
    mu : float
        Least mean margin of the vote.
    is_added : ndarray of bool, shape (2 * n_voters,)
        Which of them are added; changed in place.
    added, support : ndarray of int, shape (2 * n_voters,)
        The first `n_added` and the first `n_support` entries count; changed in place.
    upper, lower : ndarray of shape (n_rows, n_rows)
        The factor over the support and its transpose, with `n_rows` at least `last`; changed in
        place.
    beta : float
        Multiplier of the mean margin.
    epsilon : float
        Excess of an edge that ends the run.
    last : int
        Number of added voters that ends it.
    """
    while True:
        programs, limit = 0, 20 + 10 * n_added
        while True:
            highest, level, joining = -np.inf, -np.inf, 0
            for j in range(len(edges)):
                if is_added[j] and edges[j] > highest:
                    highest, joining = edges[j], j
            for i in range(n_support):
                level = max(level, edges[support[i]])
            if not highest > level + noise(beta):
                break
            join(gram, upper, lower, support[:n_support], joining)
            support[n_support] = joining
            n_support, beta = descend(
                gram, margins, mu, q, edges, support, n_support + 1, upper, lower, beta
            )
            programs += 1
            if programs == limit:
                return -1, n_added, n_support, beta
        optimal, best, excess = check(
            margins, mu, q, edges, is_added, support[:n_support], beta, highest
        )
        if not optimal or not excess > epsilon or n_added >= last:
            return programs, n_added, n_support, beta
        added[n_added] = best
        is_added[best] = True
        n_added += 1
