"""What the environment tells each of a scenario's people of themselves: their profiles."""

from genagents_env.profile import AgentID, Profile
from genagents_env.scenario.people import first_memories, list_dated_memories
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import ArenaSpec, Person, Scenario, SectorSpec
from genagents_env.scenario.town_places import find_town_places


def make_profile(
    agent: AgentID, person: Person, scenario: Scenario, plan: TownPlan | None = None
) -> Profile:
    """Return the profile of one of a scenario's people; `plan` as in `find_town_places`."""
    return Profile(
        agent=agent,
        name=person.name,
        age=person.age,
        traits=person.traits,
        persona=person.persona,
        goal=person.goal,
        bed=person.lifestyle.bed,
        wake=person.lifestyle.wake,
        home=person.home,
        workplace=person.workplace,
        relationships={r.to: r.about for r in person.relationships},
        routine=person.routine,
        memories=(*first_memories(person), *person.recent_memories),
        facts=tuple(f for f in scenario.facts if person.name in f.known_by),
        currently=person.currently,
        dated=list_dated_memories(person),
        recency_decay=person.recency_decay,
        vision_radius=person.vision_radius or scenario.rules.vision_radius,
        attention_bandwidth=person.attention_bandwidth,
        retention=person.retention,
        sleeps_in=bed_of(person, scenario),
        town=find_town_places(person, scenario, plan),
        past=person.past,
        recent_memories=person.recent_memories,
        phone=scenario.rules.phone and person.phone,
    )


def bed_of(person: Person, scenario: Scenario) -> tuple[str, str] | None:
    """Return the id of a person's bed and its sleep state, or None where the home has none.

    Of the objects with a `sleep_state` in the sector of `home`, the arena `home` first: the one
    whose users name the person, else the first that is anybody's, in a room open to the person.
    """
    beds = [
        (f"{place}/{item.name}", item.sleep_state, person.name in item.users)
        for place, arena in _rooms_at_home(person, scenario)
        if not arena.users or person.name in arena.users
        for item in arena.objects
        if item.sleep_state is not None and (not item.users or person.name in item.users)
    ]
    beds.sort(key=lambda bed: not bed[2])
    return beds[0][:2] if beds else None


def _rooms_at_home(person: Person, scenario: Scenario) -> list[tuple[str, ArenaSpec]]:
    """Return the rooms of the sector in which a person lives with their ids, one's own first."""
    rooms = [
        (_place(sector, arena), arena)
        for sector in scenario.sectors
        if sector.name == person.home.split("/")[0]
        for arena in sector.arenas
    ]
    return sorted(rooms, key=lambda room: not f"{person.home}/".startswith(f"{room[0]}/"))


def _place(sector: SectorSpec, arena: ArenaSpec) -> str:
    return sector.name if sector.name == arena.name else f"{sector.name}/{arena.name}"
