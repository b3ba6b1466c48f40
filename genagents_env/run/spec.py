"""What is run, how, and how it ended: inputs and result of a recorded run, as frozen data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from genagents_env.config import TownConfig, check_seed
from genagents_env.llm.budget import NO_LIMITS, Limits, SharedBudget
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.open import ModelOptions
from genagents_env.llm.retries import RetryPolicy
from genagents_env.memory.embedder import EmbeddingSource
from genagents_env.record import Degradation
from genagents_env.record.cassette import OnPhase
from genagents_env.record.rows import JSON
from genagents_env.run.policy_groups import PolicySpec

_SCRIPTED = PolicySpec("scripted")


@dataclass(frozen=True)
class RunSpec:
    """What is run.

    Attributes:
        town: the scenario, and who takes part in it, where, from when, for how long. Of its
            options a run file holds these alone; the others must have their defaults.
        seed: of the episode and of every policy.
        repeats: how often everyone is interviewed at each end; None is the scenario's.
        policy: for everyone who has none of their own.
        policy_for: a policy's name for some agents.
        config_for: the configuration of such a policy, by its name.

    Raises:
        ConfigError: `seed` is none of `config.SEEDS`.
    """

    town: TownConfig
    seed: int = 0
    repeats: int | None = None
    policy: PolicySpec = _SCRIPTED
    policy_for: Mapping[str, str] = field(default_factory=dict)
    config_for: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_seed(self.seed)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, reported after every tick, and as people are interviewed.

    `dollars` is None where no price is known. `asking`: interviews are being held;
    of `interviews` one by one `asked` are over, where their number is known.
    `policy_errors`: in this process; `policy_error` tells of the first, empty before there is one.
    """

    tick: int
    horizon: int
    time: datetime
    calls: int = 0
    tokens: int = 0
    dollars: float | None = 0.0
    asking: bool = False
    asked: int = 0
    interviews: int = 0
    policy_errors: int = 0
    policy_error: str = ""


_WHOLE = Degradation()
_USUAL = ModelOptions()
_LONG_CALLS = 20  # of the longest a model may take, one after another, before a policy is hung


@dataclass(frozen=True)
class RunOptions:
    """How it is run; nothing here but the model changes what happens.

    Attributes:
        model: see `llm.open.open_endpoint`; None is the recorded run's, or the default.
        model_for: other models, as `model`, for the calls of a person or a faculty (a call's
            purpose up to its first dot); a person's comes before a faculty's. None are the
            recorded run's.
        endpoint: an open endpoint in place of `model`; it has a timeout and a price of its own.
        model_options: how the model is asked: timeout, deadline, thinking, price.
        embedder: see `memory.open.open_source`; None is the recorded run's, or the default.
        source: an open model of embeddings in place of `embedder`.
        interviews: ask the scenario's questions at both ends of a run; a resumed run does as it
            did at its start.
        limits: of the budget, kept in the run file. A resumed run has those of its file; a number
            here takes the place of one.
        no_limit: limits that the file keeps hold no longer; those given beside it do.
        shared_budget: the total and the rate that this run shares with others; None is neither.
        concurrency: model calls under way at once, at most; None is as many as the endpoint
            keeps up with.
        retry: attempts of a call, and the deadline where `model_options` have none.
        trust_policies: a resumed or interviewed run may import the policies that it names by
            path, where their files are as they were recorded. A stranger's run file names a
            stranger's code.
        policies: policies by path that the run names, named again: these are imported from where
            they are said to be, also where their files have changed since, which is then noted.
        strict: a run stops at the first error of a policy, before the tick is lived, and can be
            resumed from its last checkpoint; otherwise the agents idle and it goes on, degraded.
        max_fallbacks: the share of a run's model calls in whose place a default may stand; above it
            the run is degraded. At 1 no run pauses for replies that are no use. None is the
            recorded run's, or 0.2.
        preflight: ask the model server one small question before a new run has a file, so that
            a wrong key, model or address is told at once; it counts against the limits.
        policy_deadline: seconds after which a policy counts as hung; 20 times a longer deadline
            of calls.
        checkpoint_every: ticks.
        watch: called with the progress after every tick, and while people are interviewed.
        on_phase: see `RunWriter.create`.
    """

    model: str | None = None
    model_for: Mapping[str, str] | None = None
    endpoint: Endpoint | None = None
    model_options: ModelOptions = _USUAL
    embedder: str | None = None
    source: EmbeddingSource | None = None
    interviews: bool = True
    limits: Limits = NO_LIMITS
    no_limit: bool = False
    shared_budget: SharedBudget | None = None
    concurrency: int | None = None
    retry: RetryPolicy | None = None
    trust_policies: bool = False
    policies: tuple[str, ...] = ()
    strict: bool = False
    max_fallbacks: float | None = None
    preflight: bool = False
    policy_deadline: float | None = 1800.0
    checkpoint_every: int = 100
    watch: Callable[[Progress], None] | None = None
    on_phase: OnPhase | None = None

    def find_policy_deadline(self) -> float | None:
        """Return the seconds after which a policy counts as hung; None is never."""
        if self.policy_deadline is None:
            return None
        call = self.model_options.deadline or self.model_options.timeout or 0.0
        return max(self.policy_deadline, _LONG_CALLS * call)


@dataclass(frozen=True)
class RunResult:
    """How a run stands when `run` or `resume` returns.

    Attributes:
        path: of the run file.
        status: finished, paused, budget_exhausted, interrupted; failed where it was strict.
        tick: the last one.
        exit_code: of the command line.
        message: why it stopped early and what to do; empty when it finished.
        degradation: what took the place of decisions so far.
        lost: requests to models that were under way when a process of this run ended, or were
            cancelled: they count as spent, at the most they could cost.
        resumed_from: the tick of the checkpoint that `resume` went on from, -1 where it began again
            at the start; None of a run that was not resumed.
        note: with what memories its people began; empty where they have no past.
    """

    path: Path
    status: str
    tick: int
    exit_code: int
    message: str = ""
    degradation: Degradation = _WHOLE
    lost: int = 0
    resumed_from: int | None = None
    note: str = ""
