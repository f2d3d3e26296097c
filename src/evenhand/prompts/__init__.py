"""Prompt templates and how they become chat messages."""
