"""Metrics of what records keep: one entry each, computed by scikit-learn's functions."""
