"""Whose word a policy given by path needs: a run file of somebody else names their code.

A run file names its policies. One that is a path is code, which resuming or interviewing would
run; so it is imported only where the user said so, and only with the content that was recorded.
What is installed (the shipped policies and plug-ins) needs no word.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from genagents_env.errors import ConfigError, PolicyError
from genagents_env.policy_loader import is_shipped
from genagents_env.policy_source import (
    SHOWN,
    PolicySource,
    find_plugin,
    find_policy_file,
    read_source,
    shorten_policy,
)
from genagents_env.record import PolicyOrigin, RunMeta, RunWriter
from genagents_env.record.policy_origin import (
    POLICY_CHANGES,
    PolicyChange,
    decode_changes,
    encode_changes,
)


@dataclass(frozen=True)
class ChosenPolicies:
    """The files of a run's policies, read but not imported, and what has changed in them.

    Attributes:
        sources: by the name in the record, of each policy that is a file.
        origins: of each policy that is not shipped, as they are now.
        formerly: the recorded origin of each policy that has another one now.
    """

    sources: Mapping[str, PolicySource] = field(default_factory=dict)
    origins: Mapping[str, PolicyOrigin] = field(default_factory=dict)
    formerly: Mapping[str, PolicyOrigin] = field(default_factory=dict)


def read_policies(names: Iterable[str]) -> ChosenPolicies:
    """Return the policies that a user names for a new run; naming them is the word they need.

    Raises:
        PolicyError: a file cannot be read.
    """
    names = list(dict.fromkeys(names))
    sources = {name: read_source(name) for name in names if find_policy_file(name) is not None}
    return ChosenPolicies(sources, _find_origins(names, sources))


def choose_policies(
    path: Path, meta: RunMeta, *, trust: bool, given: Sequence[str] = ()
) -> ChosenPolicies:
    """Return the policies of a recorded run; nothing is imported.

    Args:
        path: of the run file, for messages.
        meta: of the run.
        trust: policies by path may be imported where their files have not changed.
        given: policies by path, named again: each is read from there, changed or not.

    Raises:
        ConfigError: `given` names what is no policy of this run.
        PolicyError: a policy by path was neither trusted nor given, its file has changed, or
            cannot be read.
    """
    names = list(dict.fromkeys(str(spec["name"]) for spec in meta.policies.values()))
    by_path = [name for name in names if find_policy_file(name) is not None]
    chosen = _match_given(path, by_path, given)
    untold = [name for name in by_path if name not in chosen]
    if untold and not trust:
        raise PolicyError(_describe_untold(path, untold, meta.origins))
    sources = {name: read_source(chosen.get(name, name)) for name in by_path}
    for name in untold:
        _check_unchanged(path, sources[name], meta.origins.get(name))
    origins = _find_origins(names, sources)
    recorded = {name: meta.origins.get(name, PolicyOrigin()) for name in origins}
    formerly = {name: one for name, one in recorded.items() if one != origins[name]}
    return ChosenPolicies(sources, origins, formerly)


def note_changes(writer: RunWriter, chosen: ChosenPolicies) -> None:
    """Let a run file know that it goes on with changed policies, from which tick on."""
    if not chosen.formerly:
        return
    changes = (
        PolicyChange(name, str(before), str(chosen.origins[name]), writer.tick)
        for name, before in chosen.formerly.items()
    )
    noted = decode_changes(writer.find_note(POLICY_CHANGES))
    writer.note(POLICY_CHANGES, encode_changes((*noted, *changes)))
    writer.replace_meta(replace(writer.meta, origins=chosen.origins))


def format_resume(path: Path, meta: RunMeta, *, corrected: bool = False) -> str:
    """Return the command that goes on with a run, with the word that its policies need.

    Args:
        path: of the run file.
        meta: of the run.
        corrected: their files will have been changed.
    """
    names = dict.fromkeys(str(spec["name"]) for spec in meta.policies.values())
    by_path = [name for name in names if find_policy_file(name) is not None]
    words = ["--trust-policies"] if by_path else []
    if corrected:
        words = [f"--policy {name}" for name in by_path]
    return " ".join((f"genagents resume {path}", *words))


def _find_origins(
    names: Iterable[str], sources: Mapping[str, PolicySource]
) -> dict[str, PolicyOrigin]:
    origins = {}
    for name in names:
        if name in sources:
            origins[name] = PolicyOrigin(sha256=sources[name].sha256)
        elif not is_shipped(name) and (plugin := find_plugin(name)) is not None:
            package = plugin.dist
            origins[name] = PolicyOrigin(
                distribution=package.name if package is not None else None,
                version=package.version if package is not None else None,
            )
    return origins


def _match_given(path: Path, by_path: Sequence[str], given: Sequence[str]) -> dict[str, str]:
    """Return where each policy of the run was named again: its own path, or one moved alike."""
    found: dict[str, str] = {}
    for one in given:
        alike = [name for name in by_path if shorten_policy(name) == shorten_policy(one)]
        match = one if one in alike else alike[0] if len(alike) == 1 else None
        if match is None:
            known = ", ".join(by_path) or "none by path"
            raise ConfigError(f"--policy {one}: {path} has no such policy; it has {known}")
        found[match] = one
    return found


def _describe_untold(path: Path, untold: Sequence[str], origins: Mapping[str, PolicyOrigin]) -> str:
    told = ", ".join(f"{name} ({origins.get(name, PolicyOrigin())})" for name in untold)
    again = " ".join(f"--policy {name}" for name in untold)
    return (
        f"{path} names policies that are code in files: {told}; none of it was run. If you trust "
        f"it, go on with --trust-policies, or name it: {again}"
    )


def _check_unchanged(path: Path, source: PolicySource, before: PolicyOrigin | None) -> None:
    if before is None or before.sha256 is None or before.sha256 == source.sha256:
        return
    raise PolicyError(
        f"policy {source.name} has changed since {path} was recorded (sha256 then "
        f"{before.sha256[:SHOWN]}, now {source.sha256[:SHOWN]}) and was not run; put it back, or "
        f"go on with the changed one by --policy {source.name}, which the run file then notes"
    )
