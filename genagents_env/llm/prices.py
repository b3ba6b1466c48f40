"""Prices of tokens: the list prices of the package genai-prices, and the user's own."""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

_MILLION = Decimal(1_000_000)
_PACKAGE = "genai-prices"  # imported only where a price is needed: that is slow
_DATE = re.compile(r"-20\d\d-?\d\d-?\d\d$", re.ASCII)
# A model with one of these prices has no price by tokens alone.
_BESIDE_TOKENS = ("requests_kcount", "output_reasoning_mtok", "output_citation_mtok")

# Dollars per million tokens read and written. A list price also has those of tokens read from and
# written to the endpoint's cache, and its source.
StoredPrice: TypeAlias = tuple[str, str] | tuple[str, str, str | None, str | None, str]


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens.

    Attributes:
        input_per_million: of tokens read.
        output_per_million: of tokens written.
        cached_per_million: of tokens read from the endpoint's cache; None is `input_per_million`.
        cache_write_per_million: of tokens read and cached; None is `input_per_million`.
        source: of a list price; empty where the user gave it.
    """

    input_per_million: Decimal
    output_per_million: Decimal
    cached_per_million: Decimal | None = None
    cache_write_per_million: Decimal | None = None
    source: str = field(default="", compare=False)

    def cost(
        self, prompt_tokens: int, completion_tokens: int, cached: int = 0, cache_write: int = 0
    ) -> Decimal:
        """Return the exact dollars of that many tokens.

        Args:
            prompt_tokens: read.
            completion_tokens: written.
            cached: those of `prompt_tokens` that came from the endpoint's cache.
            cache_write: those of `prompt_tokens` that were written to it.
        """
        whole = self.input_per_million
        spent = prompt_tokens * whole + completion_tokens * self.output_per_million
        for tokens, price in (
            (cached, self.cached_per_million),
            (cache_write, self.cache_write_per_million),
        ):
            if price is not None:
                spent += tokens * (price - whole)
        return spent / _MILLION

    def bound(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """Return the most that so many tokens can cost, with or without a cache."""
        cache_write = (
            prompt_tokens if (self.cache_write_per_million or 0) > self.input_per_million else 0
        )
        return self.cost(prompt_tokens, completion_tokens, 0, cache_write)

    def pack(self) -> StoredPrice:
        """Return the price as texts, for a run file."""
        read, written = str(self.input_per_million), str(self.output_per_million)
        if not self.source:
            return read, written
        cached, cache_write = (
            None if price is None else str(price)
            for price in (self.cached_per_million, self.cache_write_per_million)
        )
        return read, written, cached, cache_write, self.source


FREE = Price(Decimal(0), Decimal(0))
LOOPBACK = ("127.0.0.1", "localhost", "::1")  # hosts on this machine: free of charge


def unpack_price(stored: StoredPrice) -> Price:
    """Return the price from the texts in a run file."""
    read, written = Decimal(stored[0]), Decimal(stored[1])
    if len(stored) == 2:
        return Price(read, written)
    cached, cache_write = (None if price is None else Decimal(price) for price in stored[2:4])
    return Price(read, written, cached, cache_write, stored[4])


def find_price(model: str, base_url: str | None = None, at: datetime | None = None) -> Price | None:
    """Return the list price of `model`, or None where it is not known.

    The vendor is that of `base_url`, or else the one whose models have such names. A dated name
    that is not listed has the price of its family. Of prices by the hour the highest of the day is
    taken; of prices that rise with long prompts (32,000 tokens and more) the lowest. Discounts, as
    for batches, are left out.

    Args:
        model: its name at the endpoint.
        base_url: of the endpoint.
        at: time of the request; None is now.
    """
    vendor, now = _find_vendor(model, base_url), at or datetime.now(UTC)
    listed = _list_day(vendor, model, now) or _list_day(vendor, _DATE.sub("", model), now)
    read, written, cached, cache_write = (
        max((_find_base(price, kind) for price in listed), key=lambda cost: cost or 0, default=None)
        for kind in ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
    )
    if read is None or any(getattr(listed[0], kind) is not None for kind in _BESIDE_TOKENS):
        return None
    return Price(
        read, written or Decimal(0), cached, cache_write, f"{describe_list()} for {vendor}"
    )


def describe_list() -> str:
    """Return the name and version of the price list, and the day of its last change in force."""
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import StartDateConstraint

    changes = [
        change.constraint.start_date
        for provider in get_snapshot().providers
        for model in provider.models
        for change in (model.prices if isinstance(model.prices, list) else ())
        if isinstance(change.constraint, StartDateConstraint)
    ]
    today = datetime.now(UTC).date()
    last = max(change for change in changes if change <= today)
    return f"{_PACKAGE} {version(_PACKAGE)} of {last}"


def _find_vendor(model: str, base_url: str | None) -> str:
    """Return the vendor of a model, by address or else by name; OpenAI where neither is known."""
    from genai_prices.data_snapshot import get_snapshot

    for where in ((None, None, base_url), (model.lower(), None, None)):
        with suppress(LookupError):
            vendor: str = get_snapshot().find_provider(*where).id
            return vendor
    return "openai"


def _list_day(vendor: str, model: str, now: datetime) -> list["ModelPrice"]:
    """Return the prices of a model in each hour of a day; none where it is not listed."""
    from genai_prices import Usage, calc_price

    times = [now + timedelta(hours=hour) for hour in range(24)]
    with suppress(LookupError):
        return [
            calc_price(Usage(), model, provider_id=vendor, genai_request_timestamp=time).model_price
            for time in times
        ]
    return []


def _find_base(price: "ModelPrice", kind: str) -> Decimal | None:
    amount = getattr(price, kind)
    return amount if amount is None or isinstance(amount, Decimal) else amount.base
