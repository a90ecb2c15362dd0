"""scikit-learn's estimators over the algorithms."""
