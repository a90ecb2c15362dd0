"""A results folder: its files, their contents, and its pages."""
