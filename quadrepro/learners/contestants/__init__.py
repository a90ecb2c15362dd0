"""Estimators with scikit-learn's interface, of any package, as algorithms of a config."""
