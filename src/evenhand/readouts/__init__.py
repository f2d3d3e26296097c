"""Readouts: from a completion to a verdict or a stated absence of one."""
