"""Loops compiled by numba; for each of them numpy code elsewhere gives the same bytes."""
