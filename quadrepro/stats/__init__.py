"""Tests and intervals; they know nothing of experiments."""
