"""An experiment file made from a few words: several policies, one scenario, one seed."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.record.rows import JSON
from genagents_env.sweep.design.arms import resolve_policy
from genagents_env.sweep.design.experiment import resolve_scenario
from genagents_env.sweep.design.identity import make_slug

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
_NAME_LIMIT = 40
_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_comparison(
    scenario: str,
    policies: Iterable[tuple[str, Mapping[str, JSON]]],
    keys: Mapping[str, JSON],
    base: Path,
) -> str:
    """Return the text of an experiment file that runs each policy once on the same scenario.

    Args:
        scenario: a name, or a folder from `base`.
        policies: a name, or `path/to/file.py:Class` from `base`, and the options of each.
        keys: further keys of the experiment file; None is left out.
        base: the folder in which relative paths start. The file names it, so that it may lie
            anywhere.

    Raises:
        ConfigError: no policy is named, or one twice, or an option of one is null.
    """
    arms = [_make_arm(policy, config, base) for policy, config in policies]
    if not arms:
        raise ConfigError("no policy is named; name at least one, as reactive,scripted")
    names = [str(arm["name"]) for arm in arms]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise ConfigError(f"policy {twice[0]!r} comes twice; name each once")
    where = resolve_scenario(scenario, base)
    table: dict[str, JSON] = {
        "name": make_slug(f"compare-{Path(where).name}")[:_NAME_LIMIT],
        "question": "What do these policies do in the same town?",
        "scenario": where,
        **keys,
    }
    lines = ["# Made by `genagents compare`; more seeds make a study of it: genagents sweep"]
    lines += _format_table(table, "")
    for arm in arms:
        lines += ["", "[[arms]]", *_format_table(arm, "arms.")]
    return "\n".join([*lines, ""])


def _make_arm(policy: str, config: Mapping[str, JSON], base: Path) -> dict[str, JSON]:
    words = [policy.rpartition(":")[2] if ".py:" in policy else policy]
    words += [f"{key} {value}" for key, value in config.items()]
    empty = [key for key, value in config.items() if value is None]
    if empty:
        raise ConfigError(f"policy {policy!r}: {empty[0]}: null is no value; leave it out")
    arm: dict[str, JSON] = {
        "name": _NOT_IN_NAMES.sub(" ", " ".join(words))[:_NAME_LIMIT].strip(),
        "policy": resolve_policy(policy, base),
    }
    return {**arm, "config": dict(config)} if config else arm


def _format_table(table: Mapping[str, JSON], path: str) -> list[str]:
    """Return the lines of a TOML table: plain keys first, then the tables in it."""
    lines, inner = [], []
    for key, value in table.items():
        name = key if _KEY.fullmatch(key) else json.dumps(key)
        if isinstance(value, dict):
            within = _format_table(value, f"{path}{name}.")
            inner += ["", f"[{path}{name}]", *within] if within else []
        elif value is not None:
            lines.append(f"{name} = {_format_value(value)}")
    return lines + inner


def _format_value(value: JSON) -> str:
    """Return a value as TOML; inf and nan are numbers there, which are refused as such."""
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, value))}]"
    if isinstance(value, dict):
        inner = (f"{json.dumps(key)} = {_format_value(one)}" for key, one in value.items())
        return f"{{ {', '.join(inner)} }}"
    if value is None:
        raise ConfigError("null is no value; leave it out")
    return repr(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
