"""Where labels go: rectangles that do not cover each other."""

from collections.abc import Iterable
from dataclasses import dataclass, field

Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels


@dataclass(slots=True)
class Boxes:
    """Rectangles already drawn on a canvas of `width` by `height` pixels from (0, `top`)."""

    width: int
    height: int
    top: int = 0
    taken: list[Box] = field(default_factory=list)

    def copy(self) -> "Boxes":
        """Return boxes of their own, with the same taken."""
        return Boxes(self.width, self.height, self.top, list(self.taken))

    def measure_cover(self, box: Box) -> float:
        """Return how many square pixels of `box` are taken already."""
        total = 0.0
        for left, top, right, bottom in self.taken:
            wide = min(right, box[2]) - max(left, box[0])
            high = min(bottom, box[3]) - max(top, box[1])
            if wide > 0 and high > 0:
                total += wide * high
        return total

    def take(self, box: Box) -> Box:
        """Mark `box` as taken."""
        self.taken.append(box)
        return box

    def inside(self, box: Box) -> Box:
        """Return `box` shifted so that it lies on the canvas."""
        dx = max(0.0, -box[0]) - max(0.0, box[2] - self.width)
        dy = max(0.0, self.top - box[1]) - max(0.0, box[3] - self.height)
        return (box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy)

    def free(self, choices: Iterable[Box]) -> Box | None:
        """Take and return the first of `choices` that covers nothing, or None."""
        for box in choices:
            if self.inside(box) == box and not self.measure_cover(box):
                return self.take(box)
        return None

    def best(self, choices: Iterable[Box]) -> Box:
        """Take and return the choice that covers least, moved onto the canvas; first wins ties."""
        moved = [self.inside(box) for box in choices]
        return self.take(min(moved, key=self.measure_cover))
