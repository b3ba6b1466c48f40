"""What every faculty of the minds cost, from the stored model calls alone.

A faculty is the purpose of a call up to its first dot: `plan.day` and `plan.hour` are `plan`.
Rates are per agent and game hour: sums divided by agent-hours, which are the agents who made any
model call times the simulated hours. So the rates of the faculties add up to that of all.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from genagents_env.llm.prices import find_price
from genagents_env.llm.tokens import TokenCounter
from genagents_env.record import RunReader
from genagents_env.record.rows import FacultyRow

ALL = "all"


@dataclass(frozen=True, slots=True)
class HourlyRate:
    """Sums per agent and game hour; `dollars` is None where no price is known."""

    calls: float
    tokens: float
    dollars: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class FacultyCost:
    """The model calls of a faculty, or of `all`.

    Attributes:
        faculty: its name.
        agents: how many made such a call.
        calls: that were answered, or fell back to their default.
        prompt_tokens: read by the model.
        completion_tokens: written by the model.
        dollars: None where no price is known.
        seconds: of wall clock, waited for the model; calls under way together count each.
        fallbacks: calls whose declared default was taken.
        rate: per agent and game hour; None before any time has passed.
    """

    faculty: str
    agents: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: Decimal | None
    seconds: float
    fallbacks: int
    rate: HourlyRate | None

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens


def compute_faculty_costs(run: RunReader) -> tuple[FacultyCost, ...]:
    """Return the cost of every faculty, by name, and last that of `all`; none without a call."""
    rows, agents = run.sum_faculties(), run.count_askers()
    if not rows:
        return ()
    hours = max(0, run.last_tick) * run.meta.seconds_per_tick / 3600
    paid = run.sum_dollars()
    costs = [_compute_cost(row, paid[row.faculty], agents * hours) for row in rows]
    return (*costs, _compute_cost(_sum(rows, agents), paid[None], agents * hours))


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """The embeddings of a run: each text once.

    Attributes:
        model: the embedder's name.
        texts: how many were embedded and stored.
        tokens: of these texts, by the model's own encoding where installed, else an upper bound; 0
            for an embedder in this process.
        dollars: None where no price is known.
    """

    model: str
    texts: int
    tokens: int
    dollars: Decimal | None


def compute_embedding_cost(run: RunReader) -> EmbeddingCost | None:
    """Return what the embeddings of `run` cost; None where nothing was embedded or stored."""
    model, texts = run.meta.embedder, run.list_embedded_texts()
    if model is None or not texts:
        return None
    if not (run.meta.asked_embedder or "").startswith("endpoint:"):
        return EmbeddingCost(model, len(texts), 0, Decimal(0))
    tokens, price = sum(map(TokenCounter(model).count, texts)), find_price(model)
    return EmbeddingCost(
        model, len(texts), tokens, None if price is None else price.cost(tokens, 0)
    )


def _sum(rows: Sequence[FacultyRow], agents: int) -> FacultyRow:
    summed = ("calls", "prompt_tokens", "completion_tokens", "seconds", "fallbacks")
    return FacultyRow(ALL, agents, *(sum(getattr(row, key) for row in rows) for key in summed))


def _compute_cost(row: FacultyRow, dollars: Decimal | None, agent_hours: float) -> FacultyCost:
    rate = None
    if agent_hours:
        rate = HourlyRate(
            row.calls / agent_hours,
            (row.prompt_tokens + row.completion_tokens) / agent_hours,
            None if dollars is None else float(dollars) / agent_hours,
            row.seconds / agent_hours,
        )
    return FacultyCost(**asdict(row), dollars=dollars, rate=rate)
