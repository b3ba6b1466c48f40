"""What a scenario folder may say: the typed form of `scenario.toml` and `people/*.toml`.

Every text has passed `clean`; every reference is checked by the loader, which lists all faults.
Places are written as ids: `sector`, `sector/arena` or `sector/arena/object`.
"""

from genagents_env.scenario.schema.people import (
    SPRITE_LIMIT,
    SPRITE_MARK,
    Lifestyle,
    Past,
    PastBlock,
    PastCommitment,
    PastDay,
    PastMemory,
    PastObject,
    PastTie,
    Person,
    Relationship,
    RoutineEntry,
)
from genagents_env.scenario.schema.places import (
    SIDE_LIMIT,
    ArenaSpec,
    ObjectSpec,
    SectorSpec,
    SpawnSpec,
)
from genagents_env.scenario.schema.plot import (
    GOAL_KINDS,
    GOAL_REWARDS,
    Errand,
    Fact,
    Gathering,
    Goal,
    Reward,
    ScheduledEvent,
)
from genagents_env.scenario.schema.scenario import MAP_LIMIT, ConversationRules, Rules, Scenario
from genagents_env.scenario.schema.success import (
    AnswerCheck,
    Check,
    FactCheck,
    ObjectCheck,
    PlaceCheck,
    Question,
    RecordCheck,
    Success,
    Value,
    ValueCheck,
)

__all__ = [
    "GOAL_KINDS",
    "GOAL_REWARDS",
    "MAP_LIMIT",
    "SIDE_LIMIT",
    "SPRITE_LIMIT",
    "SPRITE_MARK",
    "AnswerCheck",
    "ArenaSpec",
    "Check",
    "ConversationRules",
    "Errand",
    "Fact",
    "FactCheck",
    "Gathering",
    "Goal",
    "Lifestyle",
    "ObjectCheck",
    "ObjectSpec",
    "Past",
    "PastBlock",
    "PastCommitment",
    "PastDay",
    "PastMemory",
    "PastObject",
    "PastTie",
    "Person",
    "PlaceCheck",
    "Question",
    "RecordCheck",
    "Relationship",
    "Reward",
    "RoutineEntry",
    "Rules",
    "Scenario",
    "ScheduledEvent",
    "SectorSpec",
    "SpawnSpec",
    "Success",
    "Value",
    "ValueCheck",
]
