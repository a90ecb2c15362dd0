"""Ways to choose a candidate of a learner, one per module.

A search sees only a `quadrepro.learners.training.Trainer`, so it works for every learner.
"""
