"""Algorithms with the costs that papers state: passes over all examples, and generic solvers."""
