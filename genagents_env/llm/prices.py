"""What tokens cost: list prices of well-known models, and the user's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens read and a million tokens written."""

    input_per_million: Decimal
    output_per_million: Decimal

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """Return the exact dollars of that many tokens."""
        spent = prompt_tokens * self.input_per_million + completion_tokens * self.output_per_million
        return spent / _MILLION


FREE = Price(Decimal(0), Decimal(0))
LOOPBACK = ("127.0.0.1", "localhost", "::1")  # hosts on this machine: free of charge

# List prices in US dollars as published by the vendors on this date, without discounts for
# batches or cached prompts. They change: give your own by `prices` where it matters.
LIST_PRICES_DATE = "2025-08-07"
LIST_PRICES: Mapping[str, Price] = {
    name: Price(Decimal(read), Decimal(written))
    for name, read, written in (
        ("gpt-5", "1.25", "10"),
        ("gpt-5-mini", "0.25", "2"),
        ("gpt-5-nano", "0.05", "0.40"),
        ("gpt-4.1", "2", "8"),
        ("gpt-4.1-mini", "0.40", "1.60"),
        ("gpt-4.1-nano", "0.10", "0.40"),
        ("gpt-4o", "2.50", "10"),
        ("gpt-4o-mini", "0.15", "0.60"),
        ("o3", "2", "8"),
        ("o4-mini", "1.10", "4.40"),
        ("gpt-4-turbo", "10", "30"),
        ("gpt-3.5-turbo", "0.50", "1.50"),
        ("text-embedding-3-small", "0.02", "0"),
        ("text-embedding-3-large", "0.13", "0"),
        ("text-embedding-ada-002", "0.10", "0"),
    )
}


def find_price(model: str, prices: Mapping[str, Price] | None = None) -> Price | None:
    """Return the price of `model`, the user's own first, or None when it is not known.

    A dated name (`gpt-4o-2024-11-20`) has the price of its family; other suffixes do not.
    """
    known = {**LIST_PRICES, **(prices or {})}
    if model in known:
        return known[model]
    stem, _, date = model.partition("-20")
    return known.get(stem) if date.replace("-", "").isdigit() else None
