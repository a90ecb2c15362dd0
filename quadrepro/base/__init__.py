"""What all rooms use: files, text, YAML, code as text, plugins."""
