"""The one table of what the page is given: by the server, and in the exported file."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Literal, TypeAlias

from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.show.story.scenes import index_scenes
from genagents_env.show.view.head import RunView, make_head, make_notices, make_status, make_town
from genagents_env.show.view.mind import make_mind
from genagents_env.show.view.percepts import NOT_HERE, PerceptText
from genagents_env.show.view.timeline import (
    count_parts,
    find_asked_parts,
    make_calls,
    make_events,
    make_gatherings,
    make_prompts,
    make_ticks,
)
from genagents_env.show.view.why import make_why, make_whys
from genagents_env.study.evaluate.run_data import RunData

Number: TypeAlias = Literal["agent", "part", "tick"]  # what stands behind the name of a resource
# The escapes of JSON in ASCII, one after another, so that what only looks like one is passed by: a
# pair of surrogates, which is one sign; in the group what nobody sees, or what directs writing
# (control characters but line feed and tab, which JSON writes otherwise, separators of lines, lone
# surrogates); and any other.
_ESCAPE = re.compile(
    r"\\ud[89ab]..\\ud[c-f].."
    r"|(\\u(?:00[01].|007f|00[89].|20(?:2[89a-e]|6[6-9]|0[ef])|061c|feff|d[89a-f]..))"
    r"|\\."
)
_STAND_IN = r"\ufffd"
_NAME = re.compile(r"([a-z]{1,20})((?:/(?:0|[1-9]\d{0,8})){0,2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that the page is given under `name`, followed by `numbers`.

    Attributes:
        make: returns it as bytes or as what `json` takes.
        numbers: what stands behind the name.
        slow: it is made of the whole run, so it is kept for a while.
        media_type: of what the page reads.
    """

    make: Callable[..., bytes | JSON]
    numbers: tuple[Number, ...] = ()
    slow: bool = False
    media_type: str = "application/json"


RESOURCES: Mapping[str, Resource] = {
    "head": Resource(make_head),
    "status": Resource(make_status),
    "town": Resource(lambda of: make_town(of.run)),
    "ticks": Resource(
        lambda of, part: make_ticks(of.run, part),
        ("part",),
        media_type="application/octet-stream",
    ),
    "events": Resource(lambda of, part: make_events(of.run, part), ("part",)),
    "calls": Resource(lambda of, part: make_calls(of.run, part), ("part",)),
    "prompts": Resource(
        lambda of, agent, part: make_prompts(of.run, agent, part), ("agent", "part")
    ),
    "story": Resource(lambda of: index_scenes(RunData(of.run)), slow=True),
    "gatherings": Resource(lambda of: make_gatherings(of.run), slow=True),
    "notices": Resource(lambda of: make_notices(of.run), slow=True),
    "person": Resource(lambda of, agent: make_mind(of.run, agent, of.kept), ("agent",), slow=True),
    "why": Resource(
        lambda of, agent, tick: make_why(of.run, agent, tick), ("agent", "tick"), slow=True
    ),
    "percept": Resource(lambda of, agent, tick: make_percept(of, agent, tick), ("agent", "tick")),
    "whys": Resource(lambda of, agent: make_whys(of.run, agent), ("agent",), slow=True),
}


class UnknownResource(LookupError):
    """There is no resource of this name in this run."""


@dataclass(frozen=True, slots=True)
class ResourceKey:
    """A resource and its numbers, such as `events/3`."""

    resource: str
    numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        return "/".join((self.resource, *map(str, self.numbers)))


def parse_key(name: str) -> ResourceKey:
    """Parse the name of a resource, such as `events/3`.

    Raises:
        UnknownResource: it is none.
    """
    match = _NAME.fullmatch(name)
    resource = RESOURCES.get(match[1]) if match else None
    numbers = tuple(int(number) for number in match[2].split("/")[1:]) if match else ()
    if match is None or resource is None or len(numbers) != len(resource.numbers):
        raise UnknownResource(name)
    return ResourceKey(match[1], numbers)


def make_resource(of: RunView, key: ResourceKey) -> bytes:
    """Return a resource as the page reads it.

    Raises:
        UnknownResource: the run has no such agent, part or tick.
        RecordError: the file is damaged where it is read.
    """
    resource = RESOURCES[key.resource]
    bounds = _find_bounds(of.run)
    for kind, number in zip(resource.numbers, key.numbers, strict=True):
        if number >= bounds[kind]:
            raise UnknownResource(str(key))
    made = resource.make(of, *key.numbers)
    return made if isinstance(made, bytes) else encode_json(made)


def make_percept(of: RunView, agent: int, tick: int) -> JSON:
    """Return the percept of an agent as a tick ended, where it can be rebuilt."""
    if of.percepts is None:
        return asdict(PerceptText(note=NOT_HERE))
    if tick > of.run.last_tick:
        raise UnknownResource(f"percept/{agent}/{tick}")
    return asdict(of.percepts.find(of.run, agent, tick, of.revision))


def list_keys(run: RunReader) -> Iterator[ResourceKey]:
    """Yield all that a run has and an exported page holds, in the order of the table.

    Prompts are there where somebody was asked. What there is of every tick is for those who ask
    for one: `whys` has what is left of it.
    """
    bounds = {**_find_bounds(run), "part": count_parts(run.last_tick)}
    asked = find_asked_parts(run)
    for name, resource in RESOURCES.items():
        if "tick" in resource.numbers:
            continue
        for numbers in product(*(range(bounds[kind]) for kind in resource.numbers)):
            if name != "prompts" or numbers in asked:
                yield ResourceKey(name, numbers)


def encode_json(value: JSON) -> bytes:
    """Return the JSON text of a resource.

    What was recorded has passed `clean`, but a file may be forged: signs that nobody sees, among
    them those that turn the writing round, become a sign that everybody sees.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return _ESCAPE.sub(lambda match: _STAND_IN if match[1] else match[0], text).encode()


def _find_bounds(run: RunReader) -> Mapping[Number, int]:
    """Count agents, ticks and parts; those yet to come are included."""
    horizon = max(run.meta.horizon, run.last_tick)
    return {"agent": len(run.meta.names), "part": count_parts(horizon), "tick": horizon + 1}
