"""Towns for walkers: corridors and mazes with rooms a and b, drawn as maps."""

import json
import random
from collections.abc import Sequence

from genagents_env.scenario import Scenario

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def make_scenario(rows: Sequence[str], starts: str, **changes: object) -> Scenario:
    """Return the town of a map whose letters are rooms; person `Pi` starts in room `starts[i]`."""
    rooms = sorted({tile for row in rows for tile in row} - set("#.+"))
    sectors = [
        {"name": f"Room {room}", "common": True, "arenas": [{"name": "floor", "symbol": room}]}
        for room in rooms
    ]
    people = [
        {"name": f"P{i}", "persona": "Walks.", "home": f"Room {start}"}
        for i, start in enumerate(starts)
    ]
    data = {
        **{"name": "walks", "title": "Walks", "town": "Walks", "start": "2023-02-13T09:00:00"},
        **{"hours": 24.0, "sectors": sectors, "people": people, "map": "\n".join(rows) + "\n"},
        "rules": {"bodies_block": True},
    }
    return Scenario.model_validate_json(json.dumps(data | changes))


def draw_corridor(width: int, length: int = 12, side: int = 7) -> list[str]:
    """Return two square rooms with a corridor of some width between them."""
    top = (side - width) // 2
    rows = [
        f"#{'a' * side}{('.' if top <= y < top + width else '#') * length}{'b' * side}#"
        for y in range(side)
    ]
    edge = "#" * len(rows[0])
    return [edge, *rows, edge]


def draw_maze(seed: int) -> list[str]:
    """Return a maze of passages one tile wide, all connected, with a room a and a room b in it."""
    draw = random.Random(seed)  # noqa: S311 (a maze)
    width, height = draw.randint(2, 7), draw.randint(2, 7)
    tiles = [["#"] * (2 * width + 1) for _ in range(2 * height + 1)]
    tiles[1][1], trail, seen = ".", [(0, 0)], {(0, 0)}
    while trail:
        x, y = trail[-1]
        ahead = [
            (x + dx, y + dy, dx, dy)
            for dx, dy in SIDES
            if 0 <= x + dx < width and 0 <= y + dy < height and (x + dx, y + dy) not in seen
        ]
        if not ahead:
            trail.pop()
            continue
        to_x, to_y, dx, dy = draw.choice(ahead)
        seen.add((to_x, to_y))
        trail.append((to_x, to_y))
        tiles[2 * to_y + 1][2 * to_x + 1] = tiles[2 * y + 1 + dy][2 * x + 1 + dx] = "."
    more = draw.choice([0, 0.05, 0.3])
    for y in range(1, 2 * height):
        for x in range(1, 2 * width):
            if tiles[y][x] == "#" and draw.random() < more:
                tiles[y][x] = "."
    floor = [(x, y) for y, row in enumerate(tiles) for x, tile in enumerate(row) if tile == "."]
    for room, corner in zip("ab", draw.sample(floor, 2), strict=True):
        patch, size = [corner], draw.randint(1, 12)
        for x, y in patch:
            for dx, dy in SIDES:
                near = (x + dx, y + dy)
                if len(patch) < size and near in floor and near not in patch:
                    patch.append(near)
        for x, y in patch:
            if (x, y) == corner or tiles[y][x] == ".":
                tiles[y][x] = room
    return ["".join(row) for row in tiles]
