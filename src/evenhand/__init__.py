"""Evenhand audits LLM judges."""
