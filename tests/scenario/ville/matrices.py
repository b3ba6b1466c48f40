"""A small town in the matrices of Smallville's public code: the layout of its files, not its data.

It has two rooms with a corridor between them and the street, a park, a bed on two tiles, seating on
two that do not touch, a sealed corner, and two spawn tiles.
"""

from pathlib import Path

from tests.scenario.bad_folders import Files

WIDTH, HEIGHT = 10, 7
_LODGE = Path(__file__).with_name("lodge")
VILLE: Files = {
    path.relative_to(_LODGE).as_posix(): path.read_text("utf-8")
    for path in sorted(_LODGE.rglob("*.*"))
}
