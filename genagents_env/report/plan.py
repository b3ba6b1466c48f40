"""The plan of a sweep: its question and its design."""

from dataclasses import dataclass
from shlex import quote


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The question of a sweep and its design.

    Attributes:
        name: of the experiment.
        question: may be empty.
        text: of the experiment file.
        seeds: that it names.
        baseline: the arm the others are compared with, or None.
        paired: every condition is run with the same seeds, by the same clock.
        model: that took the place of the file's for every run, or None.
    """

    name: str
    question: str
    text: str
    seeds: tuple[int, ...]
    baseline: str | None = None
    paired: bool = True
    model: str | None = None

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that repeat it; DIR stands for the folder."""
        model = "" if self.model is None else f" --model {quote(self.model)}"
        return (
            f"genagents sweep experiment.toml --out DIR{model}",
            "genagents sweep --resume DIR",
            "genagents report DIR",
        )
