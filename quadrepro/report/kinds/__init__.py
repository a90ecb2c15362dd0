"""The kinds of tables and figures, one module each."""
