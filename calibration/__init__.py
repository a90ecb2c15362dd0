"""Simulated worlds in which every judgement of the package is compared with the truth."""
