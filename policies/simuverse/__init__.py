"""The SimuVerse mind: free text with a tool in brackets, an interpreter, a checker, four tools.

Source: the SimuVerse project update of October 2024 (R. Slack): Converse, Move, Scan and Call, a
second model that turns a reply into `[agent, TOOL, context]`, and a reset after two replies without
a tool. How it differs from that, and from the authors' code, is in `docs/simuverse.md`.
"""

from collections.abc import Sequence
from pathlib import Path

from genagents_env.actions import Action
from genagents_env.cognition.mind import Services
from genagents_env.cognition.policy import MindPolicy, read_options
from genagents_env.cognition.query import Moment, Query
from genagents_env.memory.content import MindContent, SavedMind
from genagents_env.percept import Percept
from genagents_env.policy import Answer, Profile, RecalledMemory

from . import act, choose, content, interpret, interview, senses, talk
from .config import SimuverseConfig
from .mind import Handlers, SimuverseMind, make_mind
from .scripted import REPLIES

__all__ = ["SimuverseConfig", "SimuversePolicy"]

FOLDER = Path(__file__).parent / "prompts"
HANDLERS: Handlers = {
    **choose.HANDLERS,
    **interpret.HANDLERS,
    **talk.HANDLERS,
}


class SimuversePolicy(MindPolicy[SimuverseMind, SimuverseConfig]):
    """SimuVerse's agents; the model calls of all of them are under way together.

    Args: the fields of `SimuverseConfig`, by keyword.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """

    name = "simuverse"
    missing_embedder = "remembers by likeness and needs an embedder; `memory=off` needs none"
    scripted_replies = REPLIES
    causes = content.CAUSES

    def __init__(self, **options: object) -> None:
        super().__init__(read_options(SimuverseConfig, options, self.name), HANDLERS, FOLDER)

    @property
    def uses_embedder(self) -> bool:
        """Whether these options need one."""
        return self.config.memory == "rag"

    def make_mind(self, services: Services[SimuverseConfig], profile: Profile) -> SimuverseMind:
        """Return a mind that knows what its profile says."""
        return make_mind(services, profile)

    async def decide(self, mind: SimuverseMind, percept: Percept) -> Action:
        """Return the action: take in what came of the last one, choose or speak where it is due."""
        moment = Moment(percept, self.services.to_second(percept.time))
        senses.perceive(mind, moment)
        asked: Sequence[Query] = ()
        if not act.is_night(mind, moment):
            asked = talk.make_queries(mind, moment) or choose.make_queries(mind, moment)
        if asked or mind.pending:
            await self.scheduler.run(mind, asked, moment)
        return act.choose_action(mind, moment)

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Answer as `agent` from what the questions bring to mind; no trace."""
        return await interview.answer_questions(self.minds[agent], questions, repeat)

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a saved mind for reports and pages."""
        return content.describe_mind(saved)

    def memories(self, agent: str) -> list[RecalledMemory]:
        """List the agent's memories, or the last messages where it has no memory."""
        return interview.list_memories(self.minds[agent])
