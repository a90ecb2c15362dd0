"""What helps to write a config: a first draft, JSON schemas, and the reference of all keys."""
