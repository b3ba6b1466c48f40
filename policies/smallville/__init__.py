"""The Smallville mind: memory stream, retrieval, reflection, planning, reaction and dialogue.

Source: Park et al. 2023, *Generative Agents: Interactive Simulacra of Human Behavior*. Each
faculty is one file; each can be switched off by a field of the configuration. How it differs from
the paper's public code, and why, is in `docs/smallville.md`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from genagents_env.actions import Action
from genagents_env.cognition.mind import Services
from genagents_env.cognition.policy import MindPolicy, read_options
from genagents_env.cognition.query import Moment
from genagents_env.memory.content import MindContent, SavedMind
from genagents_env.percept import Percept
from genagents_env.policy import Answer, InterviewTerms, Profile, RecalledMemory
from genagents_env.scenario.schema import Past

from . import (
    act,
    content,
    converse,
    ground,
    interview,
    past,
    perceive,
    plan,
    react,
    reflect,
    summary,
)
from .config import SmallvilleConfig
from .mind import Handlers, SmallvilleMind
from .scripted import REPLIES

__all__ = ["SmallvilleConfig", "SmallvillePolicy"]

FOLDER = Path(__file__).parent / "prompts"
HANDLERS: Handlers = {
    **perceive.HANDLERS,
    **summary.HANDLERS,
    **plan.HANDLERS,
    **ground.HANDLERS,
    **react.HANDLERS,
    **converse.HANDLERS,
    **reflect.HANDLERS,
}


class SmallvillePolicy(MindPolicy[SmallvilleMind, SmallvilleConfig]):
    """Generative agents; the model calls of all of them are under way together.

    Args: the fields of `SmallvilleConfig`, by keyword; `variant` is one of the paper's ablations.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """

    name = "smallville"
    has_past = True
    missing_embedder = (
        "recalls by relevance and needs an embedder; the context has none (or set retrieval=false)"
    )
    scripted_replies = REPLIES
    causes = content.CAUSES
    switched: ClassVar[Mapping[str, str]] = {
        "observation": "perceive",
        "describe": "summary",
        "planning": "plan",
        "reaction": "react",
        "conversation": "converse",
        "reflection": "reflect",
    }

    def __init__(self, **options: object) -> None:
        self.terms = InterviewTerms()
        super().__init__(read_options(SmallvilleConfig, options, self.name), HANDLERS, FOLDER)

    @property
    def uses_embedder(self) -> bool:
        """Whether memories are recalled by relevance."""
        return self.config.retrieval

    def make_mind(self, services: Services[SmallvilleConfig], profile: Profile) -> SmallvilleMind:
        """Make a mind from its profile, with the past of another run where there is one."""
        return past.make_mind(services, profile)

    async def decide(self, mind: SmallvilleMind, percept: Percept) -> Action:
        """Perceive, ask and apply what is due, act (Park et al. 2023, figure 5)."""
        moment = Moment(percept, self.services.to_second(percept.time))
        observations = perceive.notice(mind, moment)
        thoughts = [
            *perceive.make_queries(mind, moment),
            *summary.make_queries(mind, moment),
            *reflect.make_queries(mind, moment),
            *plan.make_queries(mind, moment),
            *converse.make_queries(mind, moment),
            *react.make_queries(mind, moment, observations),
        ]
        if thoughts or mind.pending:
            await self.scheduler.run(mind, thoughts, moment)
        return converse.choose_action(mind, moment) or act.choose_action(mind, moment)

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Answer as `agent` from memory, with the events that the answers rest on; no trace."""
        return await interview.answer_questions(
            self.minds[agent], questions, repeat=repeat, terms=self.terms
        )

    def set_interview_terms(self, terms: InterviewTerms) -> None:
        """Hold interviews on these terms from now on."""
        self.terms = terms

    def memories(self, agent: str) -> list[RecalledMemory]:
        """List the memories that have not expired, with the events they go back to.

        Those of a thought are the events of what it rests on.
        """
        return interview.list_memories(self.minds[agent])

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a saved mind for reports and pages."""
        return content.describe_mind(saved)

    def collect_past(self, agent: str, source: str) -> Past:
        """Collect all that another run can begin with: memories, summary, status, promises."""
        return past.collect_past(self.minds[agent], source)
