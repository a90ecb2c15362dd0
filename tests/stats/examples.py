"""Worked examples that were published."""

from __future__ import annotations

# Demšar (2006), Table 6: areas under the ROC curve of C4.5, with m, with cf, and with both. The
# paper ranks unrounded numbers: on voting, .975 with cf is above .975 with both.
DEMSAR = [
    (0.763, 0.768, 0.771, 0.798),
    (0.599, 0.591, 0.590, 0.569),
    (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657),
    (0.882, 0.888, 0.886, 0.898),
    (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685),
    (0.583, 0.583, 0.563, 0.625),
    (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000),
    (0.940, 0.962, 0.965, 0.962),
    (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.975, 0.9749),
    (0.957, 0.978, 0.946, 0.970),
]

# Corani and Benavoli's tutorial: wrong examples of naive Bayes less those of AODE on anneal, in ten
# times tenfold cross-validation; of each ten folds the last two have 89 examples, the others 90.
ANNEAL_COUNTS = [
    *(2, 1, 2, 1, 1, 1, 1, 0, 2, 3, 1, 1, 2, 1, 1, 1, 1, 6, 6, 0),
    *(3, 3, 2, 4, 1, 1, 1, 0, 1, 4, 2, 2, 1, 4, 0, 5, 1, 3, 2, 2),
    *(0, 1, 2, 1, 3, 1, 4, 0, 0, 5, 3, 3, 2, 0, 2, 3, 1, 2, 3, 1),
    *(1, 1, 2, 0, 5, 1, 2, 0, 2, 1, 0, 2, 1, 1, 1, 2, 1, 0, 1, 3),
    *(1, 1, 1, 2, 3, 2, 1, 0, 4, 2, 2, 0, 2, 6, 2, 0, 1, 2, 2, 0),
]
ANNEAL = [count / (90 if i % 10 < 8 else 89) for i, count in enumerate(ANNEAL_COUNTS)]

# Hollander and Wolfe (1973), Table 3.1: depression before and after a first visit.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

# Conover (1999), section 5.8: bottles of five brands sold in seven stores.
SOLD = [
    (5, 4, 7, 10, 12),
    (1, 3, 1, 0, 2),
    (16, 12, 22, 22, 35),
    (5, 4, 3, 5, 4),
    (10, 9, 7, 13, 10),
    (19, 18, 28, 37, 58),
    (10, 7, 6, 8, 7),
]

# García et al. (2010), Table 2: accuracies of PDFC, NNEP, IS-CHC+1NN and FH-GBML on 24 data sets.
GARCIA = [
    (0.752, 0.773, 0.785, 0.795),
    (0.727, 0.748, 0.724, 0.713),
    (0.736, 0.716, 0.585, 0.638),
    (0.994, 0.861, 0.880, 0.791),
    (0.508, 0.553, 0.575, 0.515),
    (0.535, 0.536, 0.513, 0.471),
    (0.967, 0.871, 0.954, 0.532),
    (0.831, 0.807, 0.819, 0.768),
    (0.745, 0.702, 0.719, 0.705),
    (0.709, 0.572, 0.669, 0.607),
    (0.722, 0.728, 0.725, 0.732),
    (0.967, 0.947, 0.953, 0.960),
    (0.832, 0.752, 0.802, 0.691),
    (0.998, 0.992, 0.482, 0.910),
    (0.963, 0.963, 0.954, 0.926),
    (0.982, 0.953, 0.932, 0.630),
    (0.978, 0.773, 0.834, 0.849),
    (0.854, 0.787, 0.841, 0.779),
    (0.965, 0.984, 0.995, 0.947),
    (0.924, 0.887, 0.861, 0.804),
    (0.929, 0.942, 0.931, 0.921),
    (0.837, 0.643, 0.602, 0.554),
    (0.972, 0.956, 0.944, 0.922),
    (0.958, 0.959, 0.964, 0.964),
]

# García and Herrera (2008): mean ranks of C4.5, 1-NN, naive Bayes, Kernel and CN2 on 30 data sets,
# and p-values of their pairs: by itself, and adjusted by the methods of Holm and Shaffer.
MEAN_RANKS = (63 / 30, 97.5 / 30, 66 / 30, 130 / 30, 93.5 / 30)
ADJUSTED = {
    (0, 1): (0.0048, 0.0339, 0.0291),
    (0, 2): (0.8065, 1, 1),
    (0, 3): (4.487e-8, 4.487e-7, 4.487e-7),
    (0, 4): (0.0128, 0.0511, 0.0511),
    (1, 2): (0.0101, 0.0506, 0.0478),
    (1, 3): (0.0080, 0.0478, 0.0478),
    (1, 4): (0.7440, 1, 1),
    (2, 3): (1.736e-7, 1.563e-6, 1.042e-6),
    (2, 4): (0.0247, 0.0742, 0.0742),
    (3, 4): (0.0029, 0.0230, 0.0173),
}

# The vignette of the R package scmamp: p-values of the same pairs by aligned ranks, and adjusted by
# the procedure of Bergmann and Hommel.
ALIGNED = {
    (0, 1): (1.174850e-03, 7.049103e-03),
    (0, 2): (3.341698e-01, 6.683396e-01),
    (0, 3): (2.843421e-10, 2.843421e-09),
    (0, 4): (1.845167e-02, 5.535501e-02),
    (1, 2): (2.265711e-02, 6.797132e-02),
    (1, 3): (2.197407e-03, 8.789629e-03),
    (1, 4): (3.742777e-01, 6.683396e-01),
    (2, 3): (9.226472e-08, 5.535883e-07),
    (2, 4): (1.643229e-01, 1.643229e-01),
    (3, 4): (7.793722e-05, 3.117489e-04),
}


def risks_of_demsar() -> list[tuple[float, ...]]:
    """Return the areas as risks: the lower, the better."""
    return [tuple(1 - area for area in row) for row in DEMSAR]


def column(i: int) -> list[float]:
    """Return the risks of one of Demšar's four methods."""
    return [row[i] for row in risks_of_demsar()]
