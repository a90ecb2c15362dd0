"""Certificates: computed cells, checked by independent code."""
