"""Configs, checked and laid out as cells."""
