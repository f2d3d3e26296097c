"""Mitigation: what to do with biased verdicts, and what it buys on the user's own. Pure."""
