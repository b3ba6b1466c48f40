"""The Smallville mind: memory stream, retrieval, reflection, planning, reaction and dialogue.

Source: Park et al. 2023, *Generative Agents: Interactive Simulacra of Human Behavior*. Each
faculty is one file; each can be switched off by a field of the configuration. How it differs from
the paper's public code, and why, is in `docs/smallville.md`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from genagents_env.actions import Action
from genagents_env.cognition.policy import MindPolicy
from genagents_env.cognition.prompts import PromptFiles
from genagents_env.cognition.thinking import CallScheduler
from genagents_env.cognition.thought import Moment
from genagents_env.errors import PolicyError
from genagents_env.percept import Percept
from genagents_env.policy import Answer, Context, Profile, RecalledMemory
from genagents_env.policy_loader import read_options

from . import act, converse, interview, perceive, plan, react, reflect, summary
from .config import SmallvilleConfig
from .handlers import HANDLERS
from .mind import SmallvilleServices, SmallvilleMind
from .scripted import REPLIES

__all__ = ["SmallvilleConfig", "SmallvillePolicy"]

FOLDER = Path(__file__).parent / "prompts"
_SEED_IMPORTANCE = 5.0  # of 10: what one is does not compete with what happens today
_FACT_IMPORTANCE = 8.0


class SmallvillePolicy(MindPolicy[SmallvilleMind]):
    """Generative agents; the model calls of all of them are under way together.

    Args: the fields of `SmallvilleConfig`, by keyword; `variant` is one of the paper's ablations.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """

    name = "smallville"
    needs_model = True
    needs_embedder = True
    remembers = True
    scripted_replies = REPLIES

    def __init__(self, **options: Any) -> None:
        self.config: SmallvilleConfig = read_options(SmallvilleConfig, options, self.name)
        self.minds = {}

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode: everyone remembers what their profile says.

        Raises:
            PolicyError: the context has no model, or no embedder although memories are recalled
                by relevance.
        """
        if context.model is None:
            raise PolicyError("smallville needs a language model; the context has none")
        if context.embedder is None and self.config.retrieval:
            raise PolicyError(
                "smallville recalls by relevance and needs an embedder; the context has none "
                "(or set retrieval=false)"
            )
        self.scheduler = CallScheduler(context.model, HANDLERS)
        self.kit = SmallvilleServices(
            self.config,
            PromptFiles(FOLDER, seed, self.config.prompt_tokens),
            context.model,
            context.embedder,
            context.start,
            context.seconds_per_tick,
        )
        self.minds = {agent: make_mind(self.kit, profile) for agent, profile in profiles.items()}

    async def live(self, mind: SmallvilleMind, percept: Percept) -> Action:
        """Return what one does now: perceive, think what is due, act."""
        moment = Moment(percept, self.kit.to_second(percept.time))
        observations = perceive.notice(mind, moment)
        thoughts = [
            *perceive.thoughts(mind, moment),
            *summary.thoughts(mind, moment),
            *reflect.thoughts(mind, moment),
            *plan.thoughts(mind, moment),
            *converse.thoughts(mind, moment),
            *react.thoughts(mind, moment, observations),
        ]
        if thoughts or mind.pending:
            await self.scheduler.run(mind, thoughts, moment)
        return converse.action(mind, moment) or act.action(mind, moment)

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Answer as `agent` from memory, with the events that the answers rest on; no trace."""
        return await interview.answers(self.minds[agent], questions, repeat=repeat)

    def memories(self, agent: str) -> list[RecalledMemory]:
        """Return every memory of the stream that has not expired, with the events it goes back to.

        So those of a thought are the events of what it rests on.
        """
        return interview.memories(self.minds[agent])


def make_mind(kit: SmallvilleServices, profile: Profile) -> SmallvilleMind:
    """Return a mind that remembers what the profile says: who one is, knows, and lately did."""
    mind = SmallvilleMind(kit, profile, status=profile.goal)
    for text in profile.memories:
        mind.stream.add("thought", text, created=0, importance=_SEED_IMPORTANCE, cause="seed")
    for other, about in profile.relationships.items():
        text = f"{profile.name} knows {other}: {about}"
        known = (profile.name, "knows", other)
        mind.stream.add(
            "thought", text, created=0, importance=_SEED_IMPORTANCE, about=known, cause="seed"
        )
    for fact in profile.facts:
        mind.stream.add(
            "thought", fact.statement, created=0, importance=_FACT_IMPORTANCE, cause="seed"
        )
    return mind
