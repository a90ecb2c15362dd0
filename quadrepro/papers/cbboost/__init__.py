"""CB-Boost."""
