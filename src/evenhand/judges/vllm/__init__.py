"""``vllm:MODEL``: open weights on vLLM's offline engine."""
