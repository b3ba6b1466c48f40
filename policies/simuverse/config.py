"""The options of the SimuVerse mind, each with where it comes from.

"Update" is the SimuVerse project update of October 2024; "framework" the authors' later Python code
(SimuVerse_Framework_MK3). All times are game time.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from genagents_env.cognition.query import find_latency

Faculty = Literal["act", "interpret", "talk"]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]


class SimuverseConfig(BaseModel):
    """How replies are read, how tools are paced, and what is remembered."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    small_prompt_tokens: ClassVar[int] = 640
    """The longest prompt of a small model, in tokens."""

    interpreter: Literal["llm", "regex"] = "llm"
    """Who reads a reply: a second model call (update), or a grammar that calls nobody (ours)."""
    allow_idle: bool = False
    """Whether doing nothing is a fifth tool (in the authors' diagram; not in the update)."""
    retry_in_step: bool = True
    """Ask again within the tick after a first invalid reply; else when the next turn is due."""
    memory: Literal["rag", "off"] = "rag"
    """Memory by retrieval (the update's "future development"), or none but the last messages."""
    keep_memory: bool = True
    """Whether memory survives a reset (ours; the update does not say)."""

    exchanges: Positive = 10
    """The most in one conversation (update); the scenario's rule may allow fewer."""
    count: Literal["round", "utterance"] = "round"
    """What an exchange is: one utterance of each, or one of anybody (the update does not say)."""
    silences: Positive = 2
    """After so many empty replies in a row one leaves the conversation (ours)."""

    history: Annotated[int, Field(ge=0, le=200)] = 20
    """The last messages that a prompt shows (framework: 20)."""
    overheard: Count = 4
    """Of these, how many at most may be what others said to one another (ours)."""
    recall: Annotated[int, Field(ge=0, le=50)] = 3
    """Memories brought to mind at a time (framework: 3)."""
    recall_above: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Their least cosine to the last input (framework: 0.6); None follows the embedder: 0.6, and
    0.25 for hashed n-grams, whose cosines are smaller."""
    memory_items: Annotated[int, Field(ge=1, le=100_000)] = 10_000
    """The most that is remembered; what is oldest goes."""

    scan_range: Positive | None = None
    """How far a scan reaches, in tiles; None as far as one sees, which is the most there is."""
    small_scan: Count = 3
    """Things told on arrival (the authors' diagram: a small scan)."""
    talk_range: Positive | None = None
    """Who is not farther may be talked to; None is whoever is in sight. Of somebody out of earshot
    one is told that."""

    turn_seconds: Count = 60
    """At least so long from one choice of a tool to the next; arriving, being spoken to and the
    end of a conversation call for one at once (ours)."""
    idle_seconds: Positive = 300
    """How long one is idle who chose to be (ours)."""
    walk_seconds: Positive = 1800
    """After so long on the way one gives up (ours)."""
    invitation_seconds: Positive = 3600
    """How long an invitation stands in the prompts (ours)."""
    call_seconds: Positive = 600
    """How long a call that finds somebody talking is tried again, once a minute (ours)."""
    sleeps: bool = True
    """Whether one goes to bed by the hours of the profile, without a model (SimuVerse knows no
    night)."""

    prompt_tokens: Annotated[int, Field(ge=400, le=100_000)] | None = None
    """The longest prompt, by an upper bound of its tokens; None follows the model: 640 for a small
    one, 4,000 or what its context allows for others."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    """Of the model's sampling."""
    latency_ticks: Mapping[Faculty, Count] | Count = Field(default_factory=dict)
    """Ticks from the start of a faculty's model call to its effect; 0 where none are given."""

    def latency(self, purpose: str) -> int:
        """Return the ticks that a call takes: those of its faculty, the word before the dot."""
        return find_latency(self.latency_ticks, purpose)
