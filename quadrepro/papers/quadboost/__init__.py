"""QuadBoost."""
