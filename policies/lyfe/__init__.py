"""The Lyfe mind: options that last, a self-monitor beside them, and memory that forgets.

Source: Lyfe Agents (Kaiya et al. 2023), *Low-cost generative agents for social interactions*. A
model is asked when an option has ended, at the agent's turn to speak, and when enough is new;
everything else is fast and without one. Each of the paper's three ideas is switched off by a field
of the configuration. How it differs from paper and release, and why, is in `docs/lyfe.md`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from genagents_env.actions import Action
from genagents_env.cognition.mind import Services
from genagents_env.cognition.policy import MindPolicy, read_options
from genagents_env.cognition.query import Moment
from genagents_env.errors import PolicyError
from genagents_env.memory.content import MindContent, SavedMind
from genagents_env.percept import Percept
from genagents_env.policy import Answer, InterviewTerms, Profile, RecalledMemory
from genagents_env.text import clean

from . import (
    act,
    content,
    controller,
    interview,
    memory,
    monitor,
    options,
    outlook,
    reflect,
    senses,
    talk,
)
from .config import LyfeConfig
from .mind import Handlers, LyfeMind, make_mind
from .scripted import REPLIES

__all__ = ["LyfeConfig", "LyfePolicy"]

FOLDER = Path(__file__).parent / "prompts"
HANDLERS: Handlers = {
    **controller.HANDLERS,
    **talk.HANDLERS,
    **reflect.HANDLERS,
    **outlook.HANDLERS,
    **monitor.HANDLERS,
    **memory.HANDLERS,
}


class LyfePolicy(MindPolicy[LyfeMind, LyfeConfig]):
    """Lyfe agents; the model calls of all of them are under way together.

    Args: the fields of `LyfeConfig`, by keyword; `variant` is one of the paper's ablations.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """

    name = "lyfe"
    missing_embedder = "remembers by likeness and needs an embedder; give `embedder`"
    scripted_replies = REPLIES
    causes = content.CAUSES
    switched: ClassVar[Mapping[str, str]] = {"self_monitor": "monitor", "saf_memory": "memory"}

    def __init__(self, **options: object) -> None:
        self.interviewer = interview.INTERVIEWER
        super().__init__(read_options(LyfeConfig, options, self.name), HANDLERS, FOLDER)

    def make_mind(self, services: Services[LyfeConfig], profile: Profile) -> LyfeMind:
        """Return a mind that knows what its profile says."""
        return make_mind(services, profile)

    async def decide(self, mind: LyfeMind, percept: Percept) -> Action:
        """Return the action: sense, see whether the option is over, think what is due."""
        moment = Moment(percept, self.services.to_second(percept.time))
        await monitor.begin(mind, moment)
        await senses.perceive(mind, moment)
        options.settle(mind, moment)
        thoughts = [
            *monitor.make_queries(mind, moment),
            *controller.make_queries(mind, moment),
            *reflect.make_queries(mind, moment),
            *talk.make_queries(mind, moment),
        ]
        if thoughts or mind.pending:
            await self.scheduler.run(mind, thoughts, moment)
        if merges := await memory.remember(mind, moment):
            await self.scheduler.run(mind, merges, moment)
        return act.choose_action(mind, moment)

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Answer as `agent` after reflecting on the first question; no trace."""
        return await interview.answer_questions(
            self.minds[agent], questions, repeat, self.interviewer
        )

    def set_interview_terms(self, terms: InterviewTerms) -> None:
        """Let interviews be held by whom these terms name.

        Raises:
            PolicyError: memories are to be left out, which are of one kind here.
        """
        if terms.without:
            raise PolicyError(
                f"the policy {self.name!r} cannot answer without some of its memories: they are "
                "not told apart by what made them"
            )
        self.interviewer = clean(terms.interviewer) or interview.INTERVIEWER

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a saved mind for reports and pages."""
        return content.describe_mind(saved)

    def memories(self, agent: str) -> list[RecalledMemory]:
        """Return long and recent memory, and the summary."""
        mind = self.minds[agent]
        kept = [RecalledMemory(one.text, one.events) for one in (*mind.long, *mind.recent)]
        return [
            *kept,
            *(RecalledMemory(part.text, tuple(part.events)) for part in mind.summary.parts),
        ]
