"""Algorithms that solve linear or quadratic programs."""
