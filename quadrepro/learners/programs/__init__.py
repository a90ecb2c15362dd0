"""Algorithms that solve linear and quadratic programs."""
