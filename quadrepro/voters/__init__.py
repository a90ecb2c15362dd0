"""Stumps and the voter matrix."""
