"""Data sets: their cards, where their rows come from, and the arrays that learners see."""
