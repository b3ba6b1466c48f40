"""Scenes as lines for a terminal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from genagents_env.name_search import shorten_names
from genagents_env.show.story import Scene, SceneLine
from genagents_env.show.story.talks import join_names, name_fact
from genagents_env.study.evaluate import RunData
from genagents_env.text import clean

FACT = "bold yellow"  # the style of a fact that is heard for the first time
_STYLES = ("cyan", "magenta", "green", "blue", "red", "bright_cyan", "bright_magenta")
_DIM, _HEAD, _TIME = "dim", "bold", "bold cyan"
_INDENT = "       "  # as wide as a time and two blanks
_NAME_CELLS = 16  # at most, of the column of names
_LONG_SECONDS = 300  # a talk longer than this is told with its end
_EACH_SLEEPER = 3  # so many are told one by one
_MOST_DONE = 4  # activities of one in a scene; the transcript has all
_CONSOLE = Console()  # which wrapping asks for the width of a tab


class StoryText:
    """Writes the scenes of a run as text.

    Args:
        data: the run.
        width: of the lines, in cells.
    """

    def __init__(self, data: RunData, width: int) -> None:
        self._time: Callable[[int], datetime] = data.reader.time
        self._second = data.meta.seconds_per_tick
        self._width = width
        self._names = dict(zip(data.names, shorten_names(data.names), strict=True))
        self._styles = {name: _STYLES[row % len(_STYLES)] for row, name in enumerate(data.names)}
        self._title = data.scenario.title
        self._people = data.names

    def open(self) -> Iterator[Text]:
        """Yield what to know before: what it is, who takes part, what the marks mean."""
        yield from self._wrap(Text(clean(self._title, 200), _HEAD))
        people = Text("With ")
        for at, name in enumerate(self._people):
            people.append(", " if at else "").append(clean(name, 100), self._styles[name])
        yield from self._wrap(people, 5)
        marks = Text.assemble(("★", FACT), " a fact is heard for the first time   ")
        yield from self._wrap(marks.append("☆", "yellow").append(" it is told again"))

    def tell(self, scenes: Iterable[Scene]) -> Iterator[Text]:
        """Yield the lines of scenes; an empty one before each talk and whatever else is set off."""
        day, apart = None, True
        for scene in scenes:
            now = self._time(scene.first)
            if now.date() != day:
                day, apart = now.date(), True
                yield Text()
                yield Text(f"{now:%A} {now.day} {now:%B %Y}", "bold underline")
            quiet = scene.kind in ("activity", "sleep")
            if apart or not quiet:
                yield Text()
            yield from self._tell_quietly(scene) if quiet else self._tell_aloud(scene)
            apart = not quiet

    def _tell_aloud(self, scene: Scene) -> Iterator[Text]:
        yield from self._wrap(self._head(scene), len(_INDENT))
        come = scene.of_kind("come")
        if come:
            yield from self._wrap(self._tell_arrivals(scene.place, come), len(_INDENT))
        if scene.kind == "talk":
            yield from self._tell_talk(scene)
        elif scene.kind == "gathering":
            yield from self._tell_visits(scene)
        else:
            yield from self._tell_from_outside(scene)

    def _head(self, scene: Scene) -> Text:
        head = Text.assemble((f"{self._time(scene.first):%H:%M}  ", _TIME))
        place = _name_place(scene.place)
        head.append(place, _HEAD)
        if (scene.last - scene.first) * self._second >= _LONG_SECONDS:
            head.append(f" until {self._time(scene.last):%H:%M}", _DIM)
        head.append(" · " if place else "", _DIM)
        return head.append(clean(scene.title, 400), FACT if scene.of_kind("learn") else "italic")

    def _tell_arrivals(self, place: str, come: Iterable[SceneLine]) -> Text:
        arrivals = Text(_INDENT, _DIM)
        by_origin: dict[str, list[str]] = {}
        for line in come:
            by_origin.setdefault(_name_origin(line.other, place), []).append(str(line.agent))
        for at, (origin, names) in enumerate(by_origin.items()):
            verb = "" if at else " come" if len(names) > 1 else " comes"
            arrivals.append("; " if at else "")
            arrivals.append(f"{self._join(names)}{verb} from {origin}")
        return arrivals

    def _tell_talk(self, scene: Scene) -> Iterator[Text]:
        wide = self._measure_names(str(one.agent) for one in scene.of_kind("say"))
        lines = scene.lines
        for at, line in enumerate(lines):
            if line.kind == "say":
                learned = []
                for later in lines[at + 1 :]:
                    if later.kind != "learn":
                        break
                    learned.append(later)
                new = {fact for hearing in learned for fact in hearing.facts}
                yield from self._tell_words(line, wide, len(scene.people) > 2, new)
                yield from self._tell_hearings(learned, wide + 2)

    def _tell_words(self, line: SceneLine, wide: int, crowd: bool, new: set[str]) -> Iterator[Text]:
        words = self._label(str(line.agent), wide)
        if line.other and crowd:
            words.append(f"to {self._shorten(line.other)}: ", _DIM)
        words.append("(on the telephone) " if line.phone else "", _DIM)
        words.append(f'"{clean(line.text, 4000)}"')
        words.append(" (nobody hears it)" if line.unheard else "", _DIM)
        for fact in line.facts:
            if fact not in new:
                words.append(f" ☆ {name_fact(fact)}", "yellow")
        yield from self._wrap(words, len(_INDENT) + wide + 2)

    def _tell_hearings(self, learned: Iterable[SceneLine], indent: int) -> Iterator[Text]:
        groups: dict[tuple[str, str], list[str]] = {}
        for line in learned:
            groups.setdefault((line.facts[0], line.other), []).append(str(line.agent))
        for (fact, source), names in groups.items():
            verb = "hears" if len(names) == 1 else "hear"
            hearing = Text(f"{_INDENT}{' ' * indent}★ ", FACT)
            hearing.append(f"{self._join(names)} {verb} of {name_fact(fact)} for the first time")
            hearing.append(f", from {self._shorten(source)}" if source else "")
            yield from self._wrap(hearing, len(_INDENT) + indent + 2)

    def _tell_visits(self, scene: Scene) -> Iterator[Text]:
        visits = Text(_INDENT)
        for at, line in enumerate(scene.of_kind("visit")):
            visits.append("; " if at else "").append(self._shorten(str(line.agent)))
            visits.append(f" from {self._time(line.tick):%H:%M}", _DIM)
        if scene.people:
            yield from self._wrap(visits, len(_INDENT))

    def _tell_from_outside(self, scene: Scene) -> Iterator[Text]:
        for line in scene.lines:
            if line.kind in ("news", "whisper"):
                yield from self._wrap(Text(f'{_INDENT}"{clean(line.text, 4000)}"'), len(_INDENT))
        yield from self._tell_hearings(scene.of_kind("learn"), 0)

    def _tell_quietly(self, scene: Scene) -> Iterator[Text]:
        head = Text.assemble((f"{self._time(scene.first):%H:%M}  ", _TIME))
        head.append(_name_place(scene.place), _DIM).append(" · " if scene.place else "", _DIM)
        if scene.kind == "sleep":
            yield from self._wrap(head + self._tell_sleep(scene), len(_INDENT))
            return
        done: dict[str, list[str]] = {}
        for line in scene.of_kind("doing"):
            done.setdefault(str(line.agent), []).append(clean(line.text, 400))
        alike: dict[tuple[str, ...], list[str]] = {}
        for agent, texts in done.items():
            alike.setdefault(tuple(texts), []).append(agent)
        for at, (deeds, agents) in enumerate(alike.items()):
            begin = Text(_INDENT) if at else head
            yield from self._wrap(begin + self._tell_deeds(agents, deeds), len(_INDENT))

    def _tell_deeds(self, agents: Sequence[str], texts: Sequence[str]) -> Text:
        deeds = Text()
        for at, agent in enumerate(agents):
            deeds.append("" if at == 0 else " and " if at == len(agents) - 1 else ", ")
            deeds.append(self._shorten(agent), self._styles.get(agent, ""))
        deeds.append(": ").append("; ".join(texts[:_MOST_DONE]))
        rest = len(texts) - _MOST_DONE
        return deeds.append(f"; and {rest} more" if rest > 0 else "", _DIM)

    def _tell_sleep(self, scene: Scene) -> Text:
        asleep, awake = scene.of_kind("sleep"), scene.of_kind("wake")
        if len(scene.people) <= _EACH_SLEEPER:
            up = {line.agent: f" until {self._time(line.tick):%H:%M}" for line in awake}
            told = (f"{self._shorten(name)} sleeps{up.get(name, '')}" for name in scene.people)
            return Text("; ".join(told))
        told = (
            f"{word} {self._tell_moment(lines[0])} to {self._tell_moment(lines[-1])}"
            for word, lines in (("fall asleep from", asleep), ("wake up from", awake))
            if lines
        )
        return Text(f"{len(scene.people)} people {' and '.join(told)}")

    def _tell_moment(self, line: SceneLine) -> str:
        return f"{self._time(line.tick):%H:%M} ({self._shorten(str(line.agent))})"

    def _label(self, agent: str, wide: int) -> Text:
        name = self._shorten(agent)
        blanks = " " * max(0, wide - cell_len(name))
        return Text.assemble(_INDENT, (name, self._styles.get(agent, "")), blanks, "  ")

    def _measure_names(self, agents: Iterable[str]) -> int:
        wide = max((cell_len(self._shorten(agent)) for agent in agents), default=0)
        return min(_NAME_CELLS, wide)

    def _shorten(self, agent: str) -> str:
        """Return the first name, or the whole where several have it."""
        return clean(self._names.get(agent, agent), 100)

    def _join(self, agents: Iterable[str]) -> str:
        return join_names(self._shorten(agent) for agent in agents)

    def _wrap(self, text: Text, indent: int = 0) -> Iterator[Text]:
        return wrap(text, self._width, indent)


def _name_place(place: str) -> str:
    return clean(place.replace("/", ", "), 200)


def _name_origin(origin: str, place: str) -> str:
    """Return the origin of an arrival: the room within the same house, else the house."""
    sector, _, room = origin.partition("/")
    if not room or sector != place.partition("/")[0]:
        return clean(sector, 200)
    article = "the " if room[:1].islower() else ""
    return clean(article + room, 200)


def wrap(text: Text, width: int, indent: int = 0) -> Iterator[Text]:
    """Yield the lines of a text, at most `width` cells each; all but the first are set in."""
    first = text.wrap(_CONSOLE, width)[0]
    rest = text[len(text) - len(text.plain[len(first) :].lstrip()) :]
    lines = rest.wrap(_CONSOLE, max(1, width - indent)) if rest.plain else ()
    for line in (first, *lines):
        line.rstrip()
        yield line if line is first else Text(" " * indent) + line
