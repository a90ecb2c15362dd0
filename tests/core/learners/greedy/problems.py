"""Small problems with many ties."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

signs = st.sampled_from([-1.0, 1.0])
small_labels = arrays(np.float64, 9, elements=signs)
small_problems = st.tuples(arrays(np.float64, (9, 5), elements=signs), small_labels)
small_samples = arrays(np.float64, (2, 9), elements=st.sampled_from([0.0, 1.0, 3.0])).filter(
    lambda samples: bool((samples.sum(axis=1) > 0).all())
)
