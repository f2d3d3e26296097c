"""``transformers:MODEL``: open weights on torch, through Hugging Face transformers."""
