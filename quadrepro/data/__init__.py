"""Data sets: their cards, the sources of their rows, and the arrays for learners."""
