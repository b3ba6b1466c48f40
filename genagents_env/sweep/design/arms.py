"""The policies of an arm: found, and made once to see that they can be."""

import re
from collections.abc import Iterator
from pathlib import Path

from genagents_env.errors import ConfigError, PolicyError
from genagents_env.run import PolicySpec
from genagents_env.run.policies import check_for_run, find_policy_file, load_policy
from genagents_env.sweep.design.experiment import Arm
from genagents_env.text import clean

_LIMIT = 500
_LACKS = re.compile(r"\b(pip|pipx|uv tool) install\b")  # where the package of an extra is missing


def resolve_policy(policy: str, base: Path) -> str:
    """Return `path/to/file.py:Class` with the file's absolute path; other names as they are."""
    file = find_policy_file(policy)
    if file is None or not (base / file).is_file():
        return policy  # a missing file is reported as the experiment has it
    return f"{(base / file).resolve()}{policy[len(str(file)) :]}"


def make_default_policy(arm: Arm, base: Path) -> PolicySpec:
    """Return the policy of those for whom no other is named."""
    return PolicySpec(resolve_policy(arm.policy, base), dict(arm.config))


def resolve_own_policies(arm: Arm, base: Path) -> dict[str, str]:
    """Return the policies of those who have their own."""
    return {agent: resolve_policy(policy, base) for agent, policy in arm.policy_for.items()}


def check_arm(arm: Arm, base: Path) -> Iterator[str]:
    """Yield what is wrong with the policies of an arm, as `key: what`.

    A package that is not installed is no fault of the arm: its runs report it.
    """
    spec = make_default_policy(arm, base)
    if fault := _check_policy(spec):
        yield f"policy: {fault}"
    for agent, policy in resolve_own_policies(arm, base).items():
        if fault := _check_policy(PolicySpec(policy)):
            yield f"policy_for.{agent}: {fault}"


def _check_policy(spec: PolicySpec) -> str:
    try:
        check_for_run(spec.name)
        load_policy(spec.name, **spec.config).close()
    except ImportError:
        return ""
    except (PolicyError, ConfigError) as error:
        lacks = _LACKS.search(str(error)) is not None or isinstance(error.__cause__, ImportError)
        return "" if lacks else clean(str(error), _LIMIT)
    except Exception as error:  # a user's code, reported as it failed
        return clean(f"{spec.name!r} cannot be made: {type(error).__name__}: {error}", _LIMIT)
    return ""
