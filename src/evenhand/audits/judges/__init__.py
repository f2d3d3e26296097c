"""Several judges, or several runs, on the same pairs: each one's figures, and what they show beside each other."""
