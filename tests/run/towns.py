"""Short recorded runs for tests, with a model that answers by its seed and counts its answers."""

from pathlib import Path
from typing import Any, TypeAlias

from genagents_env.config import TownConfig, TownOptions
from genagents_env.errors import LLMUnavailable
from genagents_env.llm.calls import Completion, CompletionRequest, Endpoint
from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, sample_schema
from genagents_env.record.cassette import OnPhase
from genagents_env.run import PolicySpec, RunOptions, RunResult, RunSpec, resume, run
from genagents_env.scenario import Scenario

Value: TypeAlias = Any  # of an option of a run, its town or its model

CURIOUS = str(Path(__file__).with_name("curious.py"))
WITNESS = str(Path(__file__).with_name("witness.py"))
FOUR = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Tom Moreno")
IMPATIENT = RetryPolicy(attempts=2, base=0.0, cap=0.0)


class Killed(BaseException):
    """Stands for the end of the process."""


def stop_at(tick: int, phase: str = "boundary") -> OnPhase:
    """Return a hook that ends a run there as if its process had been killed."""

    def stop(at: str, now: int) -> None:
        if (at, now) == (phase, tick):
            raise Killed

    return stop


def failing_from(number: int, error: type[Exception] = LLMUnavailable) -> Rule:
    """Return a rule that answers so many requests and fails all others."""
    left = [number]

    def rule(request: CompletionRequest) -> str:
        left[0] -= 1
        if left[0] < 0:
            raise error("gone for lunch")
        return sample_schema(request)

    return rule


class LoggingEndpoint(ScriptedEndpoint):
    """Writes the seed of each request to a file once it is answered: seeds name calls."""

    def __init__(self, log: Path, **options: Value) -> None:
        super().__init__(**options)
        self.log = log

    async def complete(self, request: CompletionRequest) -> Completion:
        completion = await super().complete(request)
        with self.log.open("a") as file:
            file.write(f"{request.seed}\n")
        return completion


def make_spec(scenario: str | Scenario = "tiny", ticks: int = 40, **changes: Value) -> RunSpec:
    """Return a run of that many ticks of the curious mind."""
    given = {"seed": 3, "hours": ticks / 360, "policy": PolicySpec(CURIOUS), **changes}
    return compose_spec(scenario, **given)


def compose_spec(scenario: str | Scenario, **given: Value) -> RunSpec:
    town = {name: given.pop(name) for name in TownOptions.__annotations__ if name in given}
    return RunSpec(TownConfig(scenario, **town), **given)


def make_options(endpoint: Endpoint | None = None, **changes: Value) -> RunOptions:
    """Return run options with checkpoints every tenth tick; its policies by path are trusted."""
    given = {"checkpoint_every": 10, "retry": IMPATIENT, "trust_policies": True, **changes}
    return RunOptions(endpoint=endpoint or ScriptedEndpoint(), **given)


def run_town(path: Path, ticks: int = 40, **changes: Value) -> RunResult:
    return run(make_spec(ticks=ticks), path, make_options(**changes))


def resume_town(path: Path, **changes: Value) -> RunResult:
    return resume(path, make_options(**changes))
