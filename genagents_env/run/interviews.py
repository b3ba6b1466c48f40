"""Interviews: at both ends of a run, and of anyone at any tick of a recorded run."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError, ModelOutage, PolicyError
from genagents_env.llm.event_loop import run_sync
from genagents_env.memory.testimony import FactFinder, Statement
from genagents_env.name_search import suggest_names
from genagents_env.policy import AgentID, Answer, InterviewTerms
from genagents_env.record import FaultRow, InterviewRow, RememberedRow, RunReader
from genagents_env.run.concurrency import collect_results
from genagents_env.run.models import reopen_models
from genagents_env.run.policy_groups import Answers, PolicyGroups
from genagents_env.run.preflight import check_reachable
from genagents_env.run.replay import RunReplay, check_tick_number, open_policies
from genagents_env.run.spec import Progress, RunOptions
from genagents_env.run.spending import limit_interviews
from genagents_env.scenario.questions import PosedQuestion
from genagents_env.text import clean

ANSWER_LIMIT = 2000  # characters of an answer or a memory that are kept
MEMORIES = 20  # of one fact that are kept of one agent

Questions = Sequence[str] | Mapping[AgentID, Sequence[str]]
Transcript = dict[AgentID, list[tuple[str, Answer]]]
OnAnswers = Callable[[str, Transcript], None]


async def interview_all(
    groups: PolicyGroups,
    questions: Sequence[PosedQuestion],
    tick: int,
    on_answer: Callable[[], None],
    repeats: int = 1,
) -> tuple[list[InterviewRow], list[FaultRow]]:
    """Return what everyone in `questions` answers, all at once, and the faults of who gave none.

    Everyone is interviewed `repeats` times, all at once and each time from the same state of mind.

    Args:
        groups: of the run, at a tick boundary.
        questions: in the order in which they are recorded; all those of one agent differ.
        tick: of the moment.
        on_answer: called as somebody has answered.
        repeats: at least 1.
    """
    own: dict[AgentID, list[str]] = {}
    for question in questions:
        own.setdefault(question.agent, []).append(question.text)
    rows: list[InterviewRow] = []
    faults: list[FaultRow] = []
    asked = await _ask_everyone(groups, own, tick, range(repeats), on_answer)
    for agent, repeat, (answers, failed) in asked:
        faults += failed
        for text, answer in zip(own[agent], answers, strict=not failed):
            words = clean(answer.text, ANSWER_LIMIT)
            rows.append(InterviewRow(tick, agent, text, words, answer.evidence, repeat))
    return rows, faults


async def collect_memories(
    groups: PolicyGroups,
    agents: Sequence[AgentID],
    tick: int,
    facts_in: Callable[[str], Sequence[str]],
    finder: FactFinder | None = None,
) -> tuple[list[RememberedRow], list[FaultRow]]:
    """Return what these agents remember in which a fact is found, and the faults of who failed.

    Of each agent and fact the first memories of different texts, `MEMORIES` at most; a text that
    occurs several times goes back to the events of all. `facts_in` returns the ids of the facts in
    a text; `finder` knows those that are told in other words as well.
    """
    rows: list[RememberedRow] = []
    faults: list[FaultRow] = []
    for agent in agents:
        memories, failed = await groups.memories(agent, tick)
        faults += failed
        texts = [clean(memory.text, ANSWER_LIMIT) for memory in memories]
        known = {text: dict.fromkeys(facts_in(text)) for text in texts}
        if finder is not None:
            statements = await finder.find([Statement(text, agent) for text in known])
            for text, matches in zip(known, statements, strict=True):
                known[text] |= dict.fromkeys(match.fact for match in matches)
        kept: dict[str, dict[str, set[int]]] = {}
        for memory, text in zip(memories, texts, strict=True):
            for fact in known[text]:
                events = kept.setdefault(fact, {})
                if text in events or len(events) < MEMORIES:
                    events.setdefault(text, set()).update(memory.events)
        rows += [
            RememberedRow(tick, agent, fact, text, tuple(sorted(ids)))
            for fact, events in kept.items()
            for text, ids in events.items()
        ]
    return rows, faults


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
    """Put the same questions on several terms to people as they were at `tick`; see `interview`.

    `terms`: by the name of each condition: who asks, and what answers have no access to.
    `on_answers`: called with a condition and what was answered under it, once all have.

    Returns:
        For each condition what `interview` returns.

    Raises:
        PolicyError: a policy knows no such terms; else as `interview`.
    """
    options = options or RunOptions()
    if repeats < 1:
        raise ConfigError(f"repeats: {repeats} is not allowed; 1 or more")
    with limit_interviews(path, options) as (options, begin), RunReader(path) as run:
        own = _check_questions(run, agents, questions)
        at = check_tick_number(run, tick)
        with open_policies(run, options) as groups:
            silent = [agent for agent in own if not groups.remembers(agent)]
            if silent:
                raise ConfigError(f"the policy of {', '.join(silent)} remembers nothing to tell")
            models = reopen_models(groups, options, run.meta)
            check_reachable(models)
            replay = ReplayInterview(run, groups, options, models)
            return run_sync(replay.ask(own, at, repeats, terms, begin, on_answers))


def list_interviewable(run: RunReader, options: RunOptions) -> list[AgentID]:
    """Return everyone in a recorded run whose policy can be interviewed.

    Raises:
        PolicyError: a policy cannot be loaded, or one given by path was not trusted.
    """
    with open_policies(run, options) as groups:
        return [agent for agent in run.meta.names if groups.remembers(agent)]


class ReplayInterview(RunReplay):
    """A recorded run, at a tick of which people are asked."""

    asked = interviews = 0  # that are over, and that there are to be

    async def ask(
        self,
        questions: Mapping[AgentID, Sequence[str]],
        at: int,
        repeats: int,
        terms: Mapping[str, InterviewTerms],
        begin: Callable[[], None],
        on_answers: OnAnswers | None,
    ) -> dict[str, Transcript]:
        """Return what the agents answer at tick `at`, by condition."""
        transcripts: dict[str, Transcript] = {}
        for own_terms in terms.values():
            self.groups.set_interview_terms(questions, own_terms)
        async with self.open_at(at):
            begin()  # the file was whole
            self.interviews = len(terms) * repeats * len(questions)
            self._report(at)
            for number, (condition, own_terms) in enumerate(terms.items()):
                self.groups.set_interview_terms(questions, own_terms)
                # Each condition has numbers of its own for its calls.
                numbers = range(number * repeats, (number + 1) * repeats)
                transcripts[condition] = await self._ask_all(questions, at, numbers)
                if on_answers is not None:
                    on_answers(condition, transcripts[condition])
        return transcripts

    async def _ask_all(
        self, questions: Mapping[AgentID, Sequence[str]], at: int, numbers: Iterable[int]
    ) -> Transcript:
        def count() -> None:
            self.asked += 1
            self._report(at)

        asked = await _ask_everyone(self.groups, questions, at, numbers, count)
        self._check_answered()
        transcript: Transcript = {agent: [] for agent in questions}
        for agent, _, (answers, faults) in asked:
            if faults:
                raise PolicyError(f"{faults[0].agent} did not answer: {faults[0].text}")
            transcript[agent] += zip(questions[agent], answers, strict=True)
        return transcript

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


async def _ask_everyone(
    groups: PolicyGroups,
    questions: Mapping[AgentID, Sequence[str]],
    tick: int,
    repeats: Iterable[int],
    on_answer: Callable[[], None],
) -> list[tuple[AgentID, int, Answers]]:
    """Return what everyone answers in each of `repeats` interviews, all of them held at once."""

    async def ask(agent: AgentID, repeat: int) -> tuple[AgentID, int, Answers]:
        answers = await groups.interview(agent, questions[agent], tick, repeat)
        on_answer()
        return agent, repeat, answers

    asking = (ask(agent, repeat) for repeat in repeats for agent in questions)
    return collect_results(await asyncio.gather(*asking, return_exceptions=True))


def _check_questions(
    run: RunReader, agents: Sequence[AgentID], questions: Questions
) -> dict[AgentID, list[str]]:
    """Return the questions of each agent, checked."""
    for agent in agents:
        if agent not in run.meta.names:
            hint = suggest_names(agent, run.meta.names, "people")
            raise ConfigError(f"nobody is called {agent!r}; {hint}")
    own = {
        agent: list(questions.get(agent, ()) if isinstance(questions, Mapping) else questions)
        for agent in dict.fromkeys(agents)
    }
    empty = [agent for agent, texts in own.items() if not texts]
    if empty:
        raise ConfigError(f"no question for {', '.join(empty)}")
    return own
