"""Choosing a candidate of a learner."""
