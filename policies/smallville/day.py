"""A day's plan as data: the outline, the hours, and the pieces of the hours at hand."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class PlanBlock:
    """A stretch of the day with one activity; seconds of game time, `end` excluded."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Piece:
    """A piece of a block: some minutes of one activity, and where it happens once grounded.

    `place`: arena id; `object`: object id or empty; `use`: words for the state the object gets;
    `about`: subject, predicate and object of the activity.
    """

    start: int
    end: int
    text: str
    place: str = ""
    object: str = ""
    use: str = ""
    emoji: str = ""
    about: tuple[str, ...] = ()

    @property
    def grounded(self) -> bool:
        """Whether it has its place."""
        return bool(self.place)


@dataclass(slots=True)
class Day:
    """The plan of one day. Times are seconds of game time; empty where there is none yet.

    `date`: the calendar day, ISO 8601. `wake` to `bed` is the time up; what lies after `bed` is
    sleep. `pieces` reach as far as the day is taken apart.
    """

    date: str = ""
    wake: int = 0
    bed: int = 0
    outline: list[str] = field(default_factory=list)
    hours: list[PlanBlock] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    def find_block(self, now: int) -> PlanBlock | None:
        """Return the block in force at `now`."""
        return next((block for block in self.hours if block.start <= now < block.end), None)

    def find_piece(self, now: int) -> Piece | None:
        """Return the piece in force at `now`."""
        return next((piece for piece in self.pieces if piece.start <= now < piece.end), None)

    def find_reach(self, now: int) -> int:
        """Return up to when the day is taken apart without a gap from `now` on."""
        reached = now
        for piece in self.pieces:
            if piece.start <= reached < piece.end:
                reached = piece.end
        return reached

    def drop_pieces(self, start: int) -> None:
        """Forget the pieces from `start` on, and the part after it of one under way."""
        self.pieces = [piece for piece in self.pieces if piece.start < start]
        if self.pieces:
            self.pieces[-1].end = min(self.pieces[-1].end, start)

    def replace_hours(self, start: int, blocks: list[PlanBlock]) -> None:
        """Put `blocks` in place of everything from `start` on."""
        kept = [block for block in self.hours if block.start < start]
        if kept:
            kept[-1].end = min(kept[-1].end, start)
        self.hours = [*kept, *blocks]


def merge_blocks(blocks: list[PlanBlock]) -> list[PlanBlock]:
    """Return `blocks` with neighbours of the same activity joined, and empty ones dropped."""
    joined: list[PlanBlock] = []
    for block in blocks:
        if block.end <= block.start:
            continue
        if joined and joined[-1].text == block.text and joined[-1].end == block.start:
            joined[-1].end = block.end
        else:
            joined.append(PlanBlock(block.start, block.end, block.text))
    return joined
