"""Training of candidates and the choice among them; learners by name and their shared parts."""
