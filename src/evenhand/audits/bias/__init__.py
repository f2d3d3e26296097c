"""Bias audits beside the position audit: each plans what to ask, and turns verdicts into findings. Pure."""
