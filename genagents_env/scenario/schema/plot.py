"""What may happen: facts that spread, gatherings, events from outside, and what is rewarded."""

from typing import Annotated, Literal, get_args

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
        about: Whom it is about, if anybody: those who know it see that in their observation.
    """

    id: Id
    statement: Line
    known_by: tuple[Name, ...] = ()
    patterns: Annotated[Patterns, Field(min_length=1)]
    secret: bool = False
    about: Name | None = None


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
            `agent` leaves it. `silence`: what `agent` says then, or until `until`, is not said, and
            the agent is told that no word came out. `say`: `agent` says `text` in place of other
            words; who says nothing then says nothing.
        agent: To whom it happens.
        place: Where.
        object: Which object changes.
        state: The state it changes to.
        text: The words of news, of a thought, or of speech.
        until: The end of a silence; without it the silence is of one tick.
    """

    at: LocalTime
    kind: Literal["whisper", "news", "object", "move", "join", "leave", "silence", "say"]
    agent: Name | None = None
    place: Ref | None = None
    object: Ref | None = None
    state: Line | None = None
    text: Line | None = None
    until: LocalTime | None = None


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


GoalKind = Literal["use", "be", "meet", "bring", "tell", "keep", "accuse", "escape"]
GOAL_KINDS: tuple[str, ...] = get_args(GoalKind)


class Goal(Model):
    """What one agent is to achieve; at most two an agent.

    Attributes:
        agent: Whose goal it is.
        kind: `use`: put `object` into `state` by one's own hand. `be`: be at `place`, with `start`
            and `end` for that time, else once. `meet`: stand beside `person`. `bring`: have
            `person` at `place`. `tell`: have `person` know `fact`, or everybody without one.
            `keep`: `person` must not get to know `fact`. `accuse`: put `object` into the state
            that is the name of `person`, with one attempt; whom to name is not shown. `escape`:
            those who accuse by `object` must fail to.
        object: Of `use`, `accuse` and `escape`.
        state: Of `use`.
        place: Of `be` and `bring`; of `meet` and `tell`, where those whom they are about are to be
            found, if that is known.
        person: Of `meet`, `bring`, `tell`, `keep` and `accuse`.
        fact: Of `tell` and `keep`. Of `be`: word of it; place and time are shown, and being there
            counts, from when on the agent knows that fact.
        start: Of `be`: from when on being there counts.
        end: Of `be`: until when.
        worth: What is paid for it; taken off where a `keep` is broken or an `accuse` is wrong.
    """

    agent: Name
    kind: GoalKind
    object: Ref | None = None
    state: Line | None = None
    place: Ref | None = None
    person: Name | None = None
    fact: str | None = None
    start: LocalTime | None = None
    end: LocalTime | None = None
    worth: Annotated[float, Field(gt=0, le=100)] = 1.0


GOAL_REWARDS = ("errand", "goals", "company", "occupancy", "public_goods")  # pay for goals alone
PRESENCE_REWARDS = ("company", "occupancy", "public_goods")  # of the kind `be` alone


class Reward(Model):
    """What trained policies are rewarded with; see `genagents_env.world.rewards` for each formula.

    Attributes:
        name: `none`: 0. `attendance`: hours spent at a gathering while it goes on.
            `knowledge_spread`: how many people heard a fact first from one. `errand`: 1 when one's
            object gets into its state by one's own hand. `goals`: what one's goals are worth.
            `success`: by how much the share of the scenario's successes that hold grows, as far as
            the world tells.
            `company`: being at a place of one's goals in their time, by how many of the others are
            there. `occupancy`: time at the places of one's goals, less once it was enough.
            `public_goods`: time at the places of one's goals; that at `common` counts for all.
        fact: Of `knowledge_spread`: which fact; any where it is left out.
        gathering: Of `attendance`: which gathering; any where it is left out.
        errands: Of `errand`: what has to be done.
        goals: What each agent is to achieve; paid for by `goals`, and those of the kind `be` by
            the rewards after it; seen by the agent in any case.
        deal: At every reset the goals are dealt anew among the agents that have some, by the seed.
        step_cost: Of `errand`, `goals` and `occupancy`: taken off at each tick until one's own are
            done.
        need: Of `occupancy`: ticks at the place after which a goal is done.
        surplus: Of `occupancy`: what a further tick there is worth, as a part of one before.
        common: Of `public_goods`: where one works for all.
        shaping: Of all rewards for goals: the weight of a potential that grows as one comes nearer
            to one's goals, and is 0 at the end; 0 pays for what is achieved alone.
        discount: Of `shaping`: the learner's own discount, for which the optimum stays the same.
        shared: Of all rewards for goals: what agents earn is divided equally among those that
            have goals.
        ends: The episode is over when all errands or goals are done.
    """

    name: Literal[
        "none",
        "attendance",
        "knowledge_spread",
        "errand",
        "goals",
        "success",
        "company",
        "occupancy",
        "public_goods",
    ] = "none"
    fact: str | None = None
    gathering: str | None = None
    errands: tuple[Errand, ...] = ()
    goals: Annotated[tuple[Goal, ...], Field(max_length=8000)] = ()
    deal: bool = False
    step_cost: Annotated[float, Field(ge=0, le=1)] = 0.0
    need: Annotated[int, Field(ge=1, le=10_000)] = 20
    surplus: Annotated[float, Field(ge=0, le=1)] = 0.25
    common: Ref | None = None
    shaping: Annotated[float, Field(ge=0, le=100)] = 0.0
    discount: Annotated[float, Field(gt=0, le=1)] = 0.99
    shared: bool = False
    ends: bool = False

    def list_goals(self) -> tuple[Goal, ...]:
        """Return the goals of everybody, those that are written as errands first."""
        errands = (
            Goal(agent=e.agent, kind="use", object=e.object, state=e.state) for e in self.errands
        )
        return (*errands, *self.goals)
