"""The lecture on AdaBoost."""
