"""A day's plan as data: the outline, the hours, and the pieces of the hours at hand."""

import re
from dataclasses import dataclass, field

_ASLEEP = re.compile(
    r"(?:still |already |fast |sound )?(?:asleep|sleep|dozing|napping|in bed\b|"
    r"(?:go|going|goes) (?:back )?to (?:bed|sleep)|taking a nap|have a nap|having a nap)",
    re.IGNORECASE,
)
_WALK = re.compile(
    r"(?:walk|head|stroll|return|travel|cycl|go|mak(?:e|ing) \w+ way|set(?:ting)? out)\w* "
    r"(?:back |over |on |straight |slowly )*(?:home|to|into|towards?|for)\b(?! bed| sleep)",
    re.IGNORECASE,
)
# What one goes there to do, in the same words: then arriving is not the end of it.
_PURPOSE = re.compile(
    r"\bto (?!(?:the|a|an|my|his|her|their|our|work|bed|class|town)\b|[A-Z])\w|\band \w+ing\b"
)


def is_sleep(text: str) -> bool:
    """Return whether these words for an activity mean sleeping."""
    return _ASLEEP.match(text.strip()) is not None


def is_walk(text: str) -> bool:
    """Return whether these words for an activity mean going somewhere, which ends on arrival.

    Not where they say what one goes there to do.
    """
    way = _WALK.match(text.strip())
    return way is not None and _PURPOSE.search(text.strip(), way.end()) is None


@dataclass(slots=True)
class PlanBlock:
    """A stretch of the day with one activity; seconds of game time, `end` excluded.

    `memory`: the id of what is remembered of it, -1 for nothing.
    """

    start: int
    end: int
    text: str
    memory: int = -1


@dataclass(slots=True)
class Piece:
    """A piece of a block: some minutes of one activity, and where it happens once grounded.

    `place`: arena id; `object`: object id or empty; `use`: words for the state the object gets;
    `about`: subject, predicate and object of the activity; `memory`: the id of what is remembered
    of it, -1 for nothing.
    """

    start: int
    end: int
    text: str
    place: str = ""
    object: str = ""
    use: str = ""
    emoji: str = ""
    about: tuple[str, ...] = ()
    memory: int = -1

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

    def drop_pieces(self, start: int) -> list[Piece]:
        """Forget the pieces from `start` on, and the part after it of one under way.

        Returns:
            Those that are no plan any more.
        """
        dropped = [piece for piece in self.pieces if piece.start >= start]
        self.pieces = [piece for piece in self.pieces if piece.start < start]
        if self.pieces:
            self.pieces[-1].end = min(self.pieces[-1].end, start)
        return dropped

    def replace_hours(self, start: int, blocks: list[PlanBlock]) -> list[PlanBlock]:
        """Put `blocks` in place of everything from `start` on; return what they replace whole."""
        dropped = [block for block in self.hours if block.start >= start]
        kept = [block for block in self.hours if block.start < start]
        if kept:
            kept[-1].end = min(kept[-1].end, start)
        self.hours = [*kept, *blocks]
        return dropped


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
