"""From records and printed numbers to tables."""
