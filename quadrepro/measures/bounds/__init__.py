"""Bounds on risks and errors, one module per theory."""
