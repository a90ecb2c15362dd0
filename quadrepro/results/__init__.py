"""A results folder: its files, what they say, and its pages."""
