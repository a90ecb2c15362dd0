"""Cells in, records out: workers, and what is kept."""
