"""``openai:MODEL``: any endpoint that speaks OpenAI's chat completions."""
