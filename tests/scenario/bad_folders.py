"""The corpus of bad scenario folders: a good one, one change, and what must be said about it.

The changes are the rows of `bad_folders.toml`; those that a row cannot hold are here.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

Files = dict[str, str]

_HERE = Path(__file__).parent
HEAD, SECTORS, PLOT, COUNTED, UNA, VIC, MAP = (
    (_HERE / "good" / name).read_text("utf-8")
    for name in (
        "head.toml",
        "sectors.toml",
        "plot.toml",
        "counted.toml",
        "una.toml",
        "vic.toml",
        "map.txt",
    )
)
GOOD: Files = {
    "scenario.toml": HEAD + SECTORS + PLOT,
    "people/una.toml": UNA,
    "people/vic.toml": VIC,
}
CHECKED: Files = {**GOOD, "scenario.toml": HEAD + SECTORS + PLOT + COUNTED}
DRAWN: Files = {**GOOD, "map.txt": MAP}
# A small town with all that a map.grid can say. The hall lies to the left, the room to the right,
# the corridor below both; tile (2, 2) to (4, 2) is the table, (1, 0) on the wall the blackboard,
# (8, 1) to (8, 2) the bed.
LODGE: Files = {  # bytes of no text as `write` puts them back
    path.name: path.read_bytes().decode("utf-8", "surrogateescape")
    for path in sorted((_HERE / "lodge").iterdir())
}
GRID = LODGE["map.grid"]


class Bad(NamedTuple):
    """One bad folder: in `file`, `old` is replaced by `new` (added at the end if `old` is "")."""

    file: str
    old: str
    new: str
    message: str
    base: Mapping[str, str] = GOOD

    def files(self) -> Files:
        return change(dict(self.base), self)


def change(files: Files, bad: Bad) -> Files:
    text = files.get(bad.file, "")
    assert bad.old in text, f"{bad.old!r} is not in {bad.file}"
    changed = text.replace(bad.old, bad.new, 1) if bad.old else text + bad.new
    return {**files, bad.file: changed}


def write(folder: Path, files: Mapping[str, str] | Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode(errors="surrogateescape"))
    return folder


S, U, V, M = "scenario.toml", "people/una.toml", "people/vic.toml", "map.txt"
ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def read_rows(section: str, base: Mapping[str, str]) -> dict[str, Bad]:
    """Return a section of `bad_folders.toml`: changes of one text each in the files of `base`."""
    rows = ROWS[section].items()
    return {name: Bad(file, old, new, told, base) for name, (file, old, new, told) in rows}


def _make_goals(name: str, more: str, goal: str, message: str) -> Bad:
    """Return the good folder with another reward, which has a goal and no errands."""
    old = PLOT[PLOT.index('name = "errand"') :].strip()
    goals = f"goals = [{{ {goal} }}]\n" if goal else ""
    return Bad(S, old, f'name = "{name}"\n{more}\n{goals}', message)


BAD: dict[str, Bad] = {
    **read_rows("good", GOOD),
    **read_rows("drawn", DRAWN),
    **read_rows("checked", CHECKED),
    **{name: _make_goals(*row) for name, row in ROWS["goals"].items()},
    "empty": Bad(S, HEAD + SECTORS + PLOT, "", "scenario.toml:name: missing; it is requi"),
    "deep": Bad(S, "", "x = " + "[" * 60 + "]" * 60, "nested too deeply; at most 32 levels"),
    "bottomless": Bad(S, "", "x = " + "[" * 99_999, "nested too deeply; at most 32 levels"),
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
    "more than people": Bad(
        V, VIC, f"town = 1\n[[people]]\n{VIC}", "people/vic.toml:town: unknown key; a file holds"
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
    "map: empty": Bad(
        M, MAP, "", "map.txt:size: it has 0 x 0 tiles; from 1 x 1 to 512 x 512", DRAWN
    ),
    "map: wide": Bad(M, "", "." * 513, "map.txt:size: it has 513 x 10 tiles; from 1 x 1 to", DRAWN),
    "map: huge": Bad(
        M, "", "\n" * 300_000, "map.txt:map: at most 263168 characters are allo", DRAWN
    ),
    "map: solid in the way": Bad(
        S,
        'name = "hearth", symbol = "h"',
        'name = "hearth", solid = true, tiles = [[5, 1], [5, 2], [5, 3]]',
        'no way to it from "Inn/attic", where Una Ash starts',
        {**DRAWN, M: MAP.replace("tht", "ttt")},
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
