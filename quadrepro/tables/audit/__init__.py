"""Checks of printed tables by themselves: nothing is computed and no data are read."""
