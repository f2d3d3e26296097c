"""Perturbations: one controlled change of a pair each, made by rule or supplied by the user."""
