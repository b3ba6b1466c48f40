"""What a reply names, mapped to what there is: a place, a thing in it, a state of the thing.

What is named exactly is taken; else what means nearly the same; what is like nothing is refused,
and noted. Without an embedder, what shares most words.
"""

from collections.abc import Sequence

from .mind import SmallvilleMind
from .places import find_best_match
from .rooms import KnownRoom, KnownThing

# The cosine from which words are taken for a name. With the sentence model 14 of 20 wordings of a
# state lie above it and are mapped right, none is mapped wrong, and none of 10 that mean no state
# of the thing is mapped at all; at 0.3 it is 15, 1 and 3 (`python -m benchmarks.state_words`).
LIKE = 0.35
_LISTED = 12  # names listed in a note at most
_MOST_WORDS = 120  # characters of a state in the agent's own words: the world keeps no more


async def find_like(mind: SmallvilleMind, words: str, names: Sequence[str]) -> str:
    """Return which of `names` the words mean; empty where they mean none of them."""
    folded = words.casefold().strip()
    exact = next((name for name in names if name.casefold() == folded), "")
    if exact or not folded or not names:
        return exact
    if mind.services.embedder is None:
        return find_best_match(words, names)
    vectors = await mind.services.embed([words, *names])
    scores = (vectors[1:] @ vectors[0]).tolist()
    best = max(range(len(names)), key=lambda k: (scores[k], -k))
    return names[best] if scores[best] >= LIKE else find_best_match(words, names)


async def match_place(mind: SmallvilleMind, said: str, places: Sequence[str]) -> str:
    """Return which of the places offered a reply means; empty, and noted, where it means none."""
    folded = said.casefold().strip()
    for fits in (
        [place for place in places if place.casefold() == folded],
        [place for place in places if place.casefold().startswith(f"{folded}/")],
        [place for place in places if folded.endswith(place.casefold().split("/")[-1])],
    ):
        if folded and fits:
            return fits[0]
    found = await find_like(mind, said, list(places))
    if not found:
        mind.note_wish(f"place: {said!r}; allowed: {_list_some(places)}")
    return found


async def match_use(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], place: str, thing: str, state: str
) -> tuple[str, str, str]:
    """Return place, id of the thing and its new state for what a reply names.

    A thing of another room of the building is gone to; one that is nowhere in it is not used.
    """
    here = next((room for room in rooms if room.id == place), None)
    near = [room for room in rooms if here is not None and room.sector == here.sector]
    found = await _find_thing(mind, [here] if here is not None else [], thing)
    found = found or await _find_thing(mind, near, thing)
    if found is None:
        named = [item.name for room in near for item in room.things]
        mind.note_wish(f"{place}: {thing!r}; there are: {_list_some(named)}")
        return place, "", ""
    use = await match_state(mind, found, state)
    return found.id.rpartition("/")[0], found.id, use


async def _find_thing(
    mind: SmallvilleMind, rooms: Sequence[KnownRoom], thing: str
) -> KnownThing | None:
    things = {item.name: item for room in reversed(rooms) for item in room.things}
    name = await find_like(mind, thing.split("/")[-1], list(things))
    return things[name] if name else None


async def match_state(mind: SmallvilleMind, thing: KnownThing, state: str) -> str:
    """Return the state that the words mean for a thing; empty, and noted, where it allows none."""
    if not state.strip():
        return ""
    if thing.free_text:
        exact = (one for one in thing.states if one.casefold() == state.casefold())
        return next(exact, state[:_MOST_WORDS])
    found = await find_like(mind, state, thing.states)
    if not found:
        mind.note_wish(f"{thing.id}: {state!r}; allowed: {_list_some(thing.states)}")
    return found


def _list_some(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED])
