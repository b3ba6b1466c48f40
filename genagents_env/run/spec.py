"""The inputs and the result of a recorded run, as frozen data."""

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
from genagents_env.profile import ActionSource
from genagents_env.record import Degradation
from genagents_env.record.cassette import OnPhase
from genagents_env.record.rows import JSON
from genagents_env.run.live import LiveControl
from genagents_env.run.policy_groups import PolicySpec

_SCRIPTED = PolicySpec("scripted")


@dataclass(frozen=True)
class RunSpec:
    """The specification of a run.

    Attributes:
        town: the scenario, its people and place, start and hours. A run file stores only these
            options; the others must have their defaults.
        seed: of the episode and of every policy.
        repeats: interviews of everyone at each end; None is the scenario's number.
        policy: of everyone without a policy in `policy_for`.
        policy_for: names of policies by agent.
        config_for: the configurations of these policies, by name.

    Raises:
        ConfigError: `seed` is not in `config.SEEDS`.
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
    """The progress of a run, reported after every tick and during interviews.

    `dollars`: None where no price is known. `asking`: interviews are being held, of which `asked`
    out of `interviews` are finished, if the number is known. `policy_errors`: in this process;
    `policy_error` describes the first.
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
_LONG_CALLS = 20  # longest calls, one after another, before a policy counts as hung


@dataclass(frozen=True)
class RunOptions:
    """The options of running; only the model changes what happens.

    Attributes:
        model: see `llm.open.open_endpoint`; None is the recorded run's, or the default.
        model_for: other models, as `model`, for the calls of a person or a faculty (a call's
            purpose up to its first dot); a person's comes before a faculty's. None are the
            recorded run's.
        endpoint: an open endpoint in place of `model`, with its own timeout and price.
        model_options: timeout, deadline, thinking and price of the model.
        embedder: see `memory.open.open_source`; None is the recorded run's, or the default.
        source: an open model of embeddings in place of `embedder`.
        interviews: ask the scenario's questions at both ends of a run; ignored by a resumed run.
        limits: of the budget, stored in the run file. A number replaces that of a resumed run.
        no_limit: drop the limits in the run file, except those given here.
        shared_budget: the total that this run shares with others; None is no such.
        concurrency: model calls under way at once, at most; None is as many as the endpoint
            keeps up with.
        retry: attempts at a call, and the deadline if `model_options` have none.
        trust_policies: let a resumed or interviewed run import the policies that it names by path,
            if their files are as recorded. A stranger's run file names a stranger's code.
        policies: policies by path that the run names, given again: they are imported from these
            paths, even if their files have changed, which is then noted.
        strict: stop at the first error of a policy, before the tick, so that the run can be resumed
            from its last checkpoint; otherwise the agents idle and the run is degraded.
        max_fallbacks: the share of model calls that may fall back to a default; above it the run is
            degraded. At 1 no run pauses for unusable replies. None is the recorded run's, or 0.2.
        preflight: ask the model server a small question before a new run has a file, to detect a
            wrong key, model or address; it counts against the limits.
        policy_deadline: seconds after which a policy counts as hung, at least 20 times the deadline
            of calls; None is never.
        checkpoint_every: ticks.
        watch: called with the progress after every tick and during interviews.
        on_phase: see `RunWriter.create`.
        people: who play the agents of the policy `human`; a resumed run without them goes on with
            these agents away.
        live: by whose commands the run pauses, and things happen in it.
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
    people: ActionSource | None = None
    live: LiveControl | None = None

    def find_policy_deadline(self) -> float | None:
        """Return the seconds after which a policy counts as hung; None is never."""
        if self.policy_deadline is None:
            return None
        call = self.model_options.deadline or self.model_options.timeout or 0.0
        return max(self.policy_deadline, _LONG_CALLS * call)


@dataclass(frozen=True)
class RunResult:
    """The result of `run` or `resume`.

    Attributes:
        path: of the run file.
        status: finished, paused, budget_exhausted or interrupted; failed if strict.
        tick: the last one.
        exit_code: of the command line.
        message: why it stopped early and what to do; empty if it finished.
        degradation: failed decisions and fallbacks so far.
        lost: requests to models that were cancelled, or under way when a process of this run ended:
            they count as spent at the most they could cost.
        resumed_from: the tick of the checkpoint that `resume` started from, -1 for the start; None
            if the run was not resumed.
        note: on the memories that people began with; empty without pasts.
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
