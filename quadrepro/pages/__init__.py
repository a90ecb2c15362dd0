"""From a results folder to an HTML page that needs nothing else."""
