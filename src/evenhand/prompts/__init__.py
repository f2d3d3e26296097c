"""Prompt templates and how they become chat messages."""

from evenhand.prompts.load import DEFAULT_PROMPT, available_prompts, load_prompt, prompt_file
from evenhand.prompts.template import PromptTemplate

__all__ = ["DEFAULT_PROMPT", "PromptTemplate", "available_prompts", "load_prompt", "prompt_file"]
