"""The report of a study: typed values and figures in, every surface out, from the terminal to LaTeX."""
