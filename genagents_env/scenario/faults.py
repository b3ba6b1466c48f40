"""What is wrong with a scenario, in words: where it is and what would be right."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from genagents_env.name_search import find_alike
from genagents_env.text import clean

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong at `loc`, a path of keys and indices into the scenario's data."""

    loc: Loc
    text: str


@dataclass(frozen=True, slots=True)
class Origins:
    """Which file each part of a scenario came from.

    `people[i]` is the file of person i and the key of that person inside it ("" for all of it).
    `keys` is the file of a key that does not come from the folder's own files; a key within a table
    is `table.key`, and what is not named stands where its table does. `drawn` is for what comes
    from a map the place in the map; what is within it is there too.
    """

    people: tuple[tuple[str, str], ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    drawn: Mapping[Loc, Loc] = field(default_factory=dict)

    def find_file(self, loc: Loc) -> str:
        """Return in which file the key at `loc` stands."""
        path, file = "", "map.txt" if loc[:1] == ("map",) else "scenario.toml"
        for part in loc:
            path = f"{path}.{part}" if path else str(part)
            file = self.keys.get(path, file)
        return file

    def render(self, fault: Fault) -> str:
        """Return the fault as `file:key: text`."""
        loc, prefix = self._find_drawn(fault.loc), ""
        if loc[:1] == ("map",):
            where = ", ".join(map(str, loc[1:])) or "map"
            return f"{self.find_file(('map',))}:{where}: {fault.text}"
        file = self.find_file(loc)
        index = loc[1] if loc[:1] == ("people",) and len(loc) > 1 else None
        if isinstance(index, int) and index < len(self.people):
            file, prefix = self.people[index]
            loc = loc[2:]
        key = prefix
        for part in loc:
            name = f"[{part}]" if isinstance(part, int) else clean(part, 60) or '""'
            key += f".{name}" if key and isinstance(part, str) else name
        return f"{file}:{key or 'file'}: {fault.text}"

    def _find_drawn(self, loc: Loc) -> Loc:
        """Return the place in the map of what was drawn, else `loc` itself."""
        for length in range(len(loc), 0, -1) if self.drawn else ():
            if loc[:length] in self.drawn:
                is_key = loc[0] != "map" and isinstance(loc[length - 1], str)
                return (*self.drawn[loc[:length]], *loc[length - is_key :])
        return loc


def quote(value: object, limit: int = 60) -> str:
    """Return `value` as short, safe text in double quotes."""
    text = clean(str(value), limit + 1)
    return f'"{text[:limit]}…"' if len(text) > limit else f'"{text}"'


def choices(allowed: Iterable[str], limit: int = 12) -> str:
    """Return the allowed values as a list in words, at most `limit` of them."""
    names = list(allowed)
    if not names:
        return "none are declared"
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(quote(name) for name in names[:limit]) + more


def suggest(value: str, allowed: Sequence[str]) -> str:
    """Return `did you mean ...?` where something allowed is spelled alike, else what is allowed."""
    near = find_alike(value, allowed)
    if near:
        return f"did you mean {' or '.join(map(quote, near))}?"
    return f"allowed: {choices(allowed)}"
