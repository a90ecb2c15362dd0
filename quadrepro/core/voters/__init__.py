"""Base classifiers, and reductions of voting problems."""
