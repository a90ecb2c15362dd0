"""Scikit-learn estimators over the learners."""
