"""Tries to break the command line with mangled files and kills; run with ``make stress``."""
