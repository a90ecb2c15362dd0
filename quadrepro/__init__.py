"""Reproduces the tables of boosting papers, beside the printed numbers."""
