"""What prompts had no room for: the one rule by which terminal, summary and report caution."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from genagents_env.record.notes import parse_cuts
from genagents_env.record.rows import NoteRow

CAUTION_ABOVE = 0.01  # of the prompts


@dataclass(frozen=True, slots=True)
class SectionCut:
    """A section of prompts of which lines were left out: of how many prompts, how many lines."""

    section: str
    prompts: int
    lines: int


@dataclass(frozen=True, slots=True)
class PromptCuts:
    """How many prompts lost lines of a section, by the notes of their minds.

    Attributes:
        prompts: that were sent.
        cut: how many of them lost lines.
        sections: that lost some, those of most prompts first.
    """

    prompts: int = 0
    cut: int = 0
    sections: tuple[SectionCut, ...] = ()

    @property
    def matters(self) -> bool:
        """Whether more than 1 % of the prompts lost something."""
        return self.cut > CAUTION_ABOVE * self.prompts

    def describe(self) -> Iterator[str]:
        """Yield a caution; nothing where it does not matter."""
        if self.matters:
            named = ", ".join(f"{one.section} ({one.prompts:,})" for one in self.sections)
            yield (
                f"{self.cut:,} of {self.prompts:,} prompts had no room for all lines of a section: "
                f"{named}; a larger `prompt_tokens` of the policy gives room"
            )


def count_cuts(notes: Iterable[NoteRow], prompts: int) -> PromptCuts:
    """Return what `notes` tell of the cuts of so many `prompts`."""
    cut, seen, lines = 0, Counter[str](), Counter[str]()
    for note in notes:
        if note.kind == "cut":
            cuts = parse_cuts(note.text)
            cut += 1
            seen.update(cuts.keys())
            lines.update(cuts)
    found = (SectionCut(name, count, lines[name]) for name, count in seen.items())
    ordered = sorted(found, key=lambda one: (-one.prompts, one.section))
    return PromptCuts(prompts, cut, tuple(ordered))
