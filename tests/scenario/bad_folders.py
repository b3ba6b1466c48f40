"""The corpus of bad scenario folders: a good one, one change, and what must be said about it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

Files = dict[str, str]

PLOT = """
[[facts]]
id = "feast"
statement = "There is a feast at the inn."
known_by = ["Una Ash"]
patterns = ['\\bfeast\\b']

[[gatherings]]
id = "feast"
place = "Inn/taproom"
start = 2023-02-13T10:00:00
end = 2023-02-13T11:00:00
host = "Una Ash"
fact = "feast"

[[events]]
at = 2023-02-13T09:30:00
kind = "whisper"
agent = "Vic Bay"
text = "Where is everybody?"

[[questions]]
id = "heard"
text = "Have you heard of a feast?"
to = ["Vic Bay"]

[reward]
name = "errand"
errands = [{ agent = "Vic Bay", object = "Inn/taproom/hearth", state = "lit" }]
"""

COUNTED = """
[[questions]]
id = "liked"
text = "Whom do you like best?"

[[questions]]
id = "met"
text = "Do you know {person}?"
about = "everyone"

[[checks]]
id = "knows"
kind = "answer"
question = "heard"
ask = "Does the answer know of the feast?"
yes = ["yes"]

[[checks]]
id = "likes"
kind = "value"
question = "liked"
ask = "Whom does the answer like?"
values = [{ value = "Una", patterns = ["una"] }, { value = "Vic" }]

[[checks]]
id = "came"
kind = "place"
place = "Inn"
at = 2023-02-13T10:30:00

[[checks]]
id = "felt"
kind = "fact"
fact = "feast"

[[checks]]
id = "lit"
kind = "object"
object = "Inn/taproom/hearth"
state = "lit"
unseen_by = ["Vic Bay"]

[[success]]
id = "told"
title = "Vic knows"
check = "knows"
of = ["Vic Bay"]

[[success]]
id = "loved"
title = "Una is liked by all"
check = "likes"
value = "Una"

[[success]]
id = "full"
title = "All of it"
all = ["told", "loved"]

[casts]
1 = ["Una Ash"]
2 = ["Una Ash", "Vic Bay"]
"""

HEAD = """name = "good"
title = "A good one"
town = "Goodtown"
start = 2023-02-13T09:00:00
hours = 4
"""

SECTORS = """
[[sectors]]
name = "Inn"
common = true
hours = ["08:00-22:00"]

[[sectors.arenas]]
name = "taproom"
symbol = "t"
objects = [{ name = "hearth", symbol = "h", states = ["cold", "lit"], next = { cold = ["lit"] } }]

[[sectors.arenas]]
name = "attic"
symbol = "a"
capacity = 2
users = ["Una Ash", "Vic Bay"]
objects = [{ name = "bed", states = ["made", "slept in"], sleep_state = "slept in" }]

[[sectors]]
name = "Barn"

[[sectors.arenas]]
name = "Barn"
symbol = "b"
"""

UNA = """name = "Una Ash"
age = 40
persona = "Una keeps the inn; she is giving a feast"
home = "Inn/attic"
relationships = [{ to = "Vic Bay", about = "my guest" }]
routine = [
  { at = 09:00:00, place = "Inn/taproom", doing = "x", use = "Inn/taproom/hearth", state = "lit" },
  { at = 12:00:00, place = "Barn", doing = "sweeping" },
]
"""

VIC = """name = "Vic Bay"
persona = "Vic is a guest"
home = "Inn/attic"
start = "Barn"
"""

MAP = """
###########
#ttttt#aaa#
#thttt+aaa#
#ttttt#aaa#
###+#######
...........
####+######
#bbbbbb#...
########...
""".lstrip("\n")

GOOD: Files = {
    "scenario.toml": HEAD + SECTORS + PLOT,
    "people/una.toml": UNA,
    "people/vic.toml": VIC,
}
CHECKED: Files = {**GOOD, "scenario.toml": HEAD + SECTORS + PLOT + COUNTED}
DRAWN: Files = {**GOOD, "map.txt": MAP}


@dataclass(frozen=True)
class Bad:
    """One bad folder: in `file`, `old` is replaced by `new` (added at the end if `old` is "")."""

    file: str
    old: str
    new: str
    message: str
    base: Mapping[str, str] | None = None

    def files(self) -> Files:
        """Return the folder's files."""
        return change(dict(self.base or GOOD), self)


def change(files: Files, bad: Bad) -> Files:
    """Return `files` with the change of `bad` made."""
    text = files.get(bad.file, "")
    assert bad.old in text, f"{bad.old!r} is not in {bad.file}"
    changed = text.replace(bad.old, bad.new, 1) if bad.old else text + bad.new
    return {**files, bad.file: changed}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write `files` into `folder` and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return folder


S, U, V, M = "scenario.toml", "people/una.toml", "people/vic.toml", "map.txt"
HEARTH = 'name = "hearth", symbol = "h"'


def _goals(goal: str, message: str, more: str = "", *, name: str = "goals") -> Bad:
    """Return the folder whose reward has the goals of an inline table's inside, and no errands."""
    old = PLOT[PLOT.index('name = "errand"') :].strip()
    goals = f"goals = [{{ {goal} }}]\n" if goal else ""
    return Bad(S, old, f'name = "{name}"\n{more}{goals}', message)


BAD: dict[str, Bad] = {
    # The file itself.
    "empty": Bad(S, HEAD + SECTORS + PLOT, "", "scenario.toml:name: missing; it is requi"),
    "not toml": Bad(S, "", "\n[[[", "scenario.toml:file: not TOML: "),
    "key twice": Bad(S, "", "\n[reward]\n", "scenario.toml:file: not TOML: "),
    "deep": Bad(S, "", "x = " + "[" * 60 + "]" * 60, "nested too deeply; at most 32 levels"),
    "bottomless": Bad(S, "", "x = " + "[" * 99_999, "nested too deeply; at most 32 levels"),
    "dotted": Bad(S, "", "[" + ".".join("a" * 50) + "]", "nested too deeply; at most 32 levels"),
    "very dotted": Bad(S, "", "[" + ".".join("a" * 99_999) + "]", "nested too deeply; at most"),
    "many values": Bad(S, "", "x = [" + "1," * 100_001 + "]", "too much; at most 100000 values a"),
    "many faults": Bad(S, "", "[[questions]]\nid = 1\n" * 900, "and 1300 more faults like these"),
    "digits": Bad(S, "hours = 4", "hours = " + "4" * 5000, "a number is too long; at most 18"),
    "hex digits": Bad(S, "hours = 4", "hours = 0x" + "f" * 9000, "a number is too long; at most"),
    "large file": Bad(U, "", "#" * (1 << 20), "people/una.toml:file: too large; at most 1048576"),
    "many tables": Bad(
        S, "", "[[sectors]]\n" * 10_001, "scenario.toml:file: too much; at most 10000 tables"
    ),
    "bytes": Bad(U, "keeps", "\udcff", "people/una.toml:file: not UTF-8 text (byte "),
    # Keys.
    "unknown key": Bad(S, "title", "titel", 'titel: unknown key; did you mean "title"?'),
    "unknown key deep": Bad(
        S, "sleep_state", "sleepstate", 'objects[0].sleepstate: unknown key; did you mean "sleep_st'
    ),
    "unknown key of a person": Bad(V, "", "hom = 1", "vic.toml:hom: unknown key; did you mean "),
    "map as a key": Bad(
        S,
        HEAD,
        HEAD + 'map = "x"\n',
        'scenario.toml:map: "x" is no map; the name of a file',
    ),
    "more than people": Bad(
        V, VIC, f"town = 1\n[[people]]\n{VIC}", "people/vic.toml:town: unknown key; a file holds"
    ),
    "missing key": Bad(S, 'town = "Goodtown"\n', "", "scenario.toml:town: missing; it is required"),
    "missing key of a person": Bad(V, 'home = "Inn/attic"\n', "", "people/vic.toml:home: missing"),
    # Types and numbers.
    "bool for int": Bad(
        U, "age = 40", "age = true", "una.toml:age: this is true or false; a whole"
    ),
    "text for int": Bad(U, "age = 40", 'age = "5"', "age: this is text; a whole number is wanted"),
    "negative": Bad(U, "age = 40", "age = -1", "age: -1 is not allowed; at least 0 is"),
    "too much": Bad(U, "age = 40", "age = 131", "age: 131 is not allowed; at most 130 is"),
    "float for int": Bad(U, "age = 40", "age = 4.5", "age: this is a number; a whole number is"),
    "nan": Bad(S, "hours = 4", "hours = nan", "scenario.toml:hours: nan is not a finite number"),
    "inf": Bad(S, "hours = 4", "hours = inf", "scenario.toml:hours: inf is not a finite number"),
    "no time at all": Bad(S, "hours = 4", "hours = 0", "hours: 0 is not allowed; more than 0 is"),
    "zero seconds": Bad(S, HEAD, HEAD + "seconds_per_tick = 0\n", "seconds_per_tick: 0 is not al"),
    "radius": Bad(V, "", "vision_radius = 1000000000", "vision_radius: 1000000000 is not allowed"),
    "list for text": Bad(S, '"A good one"', "[1]", "title: this is a list; text in quotes is want"),
    "number for list": Bad(U, "", "traits = 3", "traits: this is a whole number; a list in [ ]"),
    "long name": Bad(V, "Vic Bay", "V" * 61, "name: at most 60 characters are allowed, this has"),
    "slash in a name": Bad(V, "Vic Bay", "Vic/Bay", "name: a name has at least one character and"),
    "bad id": Bad(S, 'id = "heard"', 'id = "Heard!"', 'questions[0].id: "Heard!" is no id; lower-'),
    "text for a time": Bad(U, "09:00:00", '"9:00"', "routine[0].at: this is text; a time of day"),
    "date for a time": Bad(
        S, "2023-02-13T10:00:00", "2023-02-13", "gatherings[0].start: this is a"
    ),
    "time zone": Bad(S, "T10:00:00", "T10:00:00Z", "gatherings[0].start: it has a time zone; wri"),
    "unknown kind": Bad(S, '"whisper"', '"wisper"', 'kind: "wisper" is unknown; did you mean "wh'),
    # Names.
    "person twice": Bad(V, "Vic Bay", "Una Ash", 'name: the person "Una Ash" is used twice'),
    "look alike": Bad(V, "Vic Bay", "UNA  ASH", 'name: the person "UNA ASH" looks like "Una Ash"'),
    "reserved": Bad(V, "Vic Bay", "Everyone", 'vic.toml:name: "Everyone" is reserved ('),
    "reserved place": Bad(S, 'name = "Barn"', 'name = "Outside"', '"Outside" is reserved ('),
    "like the outside": Bad(
        S, "hours = 4", 'hours = 4\noutside = "barn"', 'sectors[1].name: "Barn" is reserved ('
    ),
    "person like a place": Bad(
        V, "Vic Bay", "taproom", 'name: "taproom" is a place or an object t'
    ),
    "sector twice": Bad(
        S, 'name = "Barn"', 'name = "Inn"', 'sectors[1].name: the sector "Inn" is u'
    ),
    "arena twice": Bad(S, '"attic"', '"taproom"', 'arenas[1].name: the arena "taproom" is used tw'),
    "object twice": Bad(
        S, '[{ name = "bed"', '[{ name = "bed" }, { name = "Bed"', 'object "Bed" looks like "bed"'
    ),
    "id twice": Bad(
        S, "", '[[facts]]\nid="feast"\nstatement="x"\npatterns=["x"]', 'the id "feast"'
    ),
    "two for one": Bad(S, '"taproom"', '"Inn"', '"Inn" is the sector too; only a single arena'),
    # References.
    "home": Bad(V, "Inn/attic", "Inn/atic", 'home: no place "Inn/atic"; did you mean "Inn/attic"?'),
    "home outside": Bad(V, "Inn/attic", "outside", 'home: "outside" is no home; name a sector or'),
    "relationship": Bad(U, "Vic Bay", "Vik Bay", 'to: no person "Vik Bay"; did you mean "Vic Bay"'),
    "relationship with oneself": Bad(U, '"Vic Bay"', '"Una Ash"', '"Una Ash" is this person; name'),
    "known by": Bad(
        S, 'known_by = ["Una Ash"]', 'known_by = ["U"]', 'known_by[0]: no person "U"; al'
    ),
    "host": Bad(
        S, 'host = "Una Ash"', 'host = "Una"', 'gatherings[0].host: no person "Una"; did y'
    ),
    "fact": Bad(
        S, 'fact = "feast"', 'fact = "fest"', 'fact: no fact "fest"; did you mean "feast"?'
    ),
    "gathering place": Bad(
        S, 'place = "Inn/taproom"', 'place = "Pub"', 'place: no place "Pub"; all'
    ),
    "asked": Bad(S, 'to = ["Vic Bay"]', 'to = ["Vic"]', 'questions[0].to[0]: no person "Vic"; did'),
    "user": Bad(
        S, 'users = ["Una Ash"', 'users = ["Una Asch"', 'arenas[1].users[0]: no person "Un'
    ),
    "object in a routine": Bad(
        U, "Inn/taproom/hearth", "Inn/hearth", 'use: no object "Inn/hearth";'
    ),
    "object elsewhere": Bad(
        U, 'place = "Inn/taproom"', 'place = "Barn"', 'is not at "Barn"; use wh'
    ),
    "errand agent": Bad(S, '{ agent = "Vic Bay"', '{ agent = "Wic"', "errands[0].agent: no person"),
    "errand object": Bad(
        S, 'hearth", state', 'harth", state', 'errands[0].object: no object "Inn/'
    ),
    # States.
    "state": Bad(S, HEARTH, HEARTH + ', state = "warm"', '"warm" is not among states; allowed: "c'),
    "state twice": Bad(
        S, '["cold", "lit"]', '["cold", "lit", "lit"]', 'states[2]: "lit" is listed t'
    ),
    "next of": Bad(
        S, "{ cold =", "{ cool =", 'next.cool: "cool" is not among states; did you mean'
    ),
    "lasting": Bad(
        S, 'next = { cold = ["lit"] }', 'lasting = ["ash"]', 'lasting[0]: "ash" is not among states'
    ),
    "next": Bad(S, 'cold = ["lit"]', 'cold = ["hot"]', 'next.cold[0]: "hot" is not among states; '),
    "sleep state": Bad(
        S, 'sleep_state = "slept in"', 'sleep_state = "slept"', '"slept" is not among'
    ),
    "routine state": Bad(
        U, 'state = "lit"', 'state = "lid"', 'state: no state "lid"; did you mean "'
    ),
    "use alone": Bad(U, ', state = "lit"', "", "state: missing; `use` and `state` come together"),
    "errand done": Bad(S, 'hearth", state = "lit"', 'hearth", state = "cold"', "is how it starts;"),
    # Times.
    "hours": Bad(S, "08:00-22:00", "8-22", 'hours[0]: "8-22" is not written as "HH:MM-HH:MM"'),
    "hours past 24": Bad(S, "08:00-22:00", "08:00-24:30", "passes 24:00; it opens by 23:59"),
    "hours empty": Bad(S, "08:00-22:00", "08:00-08:00", "is empty; to be always open, leave"),
    "late event": Bad(S, "T09:30", "T14:30", "events[0].at: 2023-02-13 14:30:00 is not in the sce"),
    "event at the end": Bad(S, "T09:30", "T13:00", "events[0].at: 2023-02-13 13:00:00 is not in "),
    "late gathering": Bad(S, "T10:00:00", "T08:00:00", "gatherings[0].start: 2023-02-13 08:00:00 "),
    "end before start": Bad(
        S, "T11:00:00", "T10:00:00", "gatherings[0].end: 2023-02-13 10:00:00 is"
    ),
    "routine order": Bad(U, "12:00:00", "08:00:00", "routine[1].at: 08:00 comes after 09:00; list"),
    "routine twice": Bad(U, "12:00:00", "09:00:00", "routine[1].at: 09:00 comes twice; list the"),
    "closed": Bad(
        S, 'name = "Barn"', 'name = "Barn"\nhours = ["14:00-15:00"]', '"Barn" is closed then (open'
    ),
    "never asleep": Bad(
        V, "", "lifestyle = { bed = 07:00:00 }", "lifestyle: wake and bed are at the"
    ),
    # People and access.
    "barred": Bad(
        S, ', "Vic Bay"]', "]", 'home: Vic Bay is not among the users of "attic"; add th'
    ),
    "crowded": Bad(
        V,
        'start = "Barn"',
        "",
        "sectors[0].arenas[1].capacity: 1 is too few; 2 people start there, so 2 at least",
        {**GOOD, S: GOOD[S].replace("capacity = 2", "capacity = 1")},
    ),
    "crowded by tiles": Bad(
        V,
        'start = "Barn"',
        'start = "9,1"',
        "sectors[0].arenas[1].capacity: 1 is too few; 2 people start there, so 2 at least",
        {**DRAWN, S: DRAWN[S].replace("capacity = 2", "capacity = 1")},
    ),
    "nobody there": Bad(
        U,
        "",
        "present = false",
        "scenario.toml:people: nobody is present at the start; at least one person is",
        {**GOOD, V: VIC + "present = false\n"},
    ),
    "no persona": Bad(
        V, "Vic is a guest", " ; ", "vic.toml:persona: empty; say in a sentence or m"
    ),
    # Facts, events, reward.
    "any text": Bad(
        S, "'\\bfeast\\b'", "'x*'", 'patterns[0]: "x*" matches the empty text, so every'
    ),
    "no regex": Bad(S, "'\\bfeast\\b'", "'('", "patterns[0]: not a regular expression: missing ),"),
    "repeat": Bad(S, "'\\bfeast\\b'", "'x{9999999999}'", "patterns[0]: not a regular expression: "),
    "flags": Bad(S, "'\\bfeast\\b'", "'(?x)x'", 'facts[0].patterns[0]: "(?x)" opens no group th'),
    "look-ahead": Bad(
        S, "'\\bfeast\\b'", "'a(?=b)'", 'facts[0].patterns[0]: "(?=" looks ahead; no s'
    ),
    "look-behind": Bad(S, "'\\bfeast\\b'", "'(?<!b)a'", 'patterns[0]: "(?<!" looks behind; no s'),
    "back reference": Bad(S, "'\\bfeast\\b'", "'(a)\\1'", '"\\1" refers back to a group; no se'),
    "possessive": Bad(S, "'\\bfeast\\b'", "'a++b'", '"++" gives nothing back of what it t'),
    "large pattern": Bad(
        S, "'\\bfeast\\b'", "'(?:.{900}){900}'", "patterns[0]: it grows too large"
    ),
    "event without": Bad(
        S, 'agent = "Vic Bay"\n', "", 'events[0].agent: missing; an event "whisper'
    ),
    "event with more": Bad(
        S, 'kind = "whisper"', 'kind = "leave"', 'text: an event "leave" does no'
    ),
    "reward without": Bad(
        S, 'name = "errand"\nerrands', "errandz", "errandz: unknown key; did you me"
    ),
    "reward of nothing": Bad(S, "errands = [{", "#", 'errands: missing; the reward "errand" needs'),
    # Goals.
    "goals without": _goals("", '"goals" needs them'),
    "goal of nobody": _goals(
        'agent = "Wic", kind = "meet", person = "Una Ash"', "agent: no person"
    ),
    "goal without": _goals('agent = "Vic Bay", kind = "meet"', 'missing; a goal "meet" needs it'),
    "goal with more": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn", person = "Una Ash"',
        'goals[0].person: a goal "be" does not take it; it takes place, ',
    ),
    "goal with oneself": _goals(
        'agent = "Vic Bay", kind = "meet", person = "Vic Bay"', "it is the agent; name somebody"
    ),
    "goal place": _goals('agent = "Vic Bay", kind = "be", place = "Bran"', 'no place "Bran"; did'),
    "goal object": _goals(
        'agent = "Vic Bay", kind = "use", object = "Inn/hearth", state = "lit"',
        'goals[0].object: no object "Inn/hearth"',
    ),
    "goal state": _goals(
        'agent = "Vic Bay", kind = "use", object = "Inn/taproom/hearth", state = "lid"',
        'goals[0].state: no state "lid"; did you mean "lit"?',
    ),
    "goal fact": _goals(
        'agent = "Vic Bay", kind = "tell", fact = "fest"', 'goals[0].fact: no fact "fest"; did'
    ),
    "goal accuses": _goals(
        'agent = "Vic Bay", kind = "accuse", object = "Inn/taproom/hearth", person = "Una Ash"',
        'goals[0].person: no state "Una Ash"',
    ),
    "third goal": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn" }, '
        '{ agent = "Vic Bay", kind = "be", place = "Inn" }, '
        '{ agent = "Vic Bay", kind = "be", place = "Inn/taproom"',
        'goals[2].agent: "Vic Bay" has 2 goals already',
    ),
    "goal dealt with a person": _goals(
        'agent = "Vic Bay", kind = "meet", person = "Una Ash"',
        "goals with a person cannot be dealt",
        "deal = true\n",
    ),
    "goal half a time": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn", start = 2023-02-13T10:00:00',
        "it goes with `end`; give both, or none",
    ),
    "goal ends first": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn", start = 2023-02-13T10:00:00, '
        "end = 2023-02-13T10:00:00",
        "goals[0].end: 2023-02-13 10:00:00 is not after its start",
    ),
    "goal too late": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn", start = 2023-02-13T14:00:00, '
        "end = 2023-02-13T15:00:00",
        "goals[0].start: 2023-02-13 14:00:00 is not in the scenario",
    ),
    "goal kind": _goals('agent = "Vic Bay", kind = "bee", place = "Barn"', '"bee" is unknown; did'),
    "goal worth": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn", worth = 0', "worth: 0 is not allowed"
    ),
    "company without goals": _goals("", '"company" needs them', name="company"),
    "company without a time": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn"',
        'goals[0].start: missing; the reward "company" needs it',
        name="company",
    ),
    "occupancy of a person": _goals(
        'agent = "Vic Bay", kind = "meet", person = "Una Ash"',
        'goals[0].kind: the reward "occupancy" pays for goals of the kind "be" alone',
        name="occupancy",
    ),
    "nothing common": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn"',
        'reward.common: missing; the reward "public_goods" needs it',
        name="public_goods",
    ),
    "common place": _goals(
        'agent = "Vic Bay", kind = "be", place = "Barn"',
        'reward.common: no place "Bran"; did you mean "Barn"?',
        'common = "Bran"\n',
        name="public_goods",
    ),
    "errands of company": Bad(
        S, 'name = "errand"', 'name = "company"', 'the reward "company" pays for no errands'
    ),
    "success of answers alone": Bad(
        S,
        'name = "errand"\nerrands = [{ agent = "Vic Bay", object = "Inn/taproom/hearth", '
        'state = "lit" }]',
        'name = "success"',
        'reward.name: the reward "success" needs a success that places, things or facts decide',
    ),
    "second errand": Bad(
        S,
        "errands = [",
        'errands = [{ agent = "Vic Bay", object = "Inn/attic/bed", state = "slept in" }, ',
        'reward.errands[1].agent: "Vic Bay" has an errand already; one for each person',
    ),
    # Maps.
    "map: at without a map": Bad(
        S, 'name = "bed"', 'name = "bed", at = [1, 1]', "objects[0].at: a t"
    ),
    "map: empty": Bad(
        M, MAP, "", "map.txt:size: it has 0 x 0 tiles; from 1 x 1 to 512 x 512", DRAWN
    ),
    "map: wide": Bad(M, "", "." * 513, "map.txt:size: it has 513 x 10 tiles; from 1 x 1 to", DRAWN),
    "map: huge": Bad(
        M, "", "\n" * 300_000, "map.txt:map: at most 263168 characters are allo", DRAWN
    ),
    "map: symbol": Bad(
        M, "#bb", "#b?", 'map.txt:line 8, column 3: unknown symbol "?"; allo', DRAWN
    ),
    "map: symbol twice": Bad(S, '"b"', '"t"', 'arenas[0].symbol: "t" is used twice; every', DRAWN),
    "map: taken symbol": Bad(
        S, '"b"', '"#"', 'symbol: "#" already means something in a map', DRAWN
    ),
    "map: unseen symbol": Bad(S, '"b"', '"\\u0007"', "already means something in a map", DRAWN),
    "map: no symbol": Bad(
        S, 'symbol = "b"\n', "", "symbol: missing; with a map.txt every aren", DRAWN
    ),
    "map: long symbol": Bad(S, '"b"', '"bb"', "symbol: at most 1 character is allowed", DRAWN),
    "map: arena left out": Bad(
        M, "bbbbbb", "......", '"b" does not occur in map.txt; draw th', DRAWN
    ),
    "map: no door": Bad(M, "##+##", "#####", "there is no way to it from", DRAWN),
    "map: cut off": Bad(M, "t+a", "t#a", 'no way to it from "Inn/attic", where Una Ash', DRAWN),
    "map: cut in two": Bad(M, "bbbbbb", "bb#bbb", "no way to 2 of its tiles from", DRAWN),
    "map: object left out": Bad(
        M, "tht", "ttt", '"h" does not occur in map.txt; draw it once', DRAWN
    ),
    "map: object twice": Bad(
        M, "thttt", "ththt", "it is drawn 2 times; an object stands on", DRAWN
    ),
    "map: tiles without a map": Bad(
        S, 'name = "bed"', 'name = "bed", tiles = [[1, 1]]', "objects[0].tiles: a tile can be named"
    ),
    "map: spawn without a map": Bad(
        S, 'symbol = "t"', 'spawns = [{ name = "in" }]', "spawns: a tile can have a name only where"
    ),
    "map: start without a map": Bad(V, '"Barn"', '"3,4"', 'vic.toml:start: "3,4" is a tile; one'),
    "map: said twice": Bad(
        S, HEARTH, HEARTH + ", at = [2, 2]", "at: its tiles are said twice", DRAWN
    ),
    "map: at and tiles": Bad(
        S,
        'name = "bed"',
        'name = "bed", at = [7, 1], tiles = [[8, 1]]',
        "tiles: its tiles are said twice; leave all but one",
        DRAWN,
    ),
    "map: tiles in a wall": Bad(
        S,
        'name = "bed"',
        'name = "bed", tiles = [[9, 1], [10, 1]]',
        "tiles: [10, 1] is a wall; an object stands on the floor",
        DRAWN,
    ),
    "map: solid in the way": Bad(
        S,
        HEARTH,
        'name = "hearth", solid = true, tiles = [[5, 1], [5, 2], [5, 3]]',
        'no way to it from "Inn/attic", where Una Ash starts',
        {**DRAWN, M: MAP.replace("tht", "ttt")},
    ),
    "map: symbol of a whole sector": Bad(
        S,
        'name = "Barn"\n',
        'name = "Barn"\nsymbol = "y"\n',
        'all of "Barn" is its one arena',
        DRAWN,
    ),
    "map: ground left out": Bad(
        S, 'name = "Inn"', 'name = "Inn"\nsymbol = "i"', '"i" does not occur in map.txt', DRAWN
    ),
    "map: spawn twice": Bad(
        S,
        'symbol = "t"',
        'symbol = "."\nspawns = [{ name = "in", symbol = "t" }]',
        "spawns[0].symbol: it is drawn 14 times; a spawn is one tile",
        DRAWN,
    ),
    "map: spawn nowhere": Bad(
        S, 'symbol = "t"', 'symbol = "t"\nspawns = [{ name = "in" }]', "at: missing; a spawn", DRAWN
    ),
    "map: spawn like a thing": Bad(
        S,
        'symbol = "t"',
        'symbol = "t"\nspawns = [{ name = "hearth", at = [1, 1] }]',
        'the object or spawn "hearth" is used twice',
        DRAWN,
    ),
    "map: spawn in another's room": Bad(
        V, '"Barn"', '"Inn/attic/up"', 'start: no place "Inn/attic/up"; did you mean', DRAWN
    ),
    "map: object elsewhere": Bad(M, "thttt+aaa#", "ttttt+aha#", "lies outside its arena;", DRAWN),
    "map: object in a wall": Bad(
        S, 'name = "bed"', 'name = "bed", at = [0, 0]', "objects[0].at: [0, 0] is a wall; an", DRAWN
    ),
    "map: object outside": Bad(
        S,
        'name = "bed"',
        'name = "bed", at = [99, 1]',
        "[99, 1] lies outside the map, which",
        DRAWN,
    ),
    "map: object in a door": Bad(
        S, 'name = "bed"', 'name = "bed", at = [6, 2]', "at: [6, 2] is a door; an object", DRAWN
    ),
    "map: one tile": Bad(
        S,
        '[{ name = "bed"',
        '[{ name = "rug", at = [8, 1] }, { name = "bed", at = [8, 1]',
        'objects[1].at: its tile [8, 1] already holds "rug"',
        DRAWN,
    ),
    "no room": Bad(
        S,
        'objects = [{ name = "bed"',
        "size = [2, 2]\nobjects = ["
        + "".join(f'{{ name = "pot {i}" }}, ' for i in range(12))
        + '{ name = "bed"',
        "arenas[1].objects: 13 objects but",
    ),
    "too wide a town": Bad(
        S,
        'symbol = "b"\n',
        "".join(f'[[sectors.arenas]]\nname = "r{i}"\nsize = [40, 2]\n' for i in range(30)),
        "sectors: the town would have ",
    ),
}

# Checks, successes and casts.
BAD_CHECKS: dict[str, Bad] = {
    "check without a kind": Bad(
        S, 'kind = "answer"\n', "", 'checks[0].kind: missing; it is required, one of "answer", "val'
    ),
    "unknown kind of check": Bad(
        S, 'kind = "answer"', 'kind = "anser"', 'checks[0].kind: "anser" is unknown; did you mean "'
    ),
    "key of another kind": Bad(
        S, 'kind = "place"', 'kind = "place"\nask = "x"', "checks[2].ask: unknown key; allowed: "
    ),
    "check of no fact": Bad(
        S,
        'kind = "fact"\nfact = "feast"',
        'kind = "fact"\nfact = "feats"',
        'checks[3].fact: no fact "feats"; did you mean "feast"?',
    ),
    "fact checked after the end": Bad(
        S,
        'kind = "fact"\n',
        'kind = "fact"\nat = 2024-01-01T00:00:00\n',
        "checks[3].at: 2024-01-01 00:00:00 is not in the scenario, from ",
    ),
    "check of no object": Bad(
        S,
        'object = "Inn/taproom/hearth"\nstate',
        'object = "Inn/taproom/heart"\nstate',
        'checks[4].object: no object "Inn/taproom/heart"; did you mean "Inn/taproom/hearth"?',
    ),
    "check of no state": Bad(
        S,
        'state = "lit"\nunseen',
        'state = "lid"\nunseen',
        'checks[4].state: no state "lid"; did you mean "lit"?',
    ),
    "unseen by nobody": Bad(
        S,
        'unseen_by = ["Vic Bay"]',
        'unseen_by = ["Vic"]',
        'checks[4].unseen_by[0]: no person "Vic"; did you mean "Vic Bay"?',
    ),
    "unknown key of a check": Bad(
        S, 'yes = ["yes"]', 'yess = ["yes"]', 'checks[0].yess: unknown key; did you mean "yes"?'
    ),
    "unknown key of a value": Bad(
        S,
        '{ value = "Vic" }',
        '{ value = "Vic", pattern = 1 }',
        "values[1].pattern: unknown key; did",
    ),
    "check id": Bad(
        S, 'id = "knows"', 'id = "Knows"', 'checks[0].id: "Knows" is no id; lower-case'
    ),
    "check twice": Bad(
        S, 'id = "likes"', 'id = "came"', 'checks[2].id: the id "came" is used twice; every id has'
    ),
    "check of no question": Bad(
        S,
        'question = "heard"',
        'question = "herd"',
        'question: no question "herd"; did you mean "h',
    ),
    "check about everyone": Bad(
        S,
        'question = "heard"',
        'question = "met"',
        '"met" is asked about everyone; check a questio',
    ),
    "check of any text": Bad(
        S, 'yes = ["yes"]', 'yes = ["y*"]', 'checks[0].yes[0]: "y*" matches the empty text, so'
    ),
    "check by no regex": Bad(
        S, 'yes = ["yes"]', 'no = ["("]', "checks[0].no[0]: not a regular expression: "
    ),
    "no look-ahead": Bad(
        S,
        'patterns = ["una"]',
        'patterns = ["una"], no = ["a(?!b)"]',
        "checks[1].values[0].no[0]: ",
    ),
    "value twice": Bad(
        S,
        '{ value = "Vic" }',
        '{ value = "UNA" }',
        'values[1].value: "UNA" comes twice, as "Una"; ',
    ),
    "otherwise is a value": Bad(
        S,
        "values = [{",
        'otherwise = "Vic"\nvalues = [{',
        'checks[1].otherwise: "Vic" is one of th',
    ),
    "checked place": Bad(
        S, 'place = "Inn"\n', 'place = "In"\n', 'checks[2].place: no place "In"; d'
    ),
    "checked too late": Bad(
        S, "T10:30", "T13:01", "checks[2].at: 2023-02-13 13:01:00 is not in the"
    ),
    "success twice": Bad(
        S, 'id = "loved"', 'id = "told"', 'success[1].id: the id "told" is used tw'
    ),
    "success of nothing": Bad(
        S,
        'all = ["told", "loved"]',
        "",
        "success[2].check: missing; exactly one of check, all, any",
    ),
    "success of two": Bad(
        S,
        'all = ["told", "loved"]',
        'all = ["told"]\nany = ["loved"]',
        "success[2].any: all and any are given; exactly one of check, all, any, none is wanted",
    ),
    "success of no check": Bad(
        S,
        'check = "knows"',
        'check = "know"',
        'success[0].check: no check "know"; did you mean "kn',
    ),
    "success of a later one": Bad(
        S,
        '"told", "loved"',
        '"told", "full"',
        'all[1]: no success "full" before this one; those be',
    ),
    "success of nobody": Bad(
        S, 'of = ["Vic Bay"]', 'of = ["Vik Bay"]', 'success[0].of[0]: no person "Vik Bay"; did you'
    ),
    "success of one twice": Bad(
        S, 'of = ["Vic Bay"]', 'of = ["Vic Bay", "Vic Bay"]', 'of[1]: "Vic Bay" comes twice; name e'
    ),
    "success of one not asked": Bad(
        S,
        'of = ["Vic Bay"]',
        'of = ["Una Ash"]',
        'of[0]: "Una Ash" is not asked what knows checks;',
    ),
    "value unknown": Bad(
        S,
        'value = "Una"\n',
        'value = "Ula"\n',
        'success[1].value: likes has no value "Ula"; allowed',
    ),
    "value missing": Bad(
        S, 'value = "Una"\n', "", "success[1].value: missing; which value counts as"
    ),
    "value of yes or no": Bad(
        S, 'of = ["Vic Bay"]', 'value = "Una"', 'success[0].value: "knows" is no value check, its'
    ),
    "value and equal": Bad(
        S,
        'value = "Una"\n',
        'value = "Una"\nover = "equal"\n',
        "success[1].value: `equal` asks for",
    ),
    "equal of yes or no": Bad(
        S, 'of = ["Vic Bay"]', 'over = "equal"', 'success[0].over: "knows" is no value check; allow'
    ),
    "over of successes": Bad(
        S,
        'all = ["told", "loved"]',
        'all = ["told"]\nover = "any"',
        "success[2].over: it says how a",
    ),
    "cast of nobody": Bad(
        S,
        '1 = ["Una Ash"]',
        '1 = ["Una Asch"]',
        'casts.1[0]: no person "Una Asch"; did you mean "U',
    ),
    "cast with one twice": Bad(
        S,
        '1 = ["Una Ash"]',
        '1 = ["Una Ash", "Una Ash"]',
        'casts.1[1]: "Una Ash" comes twice; name',
    ),
    "cast like a person": Bad(
        S,
        "1 = [",
        '"una ash" = [',
        "casts.una ash: somebody has this name too; call the cast other",
    ),
    "empty cast": Bad(S, '1 = ["Una Ash"]', "1 = []", "casts.1: at least 1 entry is allowed"),
}
BAD |= {name: replace(bad, base=CHECKED) for name, bad in BAD_CHECKS.items()}
