"""Choosing a candidate of a learner: one protocol, one result, one module per way to choose.

A search sees a `quadrepro.learners.training.Trainer` and nothing else, so it works for every
learner.
"""
