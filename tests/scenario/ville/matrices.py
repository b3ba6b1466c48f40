"""A small town in the matrices of Smallville's public code: the layout of its files, not its data.

It has two rooms with a corridor between them and the street, a park, a bed on two tiles, seating on
two that do not touch, a sealed corner, and two spawn tiles.
"""

from tests.scenario.bad_folders import Files

WIDTH, HEIGHT = 10, 7
CLOSED = """
##########
#...##..##
#...##.#.#
#.......##
#####.####
..........
..........
"""
# a hall, b room, c corridor, p park
PLACES = """
cccccccccc
caaaccbbbc
caaaccbbbc
caaaccbbbb
cccccccccc
pppp......
pppp......
"""
# B blackboard, S seating, D bed, G garden
THINGS = """
..........
.B.S..DD..
..........
.S........
..........
.GG.......
..........
"""
SPAWNS = """
..........
......1...
..2.......
..........
..........
..........
..........
"""
ID = {"a": "201", "b": "202", "p": "203", "B": "301", "S": "302", "D": "303", "G": "304"}
SECTOR = {"a": "101", "b": "101", "c": "101", "p": "102"}


def _csv(rows: str, numbers: dict[str, str]) -> str:
    return ", ".join(numbers.get(cell, "0") for row in rows.split() for cell in row)


VILLE: Files = {
    "maze_meta_info.json": f'{{"world_name": "the lodge", "maze_width": {WIDTH}, '
    f'"maze_height": {HEIGHT}, "sq_tile_size": 32, "special_constraint": ""}}',
    "maze/collision_maze.csv": _csv(CLOSED, {"#": "99"}),
    "maze/sector_maze.csv": _csv(PLACES, SECTOR),
    "maze/arena_maze.csv": _csv(PLACES, ID),
    "maze/game_object_maze.csv": _csv(THINGS, ID),
    "maze/spawning_location_maze.csv": _csv(SPAWNS, {"1": "401", "2": "402"}),
    "special_blocks/world_blocks.csv": "1, the lodge",
    "special_blocks/sector_blocks.csv": "101, the lodge, Lodge \n102, the lodge, Mill Park",
    "special_blocks/arena_blocks.csv": "201, the lodge, Lodge, hall\n"
    "202, the lodge, Lodge, Bea's room\n203, the lodge, Mill Park, park\n",
    "special_blocks/game_object_blocks.csv": "301, the lodge, <all>, blackboard\n"
    "302, the lodge, <all>, hall seating\n303, the lodge, <all>, bed\n"
    "304, the lodge, <all>, park garden",
    "special_blocks/spawning_location_blocks.csv": "401, the lodge, Lodge, Bea's room, sp-A\n"
    "402, the lodge, Lodge, hall, sp-A",
}
