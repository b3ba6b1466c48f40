"""The town as tools, for TRL's `environment_factory`: one object a rollout.

It needs no framework. A trainer calls `reset` with a row of its data, gives the model every other
public method as a tool, and asks `get_reward` at the end.
"""

from collections.abc import Mapping

from genagents_env.errors import EpisodeError
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.schemas import canonical
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID
from genagents_env.train.language.session import Session
from genagents_env.train.language.shared_session import OtherPolicies
from genagents_env.train.language.towns import TownChoice

_WAIT = {"do": "wait", "target": "", "words": "", "minutes": 60}


class TownTools:
    """One learning agent of a town that acts by tools; everybody else is played by policies.

    Args:
        town: a scenario or a task.
        agent: who learns, by id or by place in the list of agents.
        others: the policies of everybody else; None is `scripted`, in a task `solution`.
        model: of the others' minds.
        embedder: of the others' minds.
        max_ticks: steps at most.
    """

    def __init__(
        self,
        town: TownChoice = "tiny",
        agent: AgentID | int = 0,
        others: OtherPolicies | None = None,
        *,
        model: str | Endpoint | None = None,
        embedder: Embedder | None = None,
        max_ticks: int | None = None,
    ) -> None:
        self._town, self._agent, self._others = town, agent, others
        self._model, self._embedder, self._max_ticks = model, embedder, max_ticks
        self._session: Session | None = None
        self._made_for: object = None

    def reset(self, **row: object) -> str:
        """Begin an episode and return its first prompt.

        Args:
            row: of the trainer's data: `seed`, `town` and `agent` choose the episode, other keys
                are ignored.
        """
        seed = row.get("seed", 0)
        if not isinstance(seed, int):
            raise EpisodeError(f"seed: {seed!r} is not allowed; a whole number is")
        town, agent = row.get("town", self._town), row.get("agent", self._agent)
        if self._session is None or self._made_for != (town, agent):
            if self._session is not None:
                self._session.close()
            self._session = Session(
                town,  # type: ignore[arg-type]  # a row's value is checked where it is used
                agent,  # type: ignore[arg-type]
                self._others,
                seed,
                options={"instructions": False},
                model=self._model,
                embedder=self._embedder,
                max_ticks=self._max_ticks,
            )
            self._made_for = (town, agent)
        else:
            self._session.reset(seed)
        prompt = self._session.prompt
        return "" if prompt is None else f"{prompt.system}\n\n{prompt.user}"

    def move(self, place: str) -> str:
        """Walk to a place or a person.

        Args:
            place: The name of a place, as `Cottage/study`, or of a person.

        Returns:
            What you see and hear then.
        """
        return self._act({"do": "move", "target": place})

    def talk(self, words: str, person: str = "") -> str:
        """Say something.

        Args:
            words: What you say.
            person: Whom you say it to; nobody for everyone near you.

        Returns:
            What you see and hear then.
        """
        return self._act({"do": "talk", "target": person, "words": words})

    def interact(self, object: str, state: str) -> str:
        """Walk to an object and put it into a state.

        Args:
            object: The name of the object.
            state: The state to put it into.

        Returns:
            What you see and hear then.
        """
        return self._act({"do": "interact", "target": object, "words": state})

    def leave(self) -> str:
        """Leave the conversation you are in.

        Returns:
            What you see and hear then.
        """
        return self._act({"do": "leave"})

    def wait(self, minutes: int = 1) -> str:
        """Stay where you are, unless somebody speaks to you.

        Args:
            minutes: How long, from 1 to 60.

        Returns:
            What you see and hear then.
        """
        return self._act({"do": "wait", "minutes": minutes})

    def get_reward(self) -> float:
        """Return the agent's return; if it has stopped early, it waits to the end."""
        session = self._begin()
        while not session.done:
            session.act(canonical(_WAIT))
        return session.episode_return

    def _begin(self) -> Session:
        if self._session is None:
            raise EpisodeError("call reset() first")
        return self._session

    def _act(self, reply: Mapping[str, object]) -> str:
        session = self._begin()
        if session.done:
            raise EpisodeError("The episode is over.")
        result = session.act(canonical({**_WAIT, "minutes": 1, **reply}))
        return "The episode is over." if result.prompt is None else result.prompt.user
