"""Learners whose weak learner is fitted in every round."""
