"""Interviews at both ends of a run, and of anyone at any tick of a recorded run."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path

from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, ModelOutage, PolicyError
from genagents_env.llm.budget import NO_LIMITS
from genagents_env.llm.event_loop import run_sync
from genagents_env.memory.embedder import Embedder, EmbeddingSource
from genagents_env.memory.testimony import THRESHOLDS, FactFinder, Statement
from genagents_env.name_search import suggest_names
from genagents_env.policy import AgentID, Answer, InterviewTerms
from genagents_env.record import FaultRow, InterviewRow, RememberedRow, RunReader, RunWriter
from genagents_env.record.spending import INTERVIEWED, decode_later_spending
from genagents_env.run.concurrency import collect_results
from genagents_env.run.models import reopen_models
from genagents_env.run.policy_groups import Answers, PolicyGroups
from genagents_env.run.preflight import check_reachable
from genagents_env.run.replay import RunReplay, check_tick_number, open_policies
from genagents_env.run.spec import Progress, RunOptions
from genagents_env.run.spending import LaterBudget
from genagents_env.scenario.questions import PosedQuestion, When, list_questions
from genagents_env.text import clean

ANSWER_LIMIT = 2000  # characters stored of an answer or a memory
MEMORIES = 20  # stored of an agent and a fact

Questions = Sequence[str] | Mapping[AgentID, Sequence[str]]
Transcript = dict[AgentID, list[tuple[str, Answer]]]
# Of an interview: its condition, who was asked, its number among the repeats.
Which = Callable[[str, AgentID, int], bool]
OnInterview = Callable[[str, AgentID, int, list[tuple[str, Answer]]], None]
_log = logging.getLogger(__name__)


async def interview_town(
    writer: RunWriter,
    env: TownEnv,
    groups: PolicyGroups,
    source: EmbeddingSource | None,
    when: When,
    report: Callable[[], None],
) -> None:
    """Ask those in town the scenario's questions, and store answers and memories of facts.

    The answers change nothing in the run.

    Args:
        writer: of the run.
        env: its town.
        groups: its policies, at a tick boundary.
        source: of embeddings, by which facts in other words are found; None is by patterns only.
        when: the end of the run.
        report: called as interviews begin, and after each.
    """
    meta, world, tick = writer.meta, env.world, writer.tick
    if not meta.interviews:
        return
    able = [name for name in meta.names if groups.remembers(name)]
    here = {name for name, there in zip(world.names, world.state.present, strict=True) if there}
    questions = [
        question
        for question in list_questions(meta.scenario, meta.names, when)
        if question.agent in here.intersection(able)
    ]
    rows: list[InterviewRow] = []
    faults: list[FaultRow] = []
    if questions:
        _log.info("interviews %s the run: %d questions", when, len(questions))
        report()
        repeats = meta.scenario.interview_repeats
        rows, faults = await _interview_all(groups, questions, tick, report, repeats)
    finder = None
    if source is not None and source.name in THRESHOLDS:  # its vectors are not stored in the run
        finder = FactFinder(meta.scenario.facts, meta.names, Embedder(source))
    people = world.town.people

    def find_facts(text: str) -> list[str]:
        return [people.fact_ids[fact] for fact in people.find_facts(text)]

    remembered, failed = await _collect_memories(groups, able, tick, find_facts, finder)
    faults += failed
    notes = groups.take_notes(tick)
    if rows or faults or remembered or notes:
        writer.commit_interviews(rows, faults, remembered, notes)


async def _interview_all(
    groups: PolicyGroups,
    questions: Sequence[PosedQuestion],
    tick: int,
    on_answer: Callable[[], None],
    repeats: int = 1,
) -> tuple[list[InterviewRow], list[FaultRow]]:
    """Ask everyone in `questions`, all at once; return answers, and faults of those without any.

    The `repeats` interviews of an agent start from the same state of mind.
    """
    own: dict[AgentID, list[str]] = {}
    for question in questions:
        own.setdefault(question.agent, []).append(question.text)
    rows: list[InterviewRow] = []
    faults: list[FaultRow] = []
    due = [(agent, repeat) for repeat in range(repeats) for agent in own]
    asked = await _ask_everyone(groups, own, tick, due, lambda *_: on_answer())
    for agent, repeat, (answers, failed) in asked:
        faults += failed
        for text, answer in zip(own[agent], answers, strict=not failed):
            words = clean(answer.text, ANSWER_LIMIT)
            rows.append(InterviewRow(tick, agent, text, words, answer.evidence, repeat))
    return rows, faults


async def _collect_memories(
    groups: PolicyGroups,
    agents: Sequence[AgentID],
    tick: int,
    facts_in: Callable[[str], Sequence[str]],
    finder: FactFinder | None = None,
) -> tuple[list[RememberedRow], list[FaultRow]]:
    """Return the memories of these agents that state a fact, and the faults of their policies.

    Of each agent and fact these are the first memories of different texts, `MEMORIES` at most; a
    text that occurs several times has the events of all. `facts_in` returns the ids of the facts in
    a text by patterns; `finder` finds facts in other words as well.
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
    calls. The record is not changed. Where the run or `options` have limits, its file stores the
    spending; see `run.spending.LaterBudget`.

    Args:
        path: of the run file, which may still be written.
        agents: to be asked, each alone, all at once.
        questions: for everyone, or by agent.
        tick: a recorded one; None is the last.
        options: model, embedder, limits, `watch` and trusted policies; others are ignored.
        repeats: interviews of each agent, all from the same state of mind.

    Returns:
        For each agent the questions in order, each with its answer, interview by interview.

    Raises:
        ConfigError: there is no such agent or tick, a policy remembers nothing, or an agent has no
            question.
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
    on_interview: OnInterview | None = None,
    skip: Which = lambda *_: False,
) -> dict[str, Transcript]:
    """Put the same questions to people on several terms; see `interview`.

    `terms`: by the name of each condition: who asks, and what answers have no access to.
    `on_interview`: called with each interview and its answers, as soon as none of them can be the
    default of an outage.
    `skip`: tells which interviews are not to be held.

    Returns:
        The result of `interview` by condition.

    Raises:
        PolicyError: a policy does not know such terms; else as `interview`.
    """
    options = options or RunOptions()
    if repeats < 1:
        raise ConfigError(f"repeats: {repeats} is not allowed; 1 or more")
    with _limit_interviews(path, options) as (options, begin), RunReader(path) as run:
        own = _check_questions(run, agents, questions)
        at = check_tick_number(run, tick)
        with open_policies(run, options) as groups:
            silent = [agent for agent in own if not groups.remembers(agent)]
            if silent:
                raise ConfigError(f"the policy of {', '.join(silent)} remembers nothing")
            models = reopen_models(groups, options, run.meta)
            check_reachable(models)
            replay = ReplayInterview(run, groups, options, models)
            interviews = {
                name: [(a, k) for k in range(repeats) for a in own if not skip(name, a, k)]
                for name in terms
            }
            return run_sync(replay.ask(own, at, repeats, terms, interviews, begin, on_interview))


def list_interviewable(run: RunReader, options: RunOptions) -> list[AgentID]:
    """Return everyone in a recorded run whose policy can be interviewed.

    Raises:
        PolicyError: a policy cannot be loaded, or one given by path was not trusted.
    """
    with open_policies(run, options) as groups:
        return [agent for agent in run.meta.names if groups.remembers(agent)]


class ReplayInterview(RunReplay):
    """A replay at a tick of which people are asked."""

    asked = interviews = 0  # finished, and in all

    async def ask(
        self,
        questions: Mapping[AgentID, Sequence[str]],
        at: int,
        repeats: int,
        terms: Mapping[str, InterviewTerms],
        interviews: Mapping[str, Sequence[tuple[AgentID, int]]],
        begin: Callable[[], None],
        on_interview: OnInterview | None,
    ) -> dict[str, Transcript]:
        """Ask the agents at tick `at`; return the answers by condition."""
        transcripts: dict[str, Transcript] = {}
        for own_terms in terms.values():
            self.groups.set_interview_terms(questions, own_terms)
        async with self.open_at(at):
            begin()  # the file is undamaged
            self.interviews = sum(map(len, interviews.values()))
            self._report(at)
            for number, (condition, own_terms) in enumerate(terms.items()):
                self.groups.set_interview_terms(questions, own_terms)
                tell = partial(on_interview, condition) if on_interview else lambda *_: None
                due, first = interviews[condition], number * repeats  # of numbers for its calls
                transcripts[condition] = await self._ask_all(questions, at, due, first, tell)
        return transcripts

    async def _ask_all(
        self,
        questions: Mapping[AgentID, Sequence[str]],
        at: int,
        due: Sequence[tuple[AgentID, int]],
        first: int,
        tell: Callable[[AgentID, int, list[tuple[str, Answer]]], None],
    ) -> Transcript:
        told: set[tuple[AgentID, int]] = set()

        def take(agent: AgentID, number: int, given: Answers) -> None:
            self.asked += 1
            self._report(at)
            answers, faults = given
            if not faults and not any(answer.fallback for answer in answers):
                told.add((agent, number))
                tell(agent, number, list(zip(questions[agent], answers, strict=True)))

        asked = await _ask_everyone(self.groups, questions, at, due, take, first)
        self._check_answered()
        transcript: Transcript = {agent: [] for agent in questions}
        for agent, number, (answers, faults) in asked:
            if faults:
                raise PolicyError(f"{faults[0].agent} did not answer: {faults[0].text}")
            pairs = list(zip(questions[agent], answers, strict=True))
            transcript[agent] += pairs
            if (agent, number) not in told:
                tell(agent, number, pairs)
        return transcript

    def _report(self, at: int) -> None:
        """Report the number of finished interviews."""
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
        """Raise if the last calls got no answer, so that defaults stood in."""
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
    due: Iterable[tuple[AgentID, int]],
    on_answers: Callable[[AgentID, int, Answers], None],
    first: int = 0,
) -> list[tuple[AgentID, int, Answers]]:
    """Return the answers of everyone in each interview that is `due`, held all at once.

    `first`: is added to their numbers, by which calls are told apart.
    """

    async def ask(agent: AgentID, repeat: int) -> tuple[AgentID, int, Answers]:
        answers = await groups.interview(agent, questions[agent], tick, first + repeat)
        on_answers(agent, repeat, answers)
        return agent, repeat, answers

    asking = (ask(agent, repeat) for agent, repeat in due)
    return collect_results(await asyncio.gather(*asking, return_exceptions=True))


@contextmanager
def _limit_interviews(
    path: str | Path, options: RunOptions
) -> Iterator[tuple[RunOptions, Callable[[], None]]]:
    """Yield the options of interviews, and a function to call when they begin.

    With limits, the run file stores the spending from then on. It is not written if the interview
    is refused before that, nor if there are no limits.

    Raises:
        RecordError: the file is missing, foreign or damaged; or there are limits, and it cannot be
            written.
        RunLocked: there are limits, and another process writes it.
    """
    with RunReader(path, known=True) as run:
        kept = decode_later_spending(run.find_note(INTERVIEWED)).limits
        limited = any(limits != NO_LIMITS for limits in (run.meta.limits, options.limits, kept))
    if not limited:
        yield options, lambda: None
        return
    with ExitStack() as stack:
        lock = RunWriter.lock(path)
        stack.callback(lambda: lock.release(keep=lock.was_left))
        open_writer = cache(lambda: stack.enter_context(RunWriter.open(path, lock=lock)))
        with RunReader(path, known=True) as run:
            budget = LaterBudget(run, INTERVIEWED, options, open_writer)
        yield budget.options, budget.keep
        budget.finish()


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
