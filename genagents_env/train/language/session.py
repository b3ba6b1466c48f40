"""One learning agent in a town: prompt, `act(text)`, reward, transcript. For plain code."""

import weakref
from collections.abc import Mapping

from genagents_env.errors import EpisodeError
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.event_loop import OwnLoop
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID
from genagents_env.train.language.shared_session import OtherPolicies, SharedSession
from genagents_env.train.language.towns import TownChoice
from genagents_env.train.language.turn import ChatTurn, LearnerPrompt, TurnResult


class Session:
    """An agent whose words come from outside; everybody else is played by policies.

    A turn is one decision and may take many ticks: a walk goes on until it has arrived, a wait
    until it is over, or until somebody speaks to the agent.

    Args:
        town: a scenario as `TownEnv` takes it, or the name of a task.
        agent: who learns, by id or by place in the list of agents.
        others: the policies of everybody else, as `rollout` takes them; None is `scripted`, in a
            task `solution`.
        seed: of the first episode, which begins at once.
        mind: the policy in whose form the agent is asked: `direct`, or any that asks a model.
        options: of that policy.
        model: of the others' minds: a name or an endpoint.
        embedder: of all minds that need one.
        max_ticks: steps at most.

    Attributes:
        agent: who learns, by id.
        prompt: of this turn; None once the episode is over.

    Raises:
        ConfigError: nobody is called so, or `mind` asks no model.
    """

    def __init__(
        self,
        town: TownChoice = "tiny",
        agent: AgentID | int = 0,
        others: OtherPolicies | None = None,
        seed: int = 0,
        *,
        mind: str = "direct",
        options: Mapping[str, object] | None = None,
        model: str | Endpoint | None = None,
        embedder: Embedder | None = None,
        max_ticks: int | None = None,
    ) -> None:
        self._shared = SharedSession(
            town,
            [agent],
            others,
            mind=mind,
            options=options,
            model=model,
            embedder=embedder,
            max_ticks=max_ticks,
        )
        self._loop = OwnLoop()
        # Trainers make many and close none: also what is forgotten is freed.
        self._free = weakref.finalize(self, _free, self._shared, self._loop)
        self.reset(seed)

    def reset(self, seed: int) -> LearnerPrompt | None:
        """Begin the episode of `seed` and return the first prompt."""
        self._loop.run(self._shared.begin(seed))
        (self.agent,) = self._shared.learners
        self.prompt = self._loop.run(self._shared.ask(self.agent))
        return self.prompt

    def act(self, text: str) -> TurnResult:
        """Reply to `prompt`, and return the result up to the next prompt.

        An unusable text, without JSON or with a value that the schema does not allow, becomes the
        declared fallback, for `direct` a minute's wait; the world refuses an impossible action.
        The next prompt says so, and both are counted.

        Raises:
            EpisodeError: the episode is over; call `reset`.
        """
        if self.prompt is None:
            raise EpisodeError("the episode is over; call reset() before act()")
        earned, illegal = self.episode_return, self.illegal
        self._shared.reply(self.agent, text)
        self.prompt = self._loop.run(self._shared.ask(self.agent))
        return TurnResult(
            self.episode_return - earned,
            self.done,
            self._shared.find_fault(self.agent),
            self.illegal > illegal,
            self.prompt,
        )

    @property
    def seed(self) -> int:
        """The seed of the episode."""
        return self._shared.seed

    @property
    def done(self) -> bool:
        """True once the episode is over."""
        return self.prompt is None

    @property
    def success(self) -> bool:
        """True where the task is done now; of an episode that is over, if it was at the end."""
        return self._shared.is_successful

    @property
    def episode_return(self) -> float:
        """The agent's return in the episode so far."""
        return self._shared.returns[self.agent]

    @property
    def unusable(self) -> int:
        """The number of unusable replies in the episode."""
        return self._shared.count_unusable(self.agent)

    @property
    def illegal(self) -> int:
        """The number of actions that the world refused in the episode."""
        return self._shared.count_illegal(self.agent)

    def transcript(self) -> list[ChatTurn]:
        """Return the turns of the episode so far, rewards and rewards-to-go included."""
        return self._shared.transcript(self.agent)

    def close(self) -> None:
        """Free models and event loop; safe to call twice."""
        self._free()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _free(shared: SharedSession, loop: OwnLoop) -> None:
    loop.run(shared.close())
    loop.close()
