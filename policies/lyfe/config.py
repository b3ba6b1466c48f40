"""The options of the Lyfe mind: its faculties, its ablations, and every constant with its source.

"Paper" is Lyfe Agents (Kaiya et al. 2023); "release" the code its authors published. The defaults
are the release's but for a few that say so; `preset` takes the values of either. A release tick is
a sixth of a second.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from genagents_env.cognition.query import apply_variant, find_latency

Variant = Literal["full", "no_option_action", "no_self_monitor", "no_summarize_and_forget"]
Preset = Literal["default", "release", "paper"]
Faculty = Literal["controller", "talk", "reflect", "outlook", "monitor", "memory"]
Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Cosine = Annotated[float, Field(gt=0, le=1)]

# The ablations of the paper's appendix E, each with the one switch that it is.
VARIANTS: Mapping[Variant, Mapping[str, bool]] = {
    "full": {},
    "no_option_action": {"option_action": False},
    "no_self_monitor": {"self_monitor": False},
    "no_summarize_and_forget": {"saf_memory": False},
}
# What both have: a talk ends by the clock, and one reflects after each.
_BY_THE_CLOCK: Mapping[str, object] = {
    "again": 0.1,
    "answer_seconds": 0,
    "recent_recall": 1,
    "long_recall": 3,
    "alike_above": 1.0,
    "reflect_after": 0,
    "boredom_per_second": 0.0018,
    "pass_utterances": 1,
}
# Where the release, or the paper's text, has another value than the default.
PRESETS: Mapping[Preset, Mapping[str, object]] = {
    "default": {},
    "release": {**_BY_THE_CLOCK, "repetition_of": "heard", "outlook_minutes": 0},
    "paper": {
        **_BY_THE_CLOCK,
        "repetition_of": "own",
        "work_items": 5,
    },
}


_BESIDE: Mapping[Faculty, int] = {"monitor": 1}


class LyfeConfig(BaseModel):
    """Faculties and their constants. All times are game time."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    small_prompt_tokens: ClassVar[int] = 640
    """The longest prompt of a small model (measured: half the speed for twice the tokens)."""

    variant: Variant = "full"
    """One of the paper's ablations; it switches one of the three faculties below off."""
    preset: Preset = "default"
    """Whose constants hold where they differ from the defaults."""
    option_action: bool = True
    """Stay within an option until it ends. Off: the controller is asked at every tick (E.1)."""
    self_monitor: bool = True
    """Keep a summary of what goes on. Off: goal and latest observations stand in its place, and
    go to memory as they are (E.2)."""
    saf_memory: bool = True
    """Summarize and forget. Off: one list of memories that only grows (E.3)."""

    work_items: Positive = 4
    """Items of work memory (release: 4; paper: 4 to 5)."""
    buffer_items: Positive = 6
    """Latest observations held for those who do not monitor themselves (release: 6)."""
    buffer_seconds: Positive = 60
    """How long they are held (release: one minute)."""
    recent_items: Annotated[int, Field(ge=2, le=1000)] = 10
    """Recent memory; when it is full it goes to long memory (release: 10)."""
    recent_recall: Count | None = None
    """Recent memories brought to mind at a time; None follows the model: 1 for the embedded one,
    else 3 (release: 1)."""
    long_items: Annotated[int, Field(ge=1, le=100_000)] = 10_000
    """Long memory; what is oldest goes when it is full (release: 10,000)."""
    long_recall: Count | None = None
    """Long memories brought to mind at a time; None follows the model: 3 for the embedded one,
    else 12 (release: 3)."""
    alike_above: Cosine = 0.75
    """Of memories at least so similar only the nearest is brought to mind, and none that is so
    similar to what the prompt shows anyway (ours; paper and release bring the nearest, 1)."""
    forget_above: Cosine = 0.9
    """Memories at least so similar to a new one are forgotten (cosine; release: 0.9)."""
    cluster_above: Cosine = 0.875
    """Memories at least so similar are merged, directly or by others between them (release:
    DBSCAN with eps 0.5 and one sample on unit vectors, which is this cosine)."""

    repetition_window: Positive = 20
    """Utterances looked back on (release: 20)."""
    repetition_above: Cosine = 0.9
    """An utterance more similar than that to one of them repeats it (release: 0.9)."""
    repetition_times: Positive = 3
    """Repeats that end a talk (release: 3)."""
    repetition_of: Literal["both", "own", "heard"] = "both"
    """Whose utterances (release: those heard; paper: the agent's own)."""
    option_seconds: Positive = 120
    """After so long talking the agent thinks anew (release: two minutes)."""
    answer_seconds: Count = 60
    """How long after a question its answer is waited for: so long a talk does not end, though its
    time is over, and one who was spoken to may choose to talk (ours; paper and release: 0)."""
    closing_seconds: Positive = 180
    """After so long past its time a talk ends, whatever is still asked in it (ours)."""
    reflect_after: Count = 2
    """So much must be new, to the summary and to the last thought, for the agent to reflect after
    a talk (ours; paper and release: 0, after every talk)."""
    outlook_minutes: Count = 60
    """So long after they were considered last a thought makes the agent ask itself whether goal
    and traits still hold; 0 for never. Never with a small model (paper: they are updated, not
    how; release: 0)."""
    walk_seconds: Positive = 600
    """After so long on the way the agent gives up."""
    again: Share = 1.0
    """Chance that an option which just ended may be chosen again at once (ours: always, since one
    who is left without it can neither answer nor go on; paper and release: 0.1)."""
    boredom_per_second: Annotated[float, Field(ge=0, le=1)] = 0.0003
    """Chance to think anew while nothing happens: about once an hour (release: 0.0003 a tick,
    which is every nine minutes)."""
    summary_after: Positive = 5
    """New events that make the agent update the summary (release: 5, or news of itself)."""
    heard_kept: Positive = 100
    """What was heard is not new again within so many utterances (release: 100)."""
    sights_kept: Positive = 60
    """The same of sights (release: 60)."""
    tokens_per_second: Annotated[float, Field(gt=0, le=100)] = 1.8
    """How fast words are taken in: until then they sound, and others listen (release: a token in
    10/3 ticks)."""
    sounding_seconds: Positive = 20
    """The longest that an utterance sounds."""
    reply_seconds: Positive = 5
    """How much longer the next in turn waits than the one before, who may not want to speak."""
    pass_utterances: Positive = 3
    """Having had nothing to say, the agent lets so many utterances pass, unless named (ours;
    release: 1)."""
    near_tiles: Positive = 5
    """Who is not farther is near enough to talk to."""

    prompt_tokens: Annotated[int, Field(ge=400, le=100_000)] | None = None
    """The longest prompt, by an upper bound of its tokens; memories fill what is left. None
    follows the model: 640 for a small one, 4,000 or what its context allows for others."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    """Of the model's sampling (paper and release: 0.7)."""
    latency_ticks: Mapping[Faculty, Count] | Count = Field(default_factory=lambda: dict(_BESIDE))
    """Ticks from the start of a faculty's model call to its effect; 0 where none are given. The
    self-monitor runs beside what the agent does."""

    @model_validator(mode="before")
    @classmethod
    def _apply_preset(cls, fields: object) -> object:
        """Apply preset and variant; what is given by name goes before a preset's value."""
        if not isinstance(fields, Mapping):
            return fields
        if fields.get("variant") in get_args(Variant):
            fields = apply_variant(fields, VARIANTS[fields["variant"]])
        known = fields.get("preset") in get_args(Preset)
        return {**(PRESETS[fields["preset"]] if known else {}), **fields}

    def count_recalled(self, small: bool) -> tuple[int, int]:
        """Return the numbers of long and recent memories brought to mind at a time."""
        long, recent = (3, 1) if small else (12, 3)
        return (
            long if self.long_recall is None else self.long_recall,
            recent if self.recent_recall is None else self.recent_recall,
        )

    def latency(self, purpose: str) -> int:
        """Return the ticks that a call takes: those of its faculty, the word before the dot."""
        return find_latency(self.latency_ticks, purpose)
