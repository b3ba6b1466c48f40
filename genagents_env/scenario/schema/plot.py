"""What may happen: facts that spread, gatherings, events from outside, and what is rewarded."""

from typing import Annotated, Literal

from pydantic import Field

from genagents_env.scenario.fields import Id, Line, LocalTime, Model, Name, Patterns, Ref


class Fact(Model):
    """Something that can spread.

    Attributes:
        id: By which questions, gatherings, rewards and reports name it.
        statement: The fact as a sentence; policies without a model say it in these words.
        known_by: Who knows it from the start.
        patterns: Hearing it is recognised where any of them is found in what was said: regular
            expressions, in any case; what may stand in them says scenarios/README.md.
        secret: Those who know it from the start keep it to themselves: neither the menu's small
            talk nor the policy `scripted` passes it on.
    """

    id: Id
    statement: Line
    known_by: tuple[Name, ...] = ()
    patterns: Annotated[Patterns, Field(min_length=1)]
    secret: bool = False


class Gathering(Model):
    """An occasion whose attendance is counted.

    Attributes:
        id: By which questions, rewards and reports name it.
        place: Where one has to be.
        start: From when on being there counts.
        end: Until when.
        host: Who gives it, and does not count as invited.
        fact: The fact that is word of it: whoever knows it is invited.
    """

    id: Id
    place: Ref
    start: LocalTime
    end: LocalTime
    host: Name | None = None
    fact: str | None = None


class ScheduledEvent(Model):
    """Something that happens to the town at a time, recorded like an intervention.

    Attributes:
        at: When.
        kind: `news`: `text` is heard at `place`, everywhere without one. `whisper`: `text` is a
            thought of `agent`. `object`: `object` changes to `state`. `move`: `agent` is put at
            `place`. `join`: `agent` comes to the town, at `place` or the own start. `leave`:
            `agent` leaves it.
        agent: To whom it happens.
        place: Where.
        object: Which object changes.
        state: The state it changes to.
        text: The words of news, or of a thought.
    """

    at: LocalTime
    kind: Literal["whisper", "news", "object", "move", "join", "leave"]
    agent: Name | None = None
    place: Ref | None = None
    object: Ref | None = None
    state: Line | None = None
    text: Line | None = None


class Errand(Model):
    """One agent's task for the reward `errand`.

    Attributes:
        agent: Who has to do it.
        object: The object.
        state: The state into which it has to be put.
    """

    agent: Name
    object: Ref
    state: Line


class Reward(Model):
    """What trained policies are rewarded with; see `genagents_env.rewards` for each formula.

    Attributes:
        name: `none`: 0. `attendance`: hours spent at a gathering while it goes on.
            `knowledge_spread`: how many people heard a fact first from one. `errand`: 1 when one's
            object gets into its state by one's own hand.
        fact: Of `knowledge_spread`: which fact; any where it is left out.
        gathering: Of `attendance`: which gathering; any where it is left out.
        errands: Of `errand`: what has to be done.
        step_cost: Of `errand`: taken off at each tick until it is done.
        ends: The episode is over when all errands are done.
    """

    name: Literal["none", "attendance", "knowledge_spread", "errand"] = "none"
    fact: str | None = None
    gathering: str | None = None
    errands: tuple[Errand, ...] = ()
    step_cost: Annotated[float, Field(ge=0, le=1)] = 0.0
    ends: bool = False
