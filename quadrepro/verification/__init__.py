"""Certificates for computed cells, checked by code that shares nothing with the algorithms."""
