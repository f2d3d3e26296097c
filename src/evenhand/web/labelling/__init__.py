"""Blind labelling in the browser: annotators see three texts and nothing that tells where they come from."""
