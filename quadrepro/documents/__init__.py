"""YAML files that users write: reading, models, and errors with their place."""
