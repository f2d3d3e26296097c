"""Drift: one judge against a later one on the same pairs, gates on a run's figures, control charts over many runs."""
