"""What is measured of every candidate of a path: errors, margins and bounds.

A config names measures under ``measures`` if it chooses nothing. `registry` has one entry per
measure; its function is imported when the measure is first taken.
"""
