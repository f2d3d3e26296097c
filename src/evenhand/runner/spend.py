"""What a run has cost, and the limit at which nothing more is sent."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.errors import ConfigError
from evenhand.store import TokenTotals

__all__ = ["Prices", "SpendLimit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars per million tokens, as the provider lists them. We keep no price list: it would be wrong next month.

    Examples
    --------
    >>> Prices.parse("2.50,10").cost(prompt_tokens=1_000_000, completion_tokens=100_000)
    3.5
    """

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(price) and price >= 0 for price in (self.prompt, self.completion)):
            raise ConfigError(
                f"prices {self.prompt:g},{self.completion:g}: expected dollars per million tokens, from 0"
            )

    @classmethod
    def parse(cls, text: str) -> Prices:
        """Read ``PROMPT,COMPLETION``."""
        try:
            prompt, completion = (float(part) for part in text.split(","))
        except ValueError:
            raise ConfigError(
                f"price {text!r}: expected PROMPT,COMPLETION in US dollars per million tokens, such as 2.50,10"
            ) from None
        return cls(prompt=prompt, completion=completion)

    @property
    def text(self) -> str:
        """For people: ``$2.5 and $10 per million prompt and completion tokens``."""
        return f"${self.prompt:g} and ${self.completion:g} per million prompt and completion tokens"

    def cost(self, *, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars; tokens that a provider bills at a cached rate are counted in full."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendLimit:
    """When to send nothing more. It counts every attempt that the run's journal holds, those of earlier calls too.

    Attributes
    ----------
    max_cost
        US dollars; needs prices.
    max_tokens
        Prompt and completion tokens together.
    """

    max_cost: float | None = None
    max_tokens: int | None = None
    prices: Prices | None = None

    def __post_init__(self) -> None:
        if self.max_cost is not None and self.prices is None:
            raise ConfigError("a limit in dollars needs the prices of the endpoint (--price PROMPT,COMPLETION)")
        for name, value in (("cost", self.max_cost), ("tokens", self.max_tokens)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ConfigError(f"limit of {name} is {value}: expected more than 0")

    def reached(self, spent: TokenTotals, *, in_flight: int) -> str | None:
        """Why nothing more may be sent, or None.

        Requests in flight count at the mean of those answered, so that what they bring stays about within the limit.

        Examples
        --------
        >>> spent = TokenTotals(answers=10, prompt_tokens=900, completion_tokens=100, untold=0)
        >>> SpendLimit(max_tokens=1100).reached(spent, in_flight=0) is None
        True
        >>> SpendLimit(max_tokens=1100).reached(spent, in_flight=1)
        'the limit of 1,100 tokens is reached: 1,000 spent, 1 request in flight; raise it to go on'
        """
        if self.max_cost is None and self.max_tokens is None:
            return None
        if spent.untold:
            answers = "1 answer" if spent.untold == 1 else f"{spent.untold:,} answers"
            return (
                f"{answers} came without token counts, so that a limit on cost or tokens can't be kept; "
                "leave the limit out for this endpoint"
            )
        tokens = spent.prompt_tokens + spent.completion_tokens
        coming = in_flight / spent.answers if spent.answers else 0.0
        flying = f", {in_flight:,} request{'s' if in_flight != 1 else ''} in flight" if in_flight else ""
        if self.max_tokens is not None and tokens * (1 + coming) >= self.max_tokens:
            return f"the limit of {self.max_tokens:,} tokens is reached: {tokens:,} spent{flying}; raise it to go on"
        if self.max_cost is not None and self.prices is not None:
            cost = self.prices.cost(prompt_tokens=spent.prompt_tokens, completion_tokens=spent.completion_tokens)
            if cost * (1 + coming) >= self.max_cost:
                return f"the limit of ${self.max_cost:,.10g} is reached: ${cost:,.4f} spent{flying}; raise it to go on"
        return None
