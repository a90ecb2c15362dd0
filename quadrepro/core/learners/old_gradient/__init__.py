"""Gradient boosting over regression trees."""
