"""Prompt templates and how they become chat messages."""

from evenhand.prompts.axes import AXES, Axis, Level, parse_axes
from evenhand.prompts.design import BASE, Base, Design, design_grid
from evenhand.prompts.load import DEFAULT_PROMPT, available_prompts, load_prompt, prompt_file
from evenhand.prompts.template import PromptTemplate

__all__ = [
    "AXES",
    "BASE",
    "DEFAULT_PROMPT",
    "Axis",
    "Base",
    "Design",
    "Level",
    "PromptTemplate",
    "available_prompts",
    "design_grid",
    "load_prompt",
    "parse_axes",
    "prompt_file",
]
