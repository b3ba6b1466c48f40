"""The policies of a comparison side by side: what each did in the same town, and what it took."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from genagents_env.errors import RecordError
from genagents_env.evaluate.measures.diffusion import find_first_hearings, trace_run_facts
from genagents_env.evaluate.measures.distance import compute_distances
from genagents_env.evaluate.measures.talk import count_talk
from genagents_env.evaluate.run_data import RunData
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.report.table import Table
from genagents_env.sweep.folder import SweepFolder


@dataclass(frozen=True, slots=True)
class FactCount:
    """How often a fact was heard by somebody who did not know it, and by how many it could be."""

    fact: str
    heard: int
    could: int


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What one run came to, in counts over all its agents.

    Attributes:
        utterances: spoken.
        conversations: held.
        distance: tiles walked.
        facts: how far each spread.
        calls: to models, interviews with them.
        tokens: read and written.
        dollars: None where no price is known.
        fallbacks: calls in whose place a default stood.
        seconds: of wall clock; None where nothing was noted.
    """

    utterances: int
    conversations: int
    distance: int
    facts: tuple[FactCount, ...]
    calls: int
    tokens: int
    dollars: float | None
    fallbacks: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class ComparedPolicy:
    """A policy's run: how it stands (`status`), and what it came to; None where nothing is there.

    `seed` and `file` are those of its run; `problem` says why there is nothing.
    """

    policy: str
    seed: int
    file: str
    status: str
    counts: RunCounts | None = None
    problem: str = ""

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, the counts beside the rest."""
        told = asdict(self)
        counts = told.pop("counts") or {}
        return {key: value for key, value in (told | counts).items() if value != ""}


def count_run(data: RunData) -> RunCounts:
    """Return what a run came to."""
    talk, spent, spending = (
        count_talk(data.events),
        data.reader.sum_calls(),
        data.reader.spending,
    )
    facts = tuple(
        FactCount(
            one.fact,
            len(find_first_hearings(one, data.names)),
            len(data.names) - len(one.at_start),
        )
        for one in trace_run_facts(data)
    )
    return RunCounts(
        talk.utterances,
        talk.conversations,
        int(compute_distances(data).sum()),
        facts,
        spent.calls,
        spent.prompt_tokens + spent.completion_tokens,
        None if spent.dollars is None else float(spent.dollars),
        spent.fallbacks,
        None if spending is None else spending.seconds,
    )


def read_comparison(folder: SweepFolder) -> Iterator[ComparedPolicy]:
    """Yield what each run of a sweep came to, as far as it can be read, in their order."""
    for trial, how in zip(folder.trials, folder.read_statuses(), strict=True):
        file, state = folder.run_file(trial), how.state
        counts, problem = None, how.problem
        if file.is_file() and state != "damaged":
            try:
                with RunReader(file) as reader:
                    counts = count_run(RunData(reader))
            except RecordError as error:
                state, problem = "damaged", str(error)
        status = f"{state}, degraded" if how.degraded else state
        yield ComparedPolicy(trial.condition.arm, trial.seed, str(file), status, counts, problem)


def tabulate_comparison(rows: Iterable[ComparedPolicy], title: str) -> Table:
    """Return the policies side by side."""
    columns = (
        *("policy", "status", "utterances", "conversations", "distance walked", "facts spread"),
        *("calls", "tokens", "dollars", "fallbacks", "seconds"),
    )
    note = (
        "All people together: distance in tiles; facts spread is how often somebody heard one they "
        "did not know, of how often that could be; a dash is what is not known."
    )
    cells = tuple(
        (one.policy, one.status, *([None] * (len(columns) - 2)))
        if (counts := one.counts) is None
        else (
            *(one.policy, one.status, counts.utterances, counts.conversations, counts.distance),
            f"{sum(f.heard for f in counts.facts)} of {sum(f.could for f in counts.facts)}",
            *(counts.calls, counts.tokens, counts.dollars, counts.fallbacks, counts.seconds),
        )
        for one in rows
    )
    return Table("comparison", title, columns, cells, note)
