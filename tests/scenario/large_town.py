"""A small town with all that a map.grid can say: a corridor, a long table, spawn tiles."""

from base64 import b64decode

from tests.scenario.bad_folders import Files

SCENARIO = """
name = "lodge"
title = "A lodge with a corridor"
town = "Lodge"
start = 2023-02-13T08:00:00
hours = 1

[[sectors]]
name = "Lodge"
common = true

[[sectors.arenas]]
name = "hall"
objects = [
  { name = "table", states = ["bare", "laid"] },
  { name = "blackboard", states = ["clean", "full"] },
]
spawns = [{ name = "head" }]

[[sectors.arenas]]
name = "room"
objects = [{ name = "bed", states = ["made", "slept in"], sleep_state = "slept in" }]
spawns = [{ name = "rug" }]

[[people]]
name = "Ann Low"
persona = "Ann keeps the lodge"
home = "Lodge/room"
start = "Lodge/room/rug"

[[people]]
name = "Bob Mey"
persona = "Bob is a guest"
home = "Lodge/room"
start = "4,3"
"""

# The hall lies to the left, the room to the right, the corridor below both; tile (2, 2) to (4, 2)
# is the table, (1, 0) on the wall the blackboard, (8, 1) to (8, 2) the bed.
GRID = """genagents map 1
# a comment
size 10 6

[places]
1 Lodge
2 Lodge/hall
7 Lodge/room
[objects]
1 Lodge/hall/table
2 Lodge/hall/blackboard
3 Lodge/room/bed
[spawns]
1 2 Lodge/hall/head
7 1 Lodge/room/rug
[layer closed]
10*1
1 4*0 1 3*0 1
1 0 3*1 1 3*0 1
1 4*0 1 3*0 1
1 8*0 1
5*1 0 4*1
[layer place]
10*0
0 4*2 0 3*7 0
0 4*2 0 3*7 0
0 4*2 0 3*7 0
0 8*1 0
5*0 1 4*0
[layer object]
0, 2, 8*0
8*0 3 0
0 0 1 1 1 0 0 0 3 0
10*0
10*0
10*0
[sprites]
Ann Low = ann.png
"""

# Two by two pixels.
PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQV"
    "R42mOMqrBhYGBgYmBgYGBgAAAM8AESvCQ2wgAAAABJRU5ErkJggg=="
)
LODGE: Files = {
    "scenario.toml": SCENARIO,
    "map.grid": GRID,
    "ann.png": PNG.decode("utf-8", "surrogateescape"),  # as `write` puts it back
}
