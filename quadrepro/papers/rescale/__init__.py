"""Re-scale boosting."""
