"""Cells computed by workers, and the records that they leave."""
