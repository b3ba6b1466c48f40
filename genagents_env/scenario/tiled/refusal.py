"""What ends the reading of a Tiled file: where in it, and what was wrong."""

from genagents_env.scenario.faults import Fault, Loc, quote

MAP = "map"  # the first part of every place in a map


class TiledRefusal(Exception):
    """A Tiled file, or a part of it, that is not read: `where` says which part, `text` why."""

    def __init__(self, text: str, *where: str) -> None:
        super().__init__(text)
        self.where, self.text = where, text

    @property
    def fault(self) -> Fault:
        """The same as a fault of the map."""
        return Fault((MAP, *self.where), self.text)


def name_layer(name: object) -> str:
    """Return how faults call a layer."""
    return f"layer {quote(name)}"


def name_object(number: object, name: object = "") -> str:
    """Return how faults call an object of a layer: by the number and the name it has in Tiled."""
    return f"object {quote(number, 12)[1:-1]}" + (f" {quote(name)}" if name else "")


def name_tile(x: int, y: int) -> str:
    """Return how faults call a tile."""
    return f"tile {x}, {y}"


def locate(*where: str) -> Loc:
    """Return the place of a fault in a map."""
    return (MAP, *where)
