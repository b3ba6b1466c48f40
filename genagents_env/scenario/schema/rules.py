"""The rules of the world, `[rules]`."""

from typing import Annotated, Literal

from pydantic import Field

from genagents_env.scenario.fields import Later, Model, Radius

_SWAP_SECONDS = 10  # a step's time at the usual speed of walking; ours


class ConversationRules(Model):
    """Physics of talk. An exchange is one utterance of a member; times in simulated seconds.

    Attributes:
        max_members: How many may be in one conversation.
        max_exchanges: After how many utterances of one's own one is taken out of it.
        turn_taking: `free`: all may speak in a tick. `one_speaker`: one may. `round_robin`: in
            turn.
        turn_seconds: After which a turn that was not taken passes on, with `round_robin`.
        cooldown_seconds: Before the same two may begin to talk again.
        idle_seconds: Of silence, after which a conversation is over.
    """

    max_members: Annotated[int, Field(ge=2, le=100)] = 4
    max_exchanges: Annotated[int, Field(ge=1, le=1000)] = 10
    turn_taking: Literal["free", "one_speaker", "round_robin"] = "one_speaker"
    turn_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    cooldown_seconds: Annotated[int, Field(ge=0, le=86400)] = 600
    idle_seconds: Annotated[int, Field(ge=1, le=86400)] = 300


class Rules(Model):
    """Rules of the world; radii are in tiles, across or down, whichever is more.

    Attributes:
        walk_speed: Tiles a second.
        paths: How shortest paths are found: `fields`, directions to each goal for all who go there,
            or `astar`, one by one. They are equally long.
        cut_through_houses: Paths may lead through a building on the way to another, as those of
            Park et al. 2023 do.
        bodies_block: Nobody enters a tile on which somebody is; people go round one another, wait,
            change places or move up.
        swap_seconds: For how long one waits before two who face each other change places, or who
            stands in the way makes way.
        vision_radius: How far people see, within a room or outdoors.
        hearing_radius: How far words carry.
        line_of_sight: Walls and corners hide what is behind them.
        overhear: Those in earshot hear what is said to others, too.
        phone: People can talk over any distance, if both have a telephone.
        restart: The action `Restart` puts one back to one's start.
        max_utterance: Characters; what is longer is cut.
        conversation: Those of talk.
    """

    walk_speed: Annotated[float, Field(gt=0, le=10)] = 0.1
    paths: Annotated[Literal["fields", "astar"], Field(exclude_if="fields".__eq__)] = "fields"
    cut_through_houses: Later[bool] = False
    bodies_block: Later[bool] = False
    swap_seconds: Annotated[int, Field(ge=0, le=3600, exclude_if=_SWAP_SECONDS.__eq__)] = (
        _SWAP_SECONDS
    )
    vision_radius: Radius = 8
    hearing_radius: Radius = 8
    line_of_sight: bool = False
    overhear: bool = True
    phone: bool = False
    restart: bool = False
    max_utterance: Annotated[int, Field(ge=1, le=500)] = 500
    conversation: ConversationRules = ConversationRules()
