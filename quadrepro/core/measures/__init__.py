"""Numbers kept of every candidate, and the bounds of the papers."""
