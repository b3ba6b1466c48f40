"""The places one knows, in words: lines that are written once for all who know the same."""

from itertools import chain, groupby

from genagents_env.scenario.schema import Person
from genagents_env.world.places import Places

PLACES_LIMIT = 1500  # characters of the places one knows
_KEPT = 10_000  # lines that are kept


class PlaceLines:
    """Names the places one knows, `place (its rooms)`; in a large town the first and one's own.

    Cut at PLACES_LIMIT characters, because a text has to stay readable, and short.
    """

    def __init__(self, places: Places) -> None:
        names = enumerate(tuple(name.partition("/")) for name in places.ids)
        # Of each sector the number of its first place, a bit for each of them, and their rooms.
        self._sectors: list[tuple[str, int, int, tuple[str, ...]]] = []
        for sector, found in groupby(names, key=lambda name: name[1][0]):
            (first, *_), rooms = zip(*found, strict=True)
            names_of_rooms = tuple(room for _, _, room in rooms)
            self._sectors.append((sector, first, (1 << len(rooms)) - 1, names_of_rooms))
        self._parts: dict[tuple[int, int], str] = {}
        self._last: tuple[int, dict[str, str], int] = (0, {}, 0)  # bits, lines, their length
        self._lines: dict[tuple[int, frozenset[str]], str] = {}

    def format(self, person: Person, bits: int) -> str:
        """Return the line for somebody who knows the places given as bits."""
        own = frozenset(r.split("/")[0] for r in (person.home, person.workplace) if r)
        line = self._lines.get((bits, own))
        if line is None:
            if len(self._lines) == _KEPT:
                self._lines.clear()
                self._parts.clear()
            line = self._lines[bits, own] = self._write(own, bits)
        return line

    def _write(self, own: frozenset[str], bits: int) -> str:
        if self._last[0] != bits:  # most people know the same
            known = self._list_sectors(bits)
            self._last = (bits, known, sum(map(len, known.values())))
        _, known, length = self._last
        listed = list(known.values())
        if length > PLACES_LIMIT:
            mine = [line for sector, line in known.items() if sector in own]
            others = (line for sector, line in known.items() if sector not in own)
            listed, total = [], 0
            for line in chain(mine, others):
                if total + len(line) >= PLACES_LIMIT:
                    break
                listed.append(line)
                total += len(line) + 2
            listed.append(f"and {len(known) - len(listed)} more")
        return f"Places you know (name a room as place/room): {', '.join(listed)}.\n"

    def _list_sectors(self, bits: int) -> dict[str, str]:
        """Return the sectors that one knows something of, each with its rooms."""
        known: dict[str, str] = {}
        for k, (sector, first, mask, rooms) in enumerate(self._sectors):
            some = bits >> first & mask
            if some:
                line = self._parts.get((k, some))
                if line is None:
                    inside = ", ".join(r for j, r in enumerate(rooms) if r and some >> j & 1)
                    line = self._parts[k, some] = f"{sector} ({inside})" if inside else sector
                known[sector] = line
        return known
