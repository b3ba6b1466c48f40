"""The AI Town mind: people who stroll, invite one another to talk, and remember talks alone.

Source: a16z-infra/ai-town in two designs, `preset = "2024"` (its code since then) and `"2023"`
(groups by collision). What one does is decided without a model; a model writes words, sums up
talks, rates memories and draws insights. Faults of the originals are mended, each with a switch
that brings it back. How all this maps onto the town, and what differs, is in `docs/ai_town.md`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from genagents_env.actions import Action
from genagents_env.cognition.mind import Services
from genagents_env.cognition.policy import MindPolicy, read_options
from genagents_env.cognition.query import Moment
from genagents_env.memory.content import CallCause, MindContent, SavedMind, list_stream
from genagents_env.percept import Percept
from genagents_env.policy import (
    Answer,
    Context,
    InterviewTerms,
    Profile,
    RecalledMemory,
)

from . import act, converse, interview, perceive, pursue, reflect, remember
from .config import AiTownConfig
from .mind import SEED, AiTownMind, Handlers, make_mind
from .scripted import REPLIES

__all__ = ["AiTownConfig", "AiTownPolicy"]

_NOTE = "This mind makes no plans: it remembers its talks, and what it concludes from them."
FOLDER = Path(__file__).parent / "prompts"
HANDLERS: Handlers = {
    **converse.HANDLERS,
    **remember.HANDLERS,
    **reflect.HANDLERS,
}


class AiTownPolicy(MindPolicy[AiTownMind, AiTownConfig]):
    """People of AI Town; the model calls of all of them are under way together.

    Args: the fields of `AiTownConfig`, by keyword; `preset` is `"2024"` or `"2023"`.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """

    name = "ai_town"
    missing_embedder = "finds memories by likeness and needs an embedder; give `embedder`"
    scripted_replies = REPLIES
    causes = dict.fromkeys(("say", "leave"), (CallCause(("converse.",)),))
    switched: ClassVar[Mapping[str, str]] = {"reflection": "reflect"}

    def __init__(self, **options: object) -> None:
        self.terms = InterviewTerms()
        self.identities: dict[str, str] = {}
        super().__init__(read_options(AiTownConfig, options, self.name), HANDLERS, FOLDER)

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode; others' identities are known only where the fault is switched on."""
        given = self.config.identities
        self.identities = {
            profile.name: given.get(profile.name, profile.persona)
            for profile in profiles.values()
            if self.config.other_identity
        }
        super().reset(profiles, seed, context)

    def make_mind(self, services: Services[AiTownConfig], profile: Profile) -> AiTownMind:
        """Return a mind that knows what its profile says."""
        return make_mind(services, profile, self.identities)

    async def decide(self, mind: AiTownMind, percept: Percept) -> Action:
        """Return the action: perceive, see what one is at, think what is due, act."""
        moment = Moment(percept, self.services.to_second(percept.time))
        perceive.perceive(mind, moment)
        thoughts = list(reflect.make_queries(mind, moment))
        pursue.advance(mind, moment)
        thoughts += remember.make_queries(mind, moment)
        words = converse.make_queries(mind, moment)
        if thoughts or mind.pending:
            await self.scheduler.run(mind, thoughts, moment)
        # One knows what one has just talked of before one thinks of words to the next (code).
        if words and not mind.remembers:
            await self.scheduler.run(mind, words, moment)
        return act.choose_action(mind, moment)

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Answer as `agent` from what it remembers; no trace."""
        return await interview.answer_questions(
            self.minds[agent], questions, repeat=repeat, terms=self.terms
        )

    def set_interview_terms(self, terms: InterviewTerms) -> None:
        """Hold interviews on these terms from now on."""
        self.terms = terms

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a saved mind for reports and pages."""
        if saved.state is None:
            return MindContent()
        memories = list_stream(saved, saved.state["stream"], (SEED,))
        return MindContent(tuple(memories), note=_NOTE)

    def memories(self, agent: str) -> list[RecalledMemory]:
        """Return all that is in the stream, each memory with the events it goes back to."""
        stream = self.minds[agent].stream
        return [RecalledMemory(memory.text, stream.sources([memory.id])) for memory in stream]
