"""One episode in which some agents are language models outside the town, asked turn by turn."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from genagents_env.actions import Idle
from genagents_env.errors import ConfigError, EpisodeError
from genagents_env.llm.calls import (
    CallKey,
    Completion,
    CompletionRequest,
    Endpoint,
    prompt_hash,
)
from genagents_env.llm.cassette import MemoryCassette, RecordedReply
from genagents_env.llm.client import ModelClient
from genagents_env.llm.open import open_endpoint
from genagents_env.llm.prices import FREE, Price
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID, Policy
from genagents_env.run.play import Rollout, load_named, play
from genagents_env.run.policies import find_policy_class, make_policy
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.trajectory import StepResult
from genagents_env.train.language.towns import TownChoice, find_town, open_town, solve_town
from genagents_env.train.language.turn import ChatTurn, LearnerPrompt

WAIT = '{"do": "wait", "target": "", "words": "", "minutes": 60}'  # of whoever has given up
_PATIENCE = 30 * 86400.0  # seconds; a trainer may take its time
OtherPolicies = Policy | str | Mapping[AgentID, Policy | str]


class LearnerEndpoint:
    """The endpoint of one learning agent: a request waits for the words given to `reply`.

    Args:
        model: the name it goes by.
        on_ask: called with each request as it is made.

    Attributes:
        asked: requests that nobody has taken up.
    """

    def __init__(self, model: str, on_ask: Callable[[CompletionRequest], None]) -> None:
        self.model: str = model
        self._on_ask = on_ask
        self.price: Price | None = FREE
        self.attempt_deadline: float = _PATIENCE
        self.asked: asyncio.Queue[CompletionRequest] = asyncio.Queue()
        self._words: asyncio.Queue[str] = asyncio.Queue()

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the words that `reply` is given for `request`."""
        self._on_ask(request)
        self.asked.put_nowait(request)
        return Completion(await self._words.get(), "stop", 0, 0)

    def reply(self, words: str) -> None:
        """Answer the request that was asked first."""
        self._words.put_nowait(words)

    def count_tokens(self, text: str) -> int:
        """Return nothing: what a learner reads and writes is counted by its trainer."""
        return 0

    async def aclose(self) -> None:
        """Do nothing; there is nothing to release."""


@dataclass
class _Asked:
    """A request, and how the episode stood when it was made."""

    request: CompletionRequest
    tick: int
    earned: float
    illegal: int
    words: str | None = None
    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()


@dataclass
class _Learner:
    endpoint: LearnerEndpoint
    asked: list[_Asked] = field(default_factory=list)
    taken: int = 0  # of what was asked, by `ask`
    replied: int = 0
    earned: float = 0.0
    illegal: int = 0


class SharedSession:
    """A town with several learners, each asked in the form of one mind.

    Whatever the mind of a learner asks its model is a turn: `ask` gives the prompt, `reply` takes
    the words. All other agents are played by policies. The town goes on as soon as everybody has
    decided; learners may be asked one after the other or from several tasks of one event loop. An
    episode is a pure function of its arguments, the seed and the replies.

    Args:
        town: a scenario as `TownEnv` takes it, or the name of a task.
        learners: who learns, by id or place in the list of agents; None is everybody.
        others: the policies of everybody else, as `rollout` takes them; None is `scripted`, in a
            task `solution`.
        mind: the policy in whose form learners are asked: one that asks a language model.
        options: of that policy.
        model: of the others' minds: a name or an endpoint.
        embedder: of all minds that need one.
        max_ticks: steps at most.

    Raises:
        ConfigError: nobody is called so, or `mind` asks no model.
    """

    def __init__(
        self,
        town: TownChoice = "tiny",
        learners: Sequence[AgentID | int] | None = None,
        others: OtherPolicies | None = None,
        *,
        mind: str = "direct",
        options: Mapping[str, object] | None = None,
        model: str | Endpoint | None = None,
        embedder: Embedder | None = None,
        max_ticks: int | None = None,
    ) -> None:
        self._town, self._env, self._chosen = town, open_town(town), learners
        self._lived: list[dict[AgentID, object]] = []  # what all did, tick by tick
        self._others = solve_town(town) if others is None else others
        self._mind, self._options = find_policy_class(mind), dict(options or {})
        if learners is not None and not learners:
            raise ConfigError("learners: nobody is named; leave it out for everybody")
        if not self._mind.needs_model:
            raise ConfigError(f"mind: {mind!r} asks no language model; direct and reactive do")
        self._model, self._embedder, self._max_ticks = model, embedder, max_ticks
        self._playing: asyncio.Task[Rollout] | None = None
        self._groups: PolicyGroups | None = None
        self._opened: Endpoint | None = None
        self._learners: dict[AgentID, _Learner] = {}
        self._earned: dict[AgentID, float] = {}
        self.seed = 0

    @property
    def learners(self) -> tuple[AgentID, ...]:
        """The ids of the learners, once an episode has begun."""
        return tuple(self._learners)

    @property
    def is_over(self) -> bool:
        """True once the episode has ended."""
        return self._playing is not None and self._playing.done()

    @property
    def returns(self) -> dict[AgentID, float]:
        """The return of everybody in the episode so far, learners and others."""
        return dict(self._earned)

    @property
    def is_successful(self) -> bool:
        """True where the task is done now; of an episode that is over, if it was at the end."""
        return self.env.parts.reward.is_achieved()

    async def begin(self, seed: int) -> None:
        """Begin the episode of `seed`; one that goes on is given up."""
        await self._give_up()
        self.seed, self._lived = seed, []
        observations, infos = self._env.reset(seed=seed)
        self.env = find_town(self._env)
        self._learners = {agent: _Learner(self._connect(agent)) for agent in self._find_learners()}
        self._earned = dict.fromkeys(self.env.possible_agents, 0.0)
        self._cassette = MemoryCassette()
        self._groups = groups = PolicyGroups(self._load_policies(), isolate=False)
        groups.reset(
            self.env.profiles(), seed, self._env.context(self._open(groups), self._embedder)
        )
        self._playing = asyncio.get_running_loop().create_task(
            play(
                self.env,
                groups,
                observations,
                infos,
                on_step=self._note,
                max_ticks=self._max_ticks,
            )
        )

    async def ask(self, agent: AgentID) -> LearnerPrompt | None:
        """Wait for the next prompt of `agent`; None once the episode is over.

        Until it has replied, the prompt is the same.

        Raises:
            EpisodeError: no episode has begun.
            GenagentsError: a policy failed.
        """
        learner = self._find(agent)
        if learner.taken > learner.replied:
            return self._make_prompt(agent, learner.taken - 1)
        asking = asyncio.ensure_future(learner.endpoint.asked.get())
        assert self._playing is not None  # noqa: S101 - _find raises before the first episode
        await asyncio.wait({asking, self._playing}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            asking.cancel()
            self._playing.result()  # raises what a policy raised
            return None
        learner.taken += 1
        return self._make_prompt(agent, learner.taken - 1)

    def reply(
        self,
        agent: AgentID,
        words: str,
        tokens: Sequence[int] = (),
        logprobs: Sequence[float] = (),
    ) -> None:
        """Let `agent` reply to what it was asked; whatever cannot be used becomes the fallback.

        Args:
            agent: one of the learners.
            words: the reply.
            tokens: of the words, for `transcript`, where the trainer has them.
            logprobs: of the tokens.

        Raises:
            EpisodeError: it was asked nothing.
        """
        learner = self._find(agent)
        if learner.taken == learner.replied:
            raise EpisodeError(f"{agent} was asked nothing; call ask() before reply()")
        asked = learner.asked[learner.replied]
        asked.words, asked.tokens, asked.logprobs = words, tuple(tokens), tuple(logprobs)
        learner.replied += 1
        learner.endpoint.reply(words)

    async def play(
        self, agent: AgentID, answer: Callable[[LearnerPrompt], Awaitable[str | None]]
    ) -> bool:
        """Let `answer` reply for `agent` until the episode is over.

        Args:
            agent: one of the learners; the others have to be played beside it.
            answer: from a prompt to the words of the reply. None gives up: from then on the agent
                waits, since the town goes on for the others.

        Returns:
            Whether it gave up.
        """
        words: str | None = ""
        while (prompt := await self.ask(agent)) is not None:
            words = words if words is None else await answer(prompt)
            self.reply(agent, WAIT if words is None else words)
        return words is None

    def find_fault(self, agent: AgentID) -> str | None:
        """Return why the last reply of `agent` could not be used, or None."""
        learner = self._find(agent)
        if learner.replied == 0:
            return None
        kept = self._find_replies().get(prompt_hash(learner.asked[learner.replied - 1].request))
        return kept[1].fault if kept is not None and kept[1].outcome == "fallback" else None

    def count_illegal(self, agent: AgentID) -> int:
        """Count the actions of `agent` that the world refused."""
        return self._find(agent).illegal

    def count_unusable(self, agent: AgentID) -> int:
        """Count the unusable replies of `agent`."""
        return sum(turn.fallback for turn in self.transcript(agent))

    def find_returns_without(self, agent: AgentID) -> dict[AgentID, float]:
        """Return what everybody would have earned, had `agent` idled and all others done the same.

        The sum of `returns` less the sum of these is what `agent` was worth to all, its
        difference reward (Wolpert and Tumer 2001). The others do not react to what it left out.
        """
        env = open_town(self._town)
        env.reset(seed=self.seed)
        earned = dict.fromkeys(env.possible_agents, 0.0)
        for actions in self._lived:
            _, rewards, _, _, _ = env.step(actions | {agent: Idle()})
            for name, reward in rewards.items():
                earned[name] += reward
        return earned

    def transcript(self, agent: AgentID) -> list[ChatTurn]:
        """Return the turns of `agent` that have a reply, with their rewards so far."""
        learner, replies = self._find(agent), self._find_replies()
        done = [asked for asked in learner.asked if asked.words is not None]
        ends = [asked.earned for asked in learner.asked[1:]] + [learner.earned]
        turns = []
        for asked, end in zip(done, ends, strict=False):
            key, recorded = replies.get(prompt_hash(asked.request), (None, None))
            if key is None or recorded is None:
                continue  # its words were not read yet
            turns.append(self._make_turn(agent, asked, end, key, recorded))
        return turns

    async def close(self) -> None:
        """Abandon the episode and free its models; safe to call twice."""
        await self._give_up()
        if self._opened is not None:
            await self._opened.aclose()

    async def _give_up(self) -> None:
        if self._playing is not None and not self._playing.done():
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)
        if self._groups is not None:
            self._groups.close()
            self._groups = None

    def _find(self, agent: AgentID) -> _Learner:
        if self._playing is None:
            raise EpisodeError("call begin() first")
        if agent not in self._learners:
            raise ConfigError(f"nobody who learns is called {agent!r}; {', '.join(self._learners)}")
        return self._learners[agent]

    def _find_learners(self) -> list[AgentID]:
        agents = self.env.possible_agents
        if self._chosen is None:
            return list(agents)
        learners = []
        for choice in self._chosen:
            if isinstance(choice, int) and 0 <= choice < len(agents):
                learners.append(agents[choice])
            elif choice in agents:
                learners.append(str(choice))
            else:
                raise ConfigError(
                    f"learners: nobody is {choice!r}; give one of {', '.join(agents)}, or a place "
                    "in this list from 0"
                )
        return list(dict.fromkeys(learners))

    def _load_policies(self) -> dict[AgentID, Policy]:
        mind = make_policy(self._mind, self._mind.name, self._options)
        rest = [agent for agent in self.env.possible_agents if agent not in self._learners]
        others = load_named(self._others, rest)
        asking = sorted({policy.name for policy in others.values() if policy.needs_model})
        if asking and self._model is None:
            raise ConfigError(f"others: {', '.join(asking)} asks a language model; give `model`")
        return {**dict.fromkeys(self._learners, mind), **others}

    def _connect(self, agent: AgentID) -> LearnerEndpoint:
        def note(request: CompletionRequest) -> None:
            learner = self._learners[agent]
            tick = self.env.world.tick
            learner.asked.append(_Asked(request, tick, learner.earned, learner.illegal))

        return LearnerEndpoint(f"learner:{agent}", note)

    def _open(self, groups: PolicyGroups) -> ModelClient:
        endpoints = {agent: learner.endpoint for agent, learner in self._learners.items()}
        routes: dict[str, Endpoint] = {**endpoints}
        if isinstance(self._model, str):
            self._model = self._opened = open_endpoint(self._model, replies=groups.scripted_replies)
        return ModelClient(
            self._model or next(iter(routes.values())),
            run_seed=self.seed,
            cassette=self._cassette,
            routes=routes,
            asked_once=[endpoint.model for endpoint in endpoints.values()],
        )

    def _note(self, actions: Mapping[AgentID, object], step: StepResult) -> None:
        _, rewards, _, _, infos = step
        self._lived.append(dict(actions))
        for agent, reward in rewards.items():
            self._earned[agent] += reward
        for agent, learner in self._learners.items():
            learner.earned += rewards.get(agent, 0.0)
            learner.illegal += infos.get(agent, {}).get("illegal", 0)

    def _make_prompt(self, agent: AgentID, number: int) -> LearnerPrompt:
        asked = self._learners[agent].asked
        now, before = asked[number], asked[number - 1] if number else None
        return LearnerPrompt(
            agent,
            number,
            now.tick,
            now.request.messages,
            now.request.schema,
            now.request.schema_name,
            now.earned - before.earned if before is not None else 0.0,
            self.find_fault(agent),
            before is not None and now.illegal > before.illegal,
        )

    def _find_replies(self) -> dict[str, tuple[CallKey, RecordedReply]]:
        return {kept.prompt_hash: (key, kept) for key, kept in self._cassette.rows.items()}

    def _make_turn(
        self, agent: AgentID, asked: _Asked, end: float, key: CallKey, recorded: RecordedReply
    ) -> ChatTurn:
        earned = self._learners[agent].earned
        return ChatTurn(
            prompt=asked.request.messages,
            reply=asked.words or "",
            scenario=self.env.world.scenario.name,
            seed=self.seed,
            agent=agent,
            policy=self._mind.name,
            model=recorded.model,
            purpose=key.purpose,
            tick=key.tick,
            reward=end - asked.earned,
            reward_to_go=earned - asked.earned,
            fallback=recorded.outcome == "fallback",
            episode_return=earned,
            success=self.is_successful,
            tokens=asked.tokens,
            logprobs=asked.logprobs,
        )
