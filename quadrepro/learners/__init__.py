"""Algorithms, each with its estimator: how a learner turns training data into candidates."""
