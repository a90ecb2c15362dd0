"""Training candidates and choosing among them: what learners share, and learners by name."""
