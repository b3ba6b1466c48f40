"""Names: no two alike, none that means something else."""

from collections.abc import Iterable, Iterator

from genagents_env.scenario.checks.index import ScenarioIndex
from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.text import fold

RESERVED = ("outside", "me", "everyone", "nobody")

Named = tuple[Loc, str]


def check_names(index: ScenarioIndex) -> Iterator[Fault]:
    """Yield names that are taken, reserved, or look like others; ids that come twice."""
    scenario = index.scenario
    people: list[Named] = [(("people", i), p.name) for i, p in enumerate(scenario.people)]
    sectors: list[Named] = [(("sectors", i), s.name) for i, s in enumerate(scenario.sectors)]
    places = list(sectors)
    yield from _find_similar(people, "person")
    yield from _find_similar(sectors, "sector")
    for i, sector in enumerate(scenario.sectors):
        arenas: list[Named] = [
            (("sectors", i, "arenas", j), arena.name) for j, arena in enumerate(sector.arenas)
        ]
        yield from _find_similar(arenas, "arena")
        places += arenas
        for j, arena in enumerate(sector.arenas):
            objects: list[Named] = [
                (("sectors", i, "arenas", j, "objects", k), item.name)
                for k, item in enumerate(arena.objects)
            ]
            yield from _find_similar(objects, "object")
            spawns: list[Named] = [
                (("sectors", i, "arenas", j, "spawns", k), spawn.name)
                for k, spawn in enumerate(arena.spawns)
            ]
            places += objects
            yield from _find_similar([*objects, *spawns] if spawns else [], "object or spawn")
    yield from _check_reserved([*people, *places], scenario.outside)
    yield from _like_places(people, places)
    for key, ids in (
        ("facts", [fact.id for fact in scenario.facts]),
        ("gatherings", [gathering.id for gathering in scenario.gatherings]),
        ("questions", [question.id for question in scenario.questions]),
        ("checks", [check.id for check in scenario.checks]),
        ("success", [success.id for success in scenario.success]),
    ):
        yield from _find_similar([((key, i), id_) for i, id_ in enumerate(ids)], "id", "id")


def _find_similar(named: Iterable[Named], kind: str, key: str = "name") -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for loc, name in named:
        first = seen.get(fold(name))
        seen.setdefault(fold(name), name)
        if first is not None:
            how = "is used twice" if first == name else f"looks like {quote(first)}"
            text = f"the {kind} {quote(name)} {how}; every {kind} has its own name"
            yield Fault((*loc, key), text)


def _check_reserved(named: Iterable[Named], outside: str) -> Iterator[Fault]:
    taken = {*RESERVED, fold(outside)}
    for loc, name in named:
        if fold(name) in taken:
            text = f"{quote(name)} is reserved ({', '.join(sorted(taken))} are); take another name"
            yield Fault((*loc, "name"), text)


def _like_places(people: Iterable[Named], places: Iterable[Named]) -> Iterator[Fault]:
    taken = {fold(name) for _, name in places}
    for loc, name in people:
        if fold(name) in taken:
            yield Fault((*loc, "name"), f"{quote(name)} is a place or an object too; rename one")
