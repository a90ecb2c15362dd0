"""Algorithms that find a vote over voters, and predictors that train on attributes."""
