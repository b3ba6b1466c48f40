"""An interview of anyone at any tick of a recorded run, which is not changed."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError, ModelOutage, PolicyError
from genagents_env.event_loop import run_sync
from genagents_env.name_search import suggest_names
from genagents_env.policy import AgentID, Answer, InterviewTerms
from genagents_env.record import FaultRow, RunReader
from genagents_env.run.concurrency import collect_results
from genagents_env.run.models import reopen_models
from genagents_env.run.policy_groups import Answers
from genagents_env.run.preflight import check_reachable
from genagents_env.run.recorded import choose_recorded, load_policies
from genagents_env.run.replay import RunReplay, check_tick_number
from genagents_env.run.spec import Progress, RunOptions
from genagents_env.run.spending import limit_interviews

Questions = Sequence[str] | Mapping[AgentID, Sequence[str]]
Transcript = dict[AgentID, list[tuple[str, Answer]]]
OnAnswers = Callable[[str, Transcript], None]


def interview(
    path: str | Path,
    agents: Sequence[AgentID],
    questions: Questions,
    tick: int | None = None,
    options: RunOptions | None = None,
    repeats: int = 1,
) -> Transcript:
    """Put questions to agents of a recorded run as they were at `tick`.

    The run is replayed from its last checkpoint at or before that tick, else from its start,
    with the stored calls and vectors, and compared with its record; only the answers cost model
    calls. The record is not changed. Where the run or `options` have limits, its file keeps what is
    spent; see `run.spending.LaterBudget`.

    Args:
        path: of the run file; it may be being written.
        agents: whom; each is asked alone, all at once.
        questions: of everyone, or for each agent their own.
        tick: a recorded one; None is the last.
        options: model, embedder, limits, `watch`, and whether its policies are trusted; the rest
            is of no use here.
        repeats: how often each agent is interviewed, every time from the same state of mind.

    Returns:
        For each agent the questions in order, each with its answer: all of the first interview,
        then all of the next.

    Raises:
        ConfigError: no such agent or tick, somebody's policy remembers nothing, or there is no
            question for somebody.
        PolicyError: a policy failed to answer, or one given by path was not trusted; see
            `RunOptions.trust_policies`.
        DivergenceError: policy, prompts or package have changed since the run.
        RecordError: the file is missing, foreign, damaged or newer.
    """
    everything = {"": InterviewTerms()}
    return interview_on_terms(path, agents, questions, everything, tick, options, repeats)[""]


def interview_on_terms(
    path: str | Path,
    agents: Sequence[AgentID],
    questions: Questions,
    terms: Mapping[str, InterviewTerms],
    tick: int | None = None,
    options: RunOptions | None = None,
    repeats: int = 1,
    on_answers: OnAnswers | None = None,
) -> dict[str, Transcript]:
    """Put the same questions on several terms to people as they were at `tick`.

    Args:
        path: as those that follow, of `interview`.
        agents: whom.
        questions: of everyone, or for each agent their own.
        terms: by the name of each condition: who asks, and what answers have no access to.
        tick: a recorded one; None is the last.
        options: as of `interview`.
        repeats: how often each agent is interviewed.
        on_answers: called with a condition and what was answered under it, once all have.

    Returns:
        For each condition what `interview` returns.

    Raises:
        PolicyError: a policy knows no such terms; else as `interview`.
    """
    options = options or RunOptions()
    if repeats < 1:
        raise ConfigError(f"repeats: {repeats} is not allowed; 1 or more")
    with limit_interviews(path, options) as (options, begin), RunReader(path) as run:
        put = _check_questions(run, agents, questions)
        at = check_tick_number(run, tick)
        groups = load_policies(run.meta, options, choose_recorded(run.path, run.meta, options))
        try:
            silent = [agent for agent in put if not groups.remembers(agent)]
            if silent:
                raise ConfigError(f"the policy of {', '.join(silent)} remembers nothing to tell")
            models = reopen_models(groups, options, run.meta)
            check_reachable(models.list_endpoints())
            replay = ReplayInterview(run, groups, options, models)
            return run_sync(replay.ask(put, at, repeats, terms, begin, on_answers))
        finally:
            groups.close()


def list_interviewable(run: RunReader, options: RunOptions) -> list[AgentID]:
    """Return everyone in a recorded run whose policy can be interviewed.

    Raises:
        PolicyError: a policy cannot be loaded, or one given by path was not trusted.
    """
    groups = load_policies(run.meta, options, choose_recorded(run.path, run.meta, options))
    try:
        return [agent for agent in run.meta.names if groups.remembers(agent)]
    finally:
        groups.close()


class ReplayInterview(RunReplay):
    """A recorded run, at a tick of which people are asked."""

    asked = interviews = 0  # that are over, and that there are to be

    async def ask(
        self,
        put: Mapping[AgentID, Sequence[str]],
        at: int,
        repeats: int,
        terms: Mapping[str, InterviewTerms],
        begin: Callable[[], None],
        on_answers: OnAnswers | None,
    ) -> dict[str, Transcript]:
        """Return what the agents answer at tick `at`, by condition."""
        given: dict[str, Transcript] = {}
        for some in terms.values():
            self.groups.set_interview_terms(put, some)
        async with self.open_at(at):
            begin()  # the file was found whole
            self.asked, self.interviews = 0, len(terms) * repeats * len(put)
            self._report(at)
            for number, (condition, some) in enumerate(terms.items()):
                self.groups.set_interview_terms(put, some)
                # Each condition has numbers of its own for its calls.
                given[condition] = await self._ask_all(put, at, number * repeats, repeats)
                if on_answers is not None:
                    on_answers(condition, given[condition])
        return given

    async def _ask_all(
        self, put: Mapping[AgentID, Sequence[str]], at: int, first: int, repeats: int
    ) -> Transcript:
        asked = [(agent, first + repeat) for repeat in range(repeats) for agent in put]
        asking = (self._ask_one(agent, put[agent], at, k) for agent, k in asked)
        held = collect_results(await asyncio.gather(*asking, return_exceptions=True))
        self._check_answered()
        for _, faults in held:
            _raise_faults(faults)
        transcript: Transcript = {agent: [] for agent in put}
        for (agent, _), (answers, _) in zip(asked, held, strict=True):
            transcript[agent] += zip(put[agent], answers, strict=True)
        return transcript

    async def _ask_one(
        self, agent: AgentID, questions: Sequence[str], at: int, repeat: int
    ) -> Answers:
        answers = await self.groups.interview(agent, questions, at, repeat)
        self.asked += 1
        self._report(at)
        return answers

    def _report(self, at: int) -> None:
        """Report how many interviews are over."""
        if self.options.watch is None:
            return
        spent = self.budget.spent
        self.options.watch(
            Progress(
                at,
                at,
                self.env.world.time,
                spent.calls,
                spent.tokens,
                asking=True,
                asked=self.asked,
                interviews=self.interviews,
            )
        )

    def _check_answered(self) -> None:
        """Raise where nobody answered the last questions: their answers would be made up."""
        if self.client is not None and self.client.failed_in_a_row:
            faults = [row.fault for row in self.cassette.rows.values() if row.is_unanswered]
            if faults:
                raise ModelOutage(
                    f"{len(faults)} model calls got no answer, the last with: {faults[-1]}; "
                    "ask again when the endpoint answers"
                )


def _check_questions(
    run: RunReader, agents: Sequence[AgentID], questions: Questions
) -> dict[AgentID, list[str]]:
    """Return the questions of each agent, checked."""
    for agent in agents:
        if agent not in run.meta.names:
            hint = suggest_names(agent, run.meta.names, "people")
            raise ConfigError(f"nobody is called {agent!r}; {hint}")
    put = {
        agent: list(questions.get(agent, ()) if isinstance(questions, Mapping) else questions)
        for agent in dict.fromkeys(agents)
    }
    empty = [agent for agent, texts in put.items() if not texts]
    if empty:
        raise ConfigError(f"no question for {', '.join(empty)}")
    return put


def _raise_faults(faults: Sequence[FaultRow]) -> None:
    for fault in faults:
        raise PolicyError(f"{fault.agent} did not answer: {fault.text}")
