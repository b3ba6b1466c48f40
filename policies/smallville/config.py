"""The options of the Smallville mind: which faculties it has, and how each of them works."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from genagents_env.cognition.query import apply_variant, find_latency

Variant = Literal[
    "full",
    "no_reflection",
    "no_reflection_no_planning",
    "no_observation_no_reflection_no_planning",
]
Faculty = Literal["perceive", "summary", "plan", "ground", "react", "converse", "reflect"]
Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]

# The ablations of Park et al. 2023, section 6.2, each with what it leaves out.
VARIANTS: Mapping[Variant, Mapping[str, bool]] = {
    "full": {},
    "no_reflection": {"reflection": False},
    "no_reflection_no_planning": {"reflection": False, "planning": False},
    "no_observation_no_reflection_no_planning": {
        "observation": False,
        "reflection": False,
        "planning": False,
    },
}


class SmallvilleConfig(BaseModel):
    """Faculties and their constants. All times are game time; "paper" is Park et al. 2023."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    small_prompt_tokens: ClassVar[int] = 500
    """The longest prompt of a small model (measured: half the speed for twice the tokens)."""

    variant: Variant = "full"
    """One of the paper's ablations; it switches the faculties below off."""
    observation: bool = True
    """Remember what is seen and heard. Off: neither remembered nor rated."""
    retrieval: bool = True
    """Recall by recency, importance and relevance. Off: the latest memories, no embeddings."""
    describe: bool = True
    """Keep a summary description of the agent, from memory. Off: the profile alone."""
    planning: bool = True
    """Plan days, hours and pieces. Off: the agent lives by the routine of the profile."""
    reaction: bool = True
    """Consider what is seen: go on, talk, wait, or something else. Off: always go on."""
    conversation: bool = True
    """Talk. Off: never opens a conversation, leaves those the agent is drawn into."""
    reflection: bool = True
    """Draw insights from memory."""

    retrieval_weights: Literal["paper", "public_code"] = "paper"
    """See `genagents_env.memory.retrieval.PRESETS`."""
    recall: Positive = 30
    """Memories looked at for each question put to the stream (public code: 30)."""
    prompt_tokens: Annotated[int, Field(ge=400, le=100_000)] | None = None
    """The longest prompt, by an upper bound of its tokens; memories fill what is left. None
    follows the model: 500 for a small one, 4,000 or what its context allows for others."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    """Of the model's sampling."""
    latency_ticks: Mapping[Faculty, Count] | Count = Field(default_factory=dict)
    """Ticks from the start of a faculty's model call to its effect; 0 where none are given."""

    context: Literal["memories", "summary"] = "memories"
    """What the prompts of reacting and talking hold of memory: the memories themselves, or a
    summary of those that matter, which is one more call each time (paper, section 4.3.1)."""

    rate_batch: Annotated[int, Field(ge=1, le=10)] = 8
    """Memories whose importance is asked for in one call (public code: 1)."""
    rate_minutes: Positive = 20
    """The longest that a memory waits for its batch to fill."""
    unrated_importance: Annotated[float, Field(ge=1, le=10)] = 3.0
    """What a memory counts until it is rated, or where rating fails."""

    idle_objects: bool = False
    """Remember that things are idle, which the public code does (64 % of its events); either way
    it counts 1 towards the next reflection, and does not come to mind."""

    describe_hours: Positive = 12
    """How long the summary description serves before it is made anew."""

    status_minutes: Count = 60
    """What one is up to is asked for again after a talk or a reflection, but not within so long; 0
    leaves it to each morning, and so does a small model."""

    grounding: Literal["one_call", "recursive"] = "one_call"
    """Where actions happen: all pieces of an hour in one call, or for each piece sector, then
    arena, then object (paper, section 4.3.1)."""
    piece_minutes: tuple[Positive, Positive] = (5, 15)
    """The shortest and the longest piece of a plan (paper: 5 to 15)."""
    stretch_minutes: Annotated[int, Field(ge=15, le=180)] = 60
    """How much of the day is taken apart into pieces at once (public code: 60)."""
    ahead_minutes: Count = 10
    """How long before they are needed the next pieces are made."""

    react_again_minutes: Positive = 60
    """The same person, or the same object, is considered again after so long."""
    talk_again_seconds: Count = 8000
    """From one conversation to the next with the same person (public code: 800 steps of 10 s)."""
    late_hour: Annotated[int, Field(ge=0, le=24)] = 23
    """From this hour until waking nobody is spoken to (public code: 23); 24 is never."""
    most_messages: Positive = 16
    """Messages of a conversation before the agent takes its leave (public code: 8 rounds of 2)."""

    reflect_at: Positive = 150
    """Sum of the importance of what was observed that makes the agent reflect (paper: 150)."""
    reflect_over: Positive = 100
    """The latest memories that questions are asked about (paper: 100)."""
    questions: Annotated[int, Field(ge=1, le=5)] = 3
    """Questions a reflection asks (paper: 3)."""
    insights: Annotated[int, Field(ge=1, le=8)] = 5
    """Insights a question may lead to (paper: 5)."""
    alike: Annotated[float, Field(gt=0, le=1)] = 0.9
    """Insights whose words are so similar (cosine of hashed n-grams) count as one."""
    thought_days: Positive = 30
    """Thoughts are forgotten after so long (public code: written, never honoured)."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out(cls, fields: object) -> object:
        """Switch off the faculties that the variant lacks."""
        if isinstance(fields, Mapping) and fields.get("variant") in get_args(Variant):
            return apply_variant(fields, VARIANTS[fields["variant"]])
        return fields

    @model_validator(mode="after")
    def _pieces_in_order(self) -> "SmallvilleConfig":
        """Refuse lengths of pieces that cannot be laid out."""
        shortest, longest = self.piece_minutes
        if shortest > longest or longest > self.stretch_minutes:
            raise ValueError("piece_minutes: expected shortest <= longest <= stretch_minutes")
        return self

    def latency(self, purpose: str) -> int:
        """Return the ticks that a call takes: those of its faculty, the word before the dot."""
        return find_latency(self.latency_ticks, purpose)
