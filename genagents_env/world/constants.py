"""Everything of a town that never changes in an episode: what its worlds share."""

from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Scenario
from genagents_env.world.access import EntryRights
from genagents_env.world.clock import Clock
from genagents_env.world.paths import PlacePaths
from genagents_env.world.people_table import PeopleTable
from genagents_env.world.places import Places, build_tree
from genagents_env.world.sight import Sight, Surroundings
from genagents_env.world.tiles import Ground


class TownConstants:
    """The map, the people, the clock, and what is computed from them.

    `tree` is the containment tree world > sector > arena > object, a networkx graph of ids;
    `around` has the surroundings of each person, by vision radius.
    """

    def __init__(self, scenario: Scenario, plan: TownPlan) -> None:
        self.scenario, self.plan = scenario, plan
        self.ground = Ground(plan)
        self.places = Places(plan)
        self.tree = build_tree(plan, scenario.town)
        self.people = PeopleTable(scenario, self.places)
        self.names = self.people.names
        self.rights = EntryRights(plan, self.places, scenario.people)
        self.count = len(self.names)
        self.clock = Clock(scenario.start, scenario.seconds_per_tick)
        self.paths = PlacePaths(self.ground, self.places, scenario)
        radii = self.people.vision.tolist()
        places_of = tuple(self.places.bits_of_arena)
        self.surroundings = {r: Surroundings(self.ground, r, places_of) for r in set(radii)}
        self.around = tuple(self.surroundings[r] for r in radii)
        self.sight = Sight(self.people.vision)
        self.all_places = (1 << len(self.places.all)) - 1
