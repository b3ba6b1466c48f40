"""What a run is called in a table: its policy with what was changed of it, and nothing else."""

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath

from genagents_env.record import RunMeta
from genagents_env.record.rows import JSON, encode
from genagents_env.text import clean

_LIMIT = 120


def format_policies(meta: RunMeta) -> str:
    """Return the label of a run's policy; of several, each with the number of its agents.

    It is its name and the options given to it, in the order of their names: `lyfe
    option_action=false`. A policy that is a file goes by the file's name.
    """
    counts = Counter(_format_policy(spec) for spec in meta.policies.values())
    if len(counts) == 1:
        return next(iter(counts))
    return clean(", ".join(f"{count} {name}" for name, count in sorted(counts.items())), _LIMIT)


def _format_policy(spec: Mapping[str, JSON]) -> str:
    name = str(spec["name"])
    name = PurePath(name).name if name.endswith(".py") else name
    options = [
        f"{key}={value if isinstance(value, str) else encode(value)}"
        for key, value in sorted(spec.get("config", {}).items())
    ]
    return clean(" ".join([name, *options]), _LIMIT)
