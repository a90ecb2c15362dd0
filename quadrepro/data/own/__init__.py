"""Cards for the user's own files."""
