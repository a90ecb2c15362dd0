"""Tries to break the command line with mangled and hostile files, and kills: ``make stress``."""
