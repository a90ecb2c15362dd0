"""A results folder as one HTML page."""
