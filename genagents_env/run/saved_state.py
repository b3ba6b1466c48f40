"""The state of a checkpoint, taken over: what does not fit is told with the file it came from."""

from pathlib import Path

from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, PolicyError, RecordError
from genagents_env.llm.cassette import Ledger
from genagents_env.policy import Infos, Observations
from genagents_env.record import Checkpoint
from genagents_env.run.policy_groups import PolicyGroups


def restore_town(path: Path, env: TownEnv, state: Checkpoint) -> tuple[Observations, Infos]:
    """Let `env` go on from `state`, and return what everybody observes then.

    Raises:
        RecordError: it is not the state of such a town at that tick.
    """
    try:
        given = env.load_state(state.env)
    except ConfigError as error:
        raise _make_error(path, state, str(error)) from error
    if env.world.tick != state.tick:
        raise _make_error(path, state, f"it is of tick {env.world.tick}")
    return given


def restore_policies(path: Path, groups: PolicyGroups, state: Checkpoint) -> None:
    """Let the policies, which have been reset, go on from `state`.

    Raises:
        RecordError: there are other policies in it.
        PolicyError: a policy failed to take its state over.
    """
    try:
        groups.load_state(state.policies)
    except ConfigError as error:
        raise _make_error(path, state, str(error)) from error
    except PolicyError as error:
        raise PolicyError(f"{path}, tick {state.tick}: {error}") from error


def restore_ledger(path: Path, ledger: Ledger, state: Checkpoint) -> None:
    """Let the sums of costs go on from `state`.

    Raises:
        RecordError: there are no such sums in it.
    """
    try:
        ledger.load_state(state.ledger)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise _make_error(path, state, f"ledger: {error}") from error


def _make_error(path: Path, state: Checkpoint, why: str) -> RecordError:
    return RecordError(
        f"{path}: the state at tick {state.tick} is not one that this version can go on from "
        f"({why[:200]}); run it again"
    )
