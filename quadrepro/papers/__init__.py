"""The papers, one folder each, and what a paper of the user's own is read with."""
