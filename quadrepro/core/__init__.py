"""Everything whose code decides a number, and nothing else."""
