"""Shared by all rooms: files, text, YAML, code as text, registries."""
