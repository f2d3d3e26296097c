"""Reports: from findings to terminal, HTML, card and tables."""
