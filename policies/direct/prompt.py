"""The prompt of a direct mind: who it is, earlier turns, and what it perceives, within a length."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Template

from genagents_env.llm.calls import Message
from genagents_env.llm.prompts import fence, load_prompt, run_fence
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.percept import Percept
from genagents_env.profile import Profile

from .config import DirectConfig
from .mind import DirectMind

_PERSONA = 1200  # characters of who one is
_MARK = 6  # characters of the fence's mark, as of other small prompts


class DirectPrompts:
    """The prompt files, filled in for one run.

    Args:
        seed: of the run; decides the mark of the fence.
        config: the policy's options.
        most: tokens of a prompt.
    """

    def __init__(self, seed: int, config: DirectConfig, most: int) -> None:
        self._system, self._user = _load("system.jinja"), _load("user.jinja")
        self._mark, self._config = run_fence(seed)[:_MARK], config
        self._most = most

    def format_system(self, profile: Profile) -> str:
        """Format who one is and how to reply: the beginning of every prompt of an episode."""
        return self._system.render(
            name=profile.name,
            age=profile.age,
            traits=", ".join(profile.traits),
            persona=" ".join(f"{s}." for s in profile.sentences)[:_PERSONA],
            goal=profile.goal,
            home=profile.home,
            workplace=profile.workplace,
            facts=[fact.statement for fact in profile.facts],
        ).strip()

    def format_messages(
        self, system: str, mind: DirectMind, percept: Percept
    ) -> tuple[list[Message], int]:
        """Return the prompt, and how many lines there was no room for.

        Earlier turns go first, the oldest before the others, then lines of the present one from
        its end, where the places stand that one knows.
        """
        lines = [*(f"Before: {line}" for line in mind.heard), *percept.text.splitlines()]
        turns: Sequence[tuple[str, str]] = mind.turns[len(mind.turns) - self._config.history :]
        if not self._config.history:
            turns = ()
        for dropped in range(len(lines)):
            kept = lines[: len(lines) - dropped]
            for first in range(len(turns) + 1):
                messages = self._join(system, turns[first:], kept, mind.fault)
                if bound_prompt_tokens(messages) <= self._most:
                    return messages, dropped
        return self._join(system, (), lines[:1], mind.fault), len(lines) - 1

    def _join(
        self, system: str, turns: Sequence[tuple[str, str]], lines: Sequence[str], fault: str
    ) -> list[Message]:
        earlier = [
            message
            for asked, said in turns
            for message in (Message("user", asked), Message("assistant", said))
        ]
        data = fence(lines, self._mark)
        now = self._user.render(fault=fault, data=data).strip()
        return [Message("system", system), *earlier, Message("user", now)]


@cache
def _load(name: str) -> Template:
    """Return a prompt file; read once, since trainers begin episodes by the thousand."""
    return load_prompt(Path(__file__).parent / name)
