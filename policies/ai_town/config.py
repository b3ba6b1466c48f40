"""The options of the AI Town mind: every constant with its source, and a switch for each fault.

"Code" is the public AI Town of January 2026 (`2024`, its design since then), "first" that of
September 2023 (`2023`), which the survey of 2023 describes. All times are game seconds.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from genagents_env.cognition.query import find_latency

Preset = Literal["2024", "2023"]
Faculty = Literal["converse", "remember", "reflect"]
Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Words = Annotated[str, Field(min_length=1, max_length=2000)]

# Where the first AI Town has another value than the default.
PRESETS: Mapping[Preset, Mapping[str, object]] = {
    "2024": {},
    "2023": {
        "meet": "collision",
        "message_seconds": 3,
        "talk_seconds": 30,
        "pair_seconds": 0,
        "reflect_after_talk": False,
    },
}


class AiTownConfig(BaseModel):
    """Faculties, constants and faults."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    small_prompt_tokens: ClassVar[int] = 640
    """The longest prompt of a small model, in tokens."""

    preset: Preset = "2024"
    """Whose constants hold where they differ: today's code, or that of 2023."""
    meet: Literal["invite", "collision"] = "invite"
    """How talks begin. `invite`: two, by invitation (code). `collision`: all who come near one
    another, and the model chooses who speaks next and who walks away (first)."""

    accept_chance: Share = 0.8
    """Chance to accept an invitation; whoever speaks in words of their own is always accepted, as
    people are (code)."""
    reach_tiles: Positive = 8
    """Whom one can invite: in the same room and not farther (ours: earshot; code: anybody)."""
    meet_tiles: Positive = 1
    """Who is so near has walked over (code: 1.3 in a straight line)."""
    walk_over_seconds: Positive = 60
    """After so long an invitation lapses, answered or not (code)."""
    typing_seconds: Positive = 15
    """How long one who is seen thinking of words keeps the other silent (code: the lock)."""
    message_seconds: Count = 2
    """Pause after any words (code: 2; first: 3)."""
    awkward_seconds: Positive = 60
    """After so long a silence the one who would not have to speak does (code)."""
    max_messages: Positive = 8
    """The next words after more messages than these are good-bye (code)."""
    talk_seconds: Positive = 600
    """After so long the next words are good-bye (code: 10 minutes; first: it ends after 30 s)."""
    pair_seconds: Count = 60
    """How long two who talked, or one of whom declined, leave each other alone (code)."""
    talk_cooldown: Count = 15
    """After a talk one goes for a walk, and invites nobody for so long (code)."""
    activity_cooldown: Count = 10
    """Within so long after an activity one goes for a walk rather than begin another (code)."""
    invite_cooldown: Count = 15
    """Pause between two attempts to invite (code)."""
    activity_seconds: Positive = 60
    """How long an activity lasts (code)."""
    activities: Annotated[tuple[Words, ...], Field(min_length=1, max_length=20)] = (
        "reading a book",
        "daydreaming",
        "gardening",
    )
    """What one does when one neither walks nor talks, by chance (code)."""
    wander: Literal["town", "near"] = "town"
    """Where to walk: any place one knows, or one in sight (ours; code: any tile of its map)."""
    wander_seconds: Positive = 600
    """After so long on the way one gives up (ours; code: 60 s at seven times the speed)."""
    sleep: bool = True
    """Go to bed by the hours of the profile (ours; there is no night in AI Town)."""

    group_tiles: Positive = 3
    """People nearer than that, in steps, form a group (first)."""
    ends_for_all: bool = True
    """A group's talk ends for everyone once somebody walks away (first)."""

    recall: Positive = 3
    """Memories brought to mind at a time (code)."""
    overfetch: Positive = 10
    """So many times as many are fetched by relevance, then ranked (code)."""
    decay: Annotated[float, Field(gt=0, le=1)] = 0.99
    """Recency is this to the power of the whole hours since the last access (code)."""
    access_seconds: Count = 300
    """An access counts if the one before lies farther back (code: 5 minutes)."""
    default_importance: Annotated[int, Field(ge=0, le=9)] = 5
    """Where the model rates with no number from 0 to 9 (code)."""

    reflection: bool = True
    """Draw insights once enough has happened."""
    reflect_at: Annotated[float, Field(ge=0, le=1e6)] = 500
    """When the importance of what is new adds up to more (code). It takes 56 talks that matter
    most, or 101 of the default importance, of which only 100 are looked at: lower it in short
    runs."""
    reflect_over: Positive = 100
    """The latest memories that are looked at (code)."""
    insights: Positive = 3
    """Drawn at a time (code)."""
    reflect_after_talk: bool = True
    """Look whether it is time to reflect once a talk is remembered (code)."""
    solo_reflection: bool = True
    """Who sets out and has nobody near is set to reflect, if it is time (first)."""

    here_and_now: bool = True
    """Prompts tell where one is and who is there (ours). Off: only date and clock, as in AI Town,
    whose people perceive nothing but talk."""
    plans: Mapping[str, Words] = Field(default_factory=dict)
    """The plan sentence, by the person's name; else the goal of the profile, else what the person
    is up to, else the last sentence of the persona."""
    identities: Mapping[str, Words] = Field(default_factory=dict)
    """The identity paragraph, by the person's name; else the persona."""

    other_identity: bool = False
    """A fault of AI Town: prompts tell the identity of the other, secrets and all."""
    invite_first_in_list: bool = False
    """A fault of the code: of those one may invite it is the first by name, however far."""
    undefined_ties: bool = False
    """A fault of the code: where the candidates tie in one score all scores are void, and only
    relevance counts."""
    recency: Literal["decay", "rising"] = "decay"
    """`rising` is a fault of the first: recency is the hours themselves, old before new."""
    late_words: Literal["drop", "say"] = "drop"
    """Words thought of for so long that the other spoke meanwhile. `say` is a fault of the code."""
    lose_failed: bool = False
    """A fault of the code: a talk whose summary fails is forgotten. Off: its last words stay."""

    prompt_tokens: Annotated[int, Field(ge=400, le=100_000)] | None = None
    """The longest prompt, by an upper bound of its tokens; None follows the model: 640 for a small
    one, 4,000 or what its context allows for others."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    """Of the model's sampling (ours; the code leaves it to the server)."""
    latency_ticks: Mapping[Faculty, Count] | Count = Field(default_factory=dict)
    """Ticks from the start of a faculty's model call to its effect; 0 where none are given."""

    @model_validator(mode="before")
    @classmethod
    def _apply_preset(cls, fields: object) -> object:
        """Apply the preset; what is given by name goes before its value."""
        if not isinstance(fields, Mapping):
            return fields
        given = dict(fields)
        if isinstance(given.get("preset"), int):  # 2023 without quotes, in a file or on a line
            given["preset"] = str(given["preset"])
        preset: Mapping[str, object] = {}
        if given.get("preset") in get_args(Preset):
            preset = PRESETS[given["preset"]]
        return {**preset, **given}

    def latency(self, purpose: str) -> int:
        """Return the ticks that a call takes: those of its faculty, the word before the dot."""
        return find_latency(self.latency_ticks, purpose)
