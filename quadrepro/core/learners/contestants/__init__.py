"""Estimators of other packages, as configs name them."""
