"""A moment in words: complete enough to act on alone, the same for people and models.

Lines are cached until what they describe changes; per agent and tick only the pieces are joined.
"""

from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import chain, groupby

from genagents_env.observe.spaces import TEXT_LIMIT
from genagents_env.observe.vicinity import AWAY, Vicinity
from genagents_env.scenario.plan import OUTSIDE
from genagents_env.scenario.schema import Person
from genagents_env.text import quote
from genagents_env.world.conversations import ConversationView
from genagents_env.world.goals import GoalBoard, describe_goal
from genagents_env.world.places import Places
from genagents_env.world.snapshot import Snapshot, Sound
from genagents_env.world.world import World

PLACES_LIMIT = 1500  # characters of the places one knows
_KEPT = 10_000  # lines that are kept
_MORE = 20  # characters of "; and 1000 more."


class PlaceLines:
    """Names the places one knows, `place (its rooms)`; in a large town the first and one's own.

    Cut at PLACES_LIMIT characters, because a text has to stay readable, and short.
    """

    def __init__(self, places: Places) -> None:
        names = enumerate(tuple(name.partition("/")) for name in places.ids)
        # Of each sector the number of its first place, a bit for each of them, and their rooms.
        self._sectors: list[tuple[str, int, int, tuple[str, ...]]] = []
        for sector, places_inside in groupby(names, key=lambda name: name[1][0]):
            (first, *_), rooms = zip(*places_inside, strict=True)
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


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_TWO = tuple(f"{number:02}" for number in range(60))


def format_time(when: datetime) -> str:
    """Format as `Monday 13 February 2023, 08:00:10` (the same in every locale)."""
    clock = f"{_TWO[when.hour]}:{_TWO[when.minute]}:{_TWO[when.second]}"
    return f"{_format_day(when.date())}, {clock}"


@lru_cache(maxsize=64)
def _format_day(day: date) -> str:
    return f"{_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


def format_conversation(world: World, i: int, talk: ConversationView) -> str:
    """Describe a conversation to a member."""
    others = " and ".join(world.names[m] for m in talk.members if m != i)
    if talk.turn is not None and talk.turn != i:
        return f"You are in a conversation with {others}; it is {world.names[talk.turn]}'s turn.\n"
    left = world.state.conversations.rules.max_exchanges - talk.said[talk.members.index(i)]
    return f"You are in a conversation with {others}; you may speak {left} more times.\n"


def format_sound(names: tuple[str, ...], sound: Sound) -> str:
    """Format words heard, on one line."""
    if sound.speaker is not None:
        how = "on the phone " if sound.phone else ""
        whom = "to you" if sound.addressed else "to someone else"
        return f"You hear {names[sound.speaker]} say {how}{whom}: {quote(sound.text)}\n"
    if sound.kind == "thought":
        return f"A thought comes to you: {sound.text}\n"
    return f"You hear news: {sound.text}\n" if sound.kind == "news" else f"{sound.text}\n"


class TextObservation:
    """Writes the text of every agent of one world.

    Args:
        world: the people.
        vicinity: the things around them.
        board: the goals that texts tell, in a task.
        like: of a fresh copy of `world`; lines written for one serve the other too.
    """

    def __init__(
        self,
        world: World,
        vicinity: Vicinity,
        board: GoalBoard | None = None,
        *,
        like: "TextObservation | None" = None,
    ) -> None:
        self._world, self._vicinity, self._board = world, vicinity, board
        self._state, self._names, self._count = world.state, world.names, world.count
        self._at: list[str] = _describe_tiles(world) if like is None else like._at
        self._lines: PlaceLines = PlaceLines(world.town.places) if like is None else like._lines
        self._people = world.scenario.people
        self._who = tuple(f"You are {name}, " for name in world.names)
        self.reset()

    def reset(self) -> None:
        """Forget everything about the episode."""
        count = self._count
        self._tick = -2
        self._own, self._seen = [""] * count, [""] * count
        self._known: tuple[int, ...] = (0,) * count
        self._places = [""] * count
        self._goals = [""] * count
        self._goals_of: tuple[int, list[int]] = (-1, [])

    def observe(self, snapshot: Snapshot) -> list[str]:
        """Return the texts of all N people, in order."""
        self._refresh(snapshot)
        head = format_time(snapshot.time) + ".\n"
        tiles: list[int] = snapshot.tile.tolist()
        at, extra = self._at, self._format_extra(snapshot)
        people = self._format_people(snapshot)
        things = self._vicinity.describe(tiles)
        out = [
            f"{head}{who}{at[tile]}{own}{others}{thing}{more}{rest}"
            for who, tile, own, others, thing, more, rest in zip(
                self._who, tiles, self._own, people, things, extra, self._places, strict=True
            )
        ]
        if not snapshot.all_awake:
            for i in snapshot.asleep.nonzero()[0].tolist():
                out[i] = f"{head}You are {self._names[i]}, asleep.\n{extra[i]}"
        if self._board:
            self._write_goals(self._board)
            out = [f"{goals}{text}" for goals, text in zip(self._goals, out, strict=True)]
        for i, text in enumerate(out):
            if len(text) > TEXT_LIMIT:
                out[i] = _shorten(text, people[i], extra[i], snapshot.heard.get(i, ()))
        return out

    def _write_goals(self, board: GoalBoard) -> None:
        """Rewrite the goal lines, where a goal or what one knows of it has changed."""
        now = (board.version, self._state.facts)
        if self._goals_of == now:
            return
        self._goals_of = (board.version, list(self._state.facts))
        statements = self._world.town.people.statements
        for i, goals in enumerate(board.goals):
            goal_texts = [describe_goal(self._world, board, i, slot) for slot in range(len(goals))]
            known = [
                f'"{said}"' for f, said in enumerate(statements) if self._state.facts[i] >> f & 1
            ]
            self._goals[i] = f"Your goals: {'; '.join(goal_texts)}.\n" if goal_texts else ""
            self._goals[i] += f"You know: {', '.join(known)}.\n" if goal_texts and known else ""

    def _refresh(self, snapshot: Snapshot) -> None:
        """Rewrite the lines whose subject changed since the last tick."""
        names = self._names
        if snapshot.tick == self._tick + 1:
            index = self._world.town.people.index
            changed = [index[e.agent] for e in self._state.log.events if e.agent is not None]
        else:
            changed = list(range(len(names)))
        for i in changed:
            # Without the emoji: it says nothing more, costs tokens, and makes texts that hold
            # one take four bytes a character.
            self._own[i] = f"{snapshot.doing[i]}.\n"
            self._seen[i] = f"{names[i]} ({snapshot.doing[i]})"
        self._tick = snapshot.tick
        if snapshot.known is not self._known:
            for i, (bits, person) in enumerate(zip(snapshot.known, self._people, strict=True)):
                if bits != self._known[i]:
                    self._places[i] = self._lines.format(person, bits)
            self._known = snapshot.known

    def _format_people(self, snapshot: Snapshot) -> list[str]:
        viewers, seen, apart = snapshot.pairs
        lines = [""] * self._count
        words, away = self._seen, AWAY
        pairs = zip(viewers.tolist(), seen.tolist(), apart.tolist(), strict=True)
        for i, j, d in pairs:
            before = lines[i]
            lines[i] = (
                f"{before}; {words[j]}{away[d]}" if before else f"You see {words[j]}{away[d]}"
            )
        return [f"{line}.\n" if line else line for line in lines]

    def _format_extra(self, snapshot: Snapshot) -> list[str]:
        """Write the lines that some agents have: words heard, the last result, a conversation."""
        lines = [""] * self._count
        names = self._names
        written: dict[int, str] = {}  # by the sound, which the snapshot holds
        for i, sounds in snapshot.heard.items():
            for sound in sounds:
                if id(sound) not in written:
                    written[id(sound)] = format_sound(names, sound)
            lines[i] = "".join([written[id(sound)] for sound in sounds])
        for i, outcome in snapshot.outcomes.items():
            if outcome.text:
                failed = f"That did not work: {outcome.text}."
                lines[i] += f"{outcome.text if outcome.ok else failed}\n"
        for i, talk in snapshot.talks.items():
            lines[i] += format_conversation(self._world, i, talk)
        return lines


def _shorten(text: str, people: str, extra: str, heard: Sequence[Sound]) -> str:
    """Leave out what is heard last, then who is seen last, and say how many.

    What is said to others goes before what is said to oneself.
    """
    lines = extra.splitlines(keepends=True)
    order = sorted(range(len(heard)), key=lambda k: not heard[k].addressed)
    while order and len(text) > TEXT_LIMIT:
        order = order[:-1]
        told = [lines[k] for k in sorted(order)]
        told.append(f"You hear {len(heard) - len(order)} more at once, too many to follow.\n")
        shorter = "".join([*told, *lines[len(heard) :]])
        text, extra = text.replace(extra, shorter, 1), shorter
    room = len(people) - (len(text) - TEXT_LIMIT) - _MORE
    if len(text) > TEXT_LIMIT and room > 0:
        kept = people[:room].rpartition("; ")[0]
        more = people.count("; ") - kept.count("; ")
        text = text.replace(people, f"{kept}; and {more} more.\n", 1)
    return text if len(text) <= TEXT_LIMIT else f"{text[: TEXT_LIMIT - 1]}…"


def _describe_tiles(world: World) -> list[str]:
    """Describe each tile, `in Hobbs Cafe/cafe at (3, 4), `."""
    ids, ground = world.town.places.arena_ids, world.town.ground
    names = ["in " + id_ for id_ in ids]
    names[OUTSIDE] = ids[OUTSIDE]
    tiles = zip(ground.arena.tolist(), ground.x.tolist(), ground.y.tolist(), strict=True)
    return [f"{names[a]} at ({x}, {y}), " for a, x, y in tiles]
