"""Bounds of the papers as functions of margins, weights and counts, one module per theory.

The functions whose names begin with ``measured_`` take a `quadrepro.measures.trained.Trained` and
are entries of `quadrepro.measures.registry`; all others take plain numbers and arrays.
"""
