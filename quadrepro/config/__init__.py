"""Configs: what a user writes, checked, and laid out as cells."""
