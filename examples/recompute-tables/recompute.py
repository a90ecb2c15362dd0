"""Recompute published comparisons from `outcomes.csv`, without quadrepro.

    python recompute.py ../../results/table1        # QuadBoost's Tables 1 and 2
    python recompute.py ../../results/ebboost-table2  # EBBoost's errors and margins

`outcomes.csv` says of every cell which test examples are wrong (bits in hexadecimal, the first
example in the highest bit) and holds the moments of the training margins. This script reads nothing
else, computes risks, the Poisson binomial test, means, deviations and pooled margins, and compares
them with the tables that quadrepro wrote beside it. It needs numpy and scipy, and ends with 1 if a
number differs.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import beta

TOLERANCE = 1e-6
MOMENTS = ("n_margins", "margin mean", "margin sd")


def read(path):
    """Return the rows of a CSV file."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def bits(cell):
    """Return which test examples of a cell are wrong."""
    packed = np.frombuffer(bytes.fromhex(cell["wrong"]), dtype=np.uint8)
    return np.unpackbits(packed)[: int(cell["n_test"])].astype(bool)


def probability_better(pairs):
    """Return P(A is better than B on most sets), from the wrong examples of both on each."""
    wins = np.ones(1)  # distribution of the number of sets on which A is better
    for a, b in pairs:
        only_a, only_b = (a & ~b).sum(), (b & ~a).sum()
        p = beta.cdf(0.5, 1 + only_a, 1 + only_b)
        wins = np.append(wins * (1 - p), 0) + np.append(0, wins * p)
    n = len(pairs)
    return sum(wins[k] * beta.cdf(0.5, n - k + 1, k + 1) for k in range(n + 1))


def pooled(cells):
    """Return mean and deviation of all margins, from the moments of each cell."""
    n, mean, sd = (np.array([float(c[k]) for c in cells]) for k in MOMENTS)
    whole = (n * mean).sum() / n.sum()
    squares = ((n - 1) * sd**2 + n * (mean - whole) ** 2).sum()
    return whole, np.sqrt(squares / (n.sum() - 1))


def main(folder):
    """Recompute the tables of a results folder; return 1 if a number differs."""
    cells = defaultdict(list)
    for cell in read(folder / "outcomes.csv"):
        cells[cell["dataset"], cell["algorithm"]].append(cell)
    rows = list(dict.fromkeys(row for row, _ in cells))
    checked, wrong = 0, []

    def check(place, ours, written):
        nonlocal checked
        checked += 1
        if abs(ours - float(written)) > TOLERANCE * max(1.0, abs(ours)):
            wrong.append(f"{place}: {ours:.8g} here, {written} in the table")

    if (folder / "risks.csv").exists():
        for entry in read(folder / "risks.csv"):
            for column in {c for r, c in cells if r == entry["dataset"]}:
                risks = [bits(c).mean() for c in cells[entry["dataset"], column]]
                written = entry[column] if column in entry else entry[f"{column} mean"]
                check(("risk", entry["dataset"], column), np.mean(risks), written)
    if (folder / "comparisons.csv").exists():
        for entry in read(folder / "comparisons.csv"):
            a, b = entry["algorithm"], entry["against"]
            found = [
                probability_better([(bits(cells[r, a][k]), bits(cells[r, b][k])) for r in rows])
                for k in range(len(cells[rows[0], a]))
            ]
            check(("comparison", a, b), np.mean(found), entry["probability"])
    if (folder / "means.csv").exists():
        for entry in read(folder / "means.csv"):
            percent = [100 * bits(c).mean() for c in cells[entry["dataset"], entry["algorithm"]]]
            place = ("mean", entry["dataset"], entry["algorithm"])
            check(place, np.mean(percent), entry["mean"])
            check(("sd", *place[1:]), np.std(percent, ddof=1), entry["sd"])
    if (folder / "margins.csv").exists():
        for entry in read(folder / "margins.csv"):
            place = (entry["dataset"], entry["algorithm"])
            mean, sd = pooled(cells[place])
            check(("margin mean", *place), mean, entry["mean"])
            check(("margin sd", *place), sd, entry["sd"])
    print(f"{checked} numbers recomputed, {len(wrong)} differ", *wrong, sep="\n")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/table1")))
