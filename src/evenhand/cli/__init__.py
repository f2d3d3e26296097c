"""The command line: thin, over the workflow."""
