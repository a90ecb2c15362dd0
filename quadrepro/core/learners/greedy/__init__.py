"""The greedy loop, and the algorithms that are step rules of it."""
