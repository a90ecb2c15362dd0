"""Empirical Bernstein Boosting."""
