"""What a run is, as one hash: two runs with the same identity are the same run.

It covers what decides the course of a run, and nothing of what it is called, judged by, measured
with or allowed to spend.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from genagents_env import __version__
from genagents_env.files import read_file
from genagents_env.record.rows import JSON, encode
from genagents_env.run import PolicySpec
from genagents_env.run.policies import (
    find_policy_class,
    find_policy_file,
    is_shipped,
    read_source,
    shorten_policy,
)

_FORMAT = 1  # of what is hashed; another number, another identity of everything
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")
_SLUG_LIMIT = 60
_MOST_BYTES = 1_000_000_000  # of a file that an option names


def compute_identity(
    *,
    scenario: str,
    arguments: Mapping[str, JSON],
    policies: Mapping[str, PolicySpec],
    seed: int,
    model: str | None,
    embedder: str | None,
    interviews: bool,
    reasoning_effort: str | None = None,
    model_for: Mapping[str, str] | None = None,
    version: str = __version__,
) -> str:
    """Return the SHA-256 of what defines a run, as 64 hexadecimal digits.

    Args:
        scenario: its digest, see `scenario.digest`: people, place and repeats are in it.
        arguments: start, hours and seconds per tick, as the environment understood them.
        policies: of each agent. One that is a file counts by its name and content, so that a
            moved folder keeps its runs; what it imports from other files does not count. So does
            a file that an option of a shipped policy names.
        seed: of the episode.
        model: as asked for; None is the default.
        embedder: as asked for; None is the default.
        interviews: whether they are held.
        reasoning_effort: of the model.
        model_for: other models, by person or faculty.
        version: of this package.

    Raises:
        PolicyError: a policy's file cannot be read.
        FileError: a file that an option names cannot be read.
    """
    files: dict[str, JSON] = {}
    facts: dict[str, JSON] = {
        "format": _FORMAT,
        "version": version,
        "scenario": scenario,
        "arguments": dict(arguments),
        "policies": {
            agent: {"policy": _describe_policy(spec.name, files), "config": _describe_config(spec)}
            for agent, spec in policies.items()
        },
        "seed": seed,
        "model": model,
        "embedder": embedder,
        "interviews": interviews,
    }
    if reasoning_effort is not None:  # newer than identities that are kept
        facts["reasoning_effort"] = reasoning_effort
    if model_for:
        facts["model_for"] = dict(model_for)
    return sha256(encode(facts).encode()).hexdigest()


def make_slug(name: str) -> str:
    """Return `name` in small letters and digits, everything else one `-`; at most 60 characters."""
    return _NOT_IN_SLUGS.sub("-", name.lower())[:_SLUG_LIMIT].strip("-") or "run"


def _describe_config(spec: PolicySpec) -> dict[str, JSON]:
    config = dict(spec.config)
    if config and is_shipped(spec.name):
        for option in find_policy_class(spec.name).file_options:
            if config.get(option):
                path = Path(str(config[option]))
                config[option] = [path.name, sha256(read_file(path, _MOST_BYTES)).hexdigest()]
    return config


def _describe_policy(name: str, files: dict[str, JSON]) -> JSON:
    if find_policy_file(name) is None:
        return name
    if name not in files:
        files[name] = [shorten_policy(name), read_source(name).sha256]
    return files[name]
