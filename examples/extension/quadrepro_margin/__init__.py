"""Boosting towards a margin: an extension of quadrepro."""
