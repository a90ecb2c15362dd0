"""Algorithms: each gives the voter weights of a whole grid from one call."""
